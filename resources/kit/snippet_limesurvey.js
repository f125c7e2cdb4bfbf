/* LimeSurvey: every question is a short text whose field is hidden; only the drawn code is written
   into it. A field that is filled was answered before and is not drawn again. */
const FIELD = "input[type=text], textarea";

/* The field that belongs to a mark: the first one in what surrounds this mark alone. */
function fieldOf(mark) {
  let around = mark;
  while (around && !around.querySelector(FIELD)) around = around.parentElement;
  return around && around.querySelectorAll("[data-ppworkbench]").length === 1
    ? around.querySelector(FIELD)
    : null;
}

function hide(field) {
  field.style.display = "none";
  field.setAttribute("aria-hidden", "true");
  field.tabIndex = -1;
}

function start() {
  const marks = Array.from(document.querySelectorAll("[data-ppworkbench]"));
  const fields = marks.map(fieldOf);
  if (marks.length !== SURVEY.questions.length || fields.includes(null)) return;
  fields.forEach(hide);
  const language = document.documentElement.lang;
  if (fields.some((field) => field.value !== "")) {
    marks.forEach((mark) => {
      mark.textContent = wordsOf(SURVEY, language).words.answered;
    });
    return;
  }
  const buttons = Array.from(
    document.querySelectorAll("#ls-button-submit, button[value=movesubmit], button[value=movenext]"),
  );
  buttons.forEach((button) => {
    button.style.display = "none";
  });
  askInPage(SURVEY, language, marks, (codes) => {
    SURVEY.questions.forEach((question, place) => {
      const code = codes[question.name];
      fields[place].value = code === "" || !question.coded ? String(code) : "A" + code;
      fields[place].dispatchEvent(new Event("change", { bubbles: true }));
    });
    buttons.forEach((button) => {
      button.style.display = "";
    });
  });
}

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", start);
} else {
  start();
}
