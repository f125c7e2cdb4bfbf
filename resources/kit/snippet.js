/* Questions in inputs of their own, which have no names: a form that is sent does not hold them.
   What is drawn is drawn once; true answers are forgotten as soon as it is. */

function wordsOf(survey, language) {
  const wanted = String(language || "").toLowerCase();
  const code = survey.languages.find((one) => one.toLowerCase() === wanted)
    || survey.languages.find((one) => one.split("-")[0] === wanted.split("-")[0])
    || survey.languages[0];
  return { code: code, words: survey.words[code] };
}

function element(kind, text, style) {
  const made = document.createElement(kind);
  if (text) made.textContent = text;
  if (style) made.style.cssText = style;
  return made;
}

/* Buttons of which one can be pressed; a long list is a list to choose from. */
function choiceInput(answers, words, note) {
  if (answers.length > 12) {
    const list = element("select");
    list.appendChild(element("option", words.choose));
    answers.forEach((text) => list.appendChild(element("option", text)));
    list.addEventListener("change", () => note(list.selectedIndex > 0 ? list.selectedIndex - 1 : null));
    return list;
  }
  const group = element("div");
  group.setAttribute("role", "radiogroup");
  const buttons = answers.map((text, place) => {
    const button = element("button", text, "display:block;margin:4px 0;padding:8px 12px;text-align:start");
    button.type = "button";
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", "false");
    button.addEventListener("click", () => {
      buttons.forEach((one) => {
        const chosen = one === button;
        one.setAttribute("aria-checked", String(chosen));
        one.style.outline = chosen ? "3px solid currentColor" : "";
      });
      note(place);
    });
    group.appendChild(button);
    return button;
  });
  return group;
}

function numberInput(question, note) {
  const field = element("input");
  field.type = "number";
  field.autocomplete = "off";
  field.min = String(question.low);
  field.max = String(question.high);
  field.step = question.whole ? "1" : "any";
  field.addEventListener("input", () => {
    const number = field.value === "" ? null : Number(field.value);
    const fits = number !== null && number >= question.low && number <= question.high
      && (!question.whole || Number.isInteger(number));
    note(number === null ? null : fits ? number : undefined);
  });
  return field;
}

/* Ask some questions in some places; `done` gets the drawn codes by name, once. */
function askInPage(survey, language, places, done) {
  const told = wordsOf(survey, language);
  const words = told.words;
  let answers = survey.questions.map(() => null);
  survey.questions.forEach((question, place) => {
    const frame = places[place];
    frame.replaceChildren();
    const title = element("p", question.text[told.code], "font-weight:600");
    frame.appendChild(title);
    if (question.help[told.code]) frame.appendChild(element("p", question.help[told.code]));
    const note = (answer) => { answers[place] = answer; };
    const input = question.answers
      ? choiceInput(question.answers[told.code], words, note)
      : numberInput(question, note);
    input.setAttribute("aria-label", question.text[told.code]);
    frame.appendChild(input);
    if (!question.answers) frame.appendChild(element("p", question.range[told.code]));
  });
  const last = places[places.length - 1];
  last.appendChild(element("p", words.drawn_here + " " + words.first_counts));
  const warning = element("p", "", "font-weight:600");
  warning.setAttribute("role", "alert");
  const button = element("button", words.send, "padding:8px 16px");
  button.type = "button";
  button.addEventListener("click", () => {
    const open = survey.questions.some((question, place) =>
      answers[place] === undefined || (question.required && answers[place] === null));
    if (open) {
      warning.textContent = words.please_answer;
      return;
    }
    const drawn = drawnCodes(survey, answers, freshDice(survey));
    answers = null;
    places.forEach((frame) => frame.replaceChildren(element("p", words.answered)));
    done(drawn);
  });
  last.appendChild(warning);
  last.appendChild(button);
}

/* The drawn answers as codes by name; a skipped question has an empty text. */
function drawnCodes(survey, answers, dice) {
  const reports = distortAnswers(survey, answers, dice);
  const codes = { };
  survey.questions.forEach((question, place) => {
    const report = reports[place];
    codes[question.name] = report === null ? "" : question.coded ? report + 1 : report;
  });
  return codes;
}
