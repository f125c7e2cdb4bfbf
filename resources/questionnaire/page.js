/* The page: reading the form, showing what will be sent, sending it. */

const survey = JSON.parse(document.getElementById("survey").textContent);
const words = survey.words;
const form = document.getElementById("form");
const review = document.getElementById("review");
const done = document.getElementById("done");
const state = { dice: null, text: "" };

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function typedNumber(text, whole) {
  const plain = text.trim().replace(/[\s\u00a0\u202f]/g, "").replace("\u2212", "-").replace(",", ".");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return NaN;
  const value = Number(plain);
  return whole && !Number.isInteger(value) ? NaN : value;
}

/* The answer to a question: a place among its values or a number; null when skipped or not asked,
   undefined when there is none yet, NaN when it cannot be understood. */
function answerOf(place) {
  const question = survey.questions[place];
  if (question.omitted) return null;
  if (question.domain !== null) {
    const skip = form.elements[`skip${place}`];
    if (skip && skip.checked) return null;
    const text = form.elements[`q${place}`].value;
    if (text.trim() === "") return undefined;
    const value = typedNumber(text, question.whole);
    return value >= question.domain[0] && value <= question.domain[1] ? value : NaN;
  }
  const chosen = form.elements[`q${place}`].value;
  if (chosen === "") return undefined;
  return chosen === "skip" ? null : Number(chosen);
}

function allAnswers() {
  return survey.questions.map((question, place) => answerOf(place));
}

function complain(place, sentence) {
  const card = document.getElementById(`card${place}`);
  const line = document.getElementById(`error${place}`);
  line.textContent = sentence;
  line.hidden = sentence === "";
  card.classList.toggle("wrong", sentence !== "");
  for (const field of card.querySelectorAll(`[name="q${place}"]`)) {
    if (sentence) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

function checkAnswer(place, answer) {
  if (answer === undefined) return words.unanswered;
  if (Number.isNaN(answer)) {
    const question = survey.questions[place];
    return fill(question.whole ? words.not_whole : words.not_number, question.range);
  }
  return "";
}

function showProgress() {
  const asked = allAnswers()
    .map((answer, place) => [answer, place])
    .filter(([, place]) => !survey.questions[place].omitted);
  const count = asked.filter(([answer, place]) => checkAnswer(place, answer) === "").length;
  const bar = document.getElementById("bar");
  bar.max = asked.length;
  bar.value = count;
  const said = fill(words.progress, { done: count, all: asked.length });
  document.getElementById("progress").textContent = said;
}

function shown(texts, value) {
  if (value === null) return words.skipped;
  if (texts !== null) return texts[value];
  return value.toLocaleString(survey.language, { maximumFractionDigits: 12 });
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function pairOf(role, label, value) {
  const made = element("div", `side ${role}`);
  made.append(element("span", "mark"), element("dt", "", label), element("dd", "", value));
  return made;
}

function showReview(answers, sent) {
  const list = document.getElementById("pairs");
  list.replaceChildren();
  survey.questions.forEach((question, place) => {
    if (question.omitted) return;
    const item = element("li", "pair");
    const sides = element("dl", "sides");
    const own = shown(question.texts, answers[place]);
    sides.append(pairOf("original", words.your_answer, own));
    const drawn = shown(question.drawn, sent[place]);
    sides.append(pairOf("distorted", words.will_be_sent, drawn));
    item.append(element("p", "asked", question.text), sides);
    list.append(item);
  });
  if (survey.arms) {
    document.getElementById("version").textContent = fill(words.your_version, { arm: survey.arm });
  }
  document.getElementById("line").textContent = state.text;
  say("");
  turnTo(review);
}

function turnTo(part) {
  for (const one of [form, review, done]) one.hidden = one !== part;
  document.getElementById("top").hidden = part !== form;
  const heading = part === form ? document.getElementById("title") : part.querySelector("h2");
  heading.focus();
  window.scrollTo(0, 0);
}

function say(sentence) {
  const line = document.getElementById("problem");
  line.textContent = sentence;
  line.hidden = sentence === "";
}

function onReview(event) {
  event.preventDefault();
  const answers = allAnswers();
  const faults = answers.map((answer, place) => checkAnswer(place, answer));
  faults.forEach((sentence, place) => complain(place, sentence));
  const first = faults.findIndex((sentence) => sentence !== "");
  if (first >= 0) {
    document.querySelector(`[name="q${first}"]`).focus();
    return;
  }
  state.dice ??= freshDice(survey);
  const sent = distortAnswers(survey, answers, state.dice);
  state.text = rowText(survey, sent);
  showReview(answers, sent);
}

/* Only the distorted line is kept, so that it can be saved again. */
function forget() {
  form.reset();
  document.getElementById("pairs").replaceChildren();
  document.getElementById("line").textContent = "";
  state.dice = null;
}

function finish(sentence) {
  forget();
  document.getElementById("outcome").textContent = sentence;
  turnTo(done);
}

function save() {
  const kind = survey.format === "json" ? "application/x-ndjson" : "text/csv";
  const address = URL.createObjectURL(new Blob([state.text], { type: `${kind};charset=utf-8` }));
  const link = element("a");
  link.href = address;
  link.download = survey.format === "json" ? "answer.jsonl" : "answer.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  document.getElementById("again").hidden = false;
  finish(fill(words.saved, { file: link.download }));
}

async function send() {
  const button = document.getElementById("send");
  button.disabled = true;
  say("");
  try {
    /* A plain text needs no permission in advance from a server at another address. */
    const reply = await fetch(survey.post, {
      method: "POST",
      body: state.text,
      headers: { "Content-Type": "text/plain;charset=UTF-8" },
      mode: "cors",
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    if (!reply.ok) throw new Error(String(reply.status));
    finish(words.sent);
  } catch {
    say(words.not_sent);
    document.getElementById("save").hidden = false;
  } finally {
    button.disabled = false;
  }
}

/* The items of a list, in an order that says nothing about any of them. */
function showItems(place, question) {
  const items = shuffled(question.items).map((text) => element("li", "", text));
  document.getElementById(`items${place}`).replaceChildren(...items);
  document.getElementById(`range${place}`).textContent = question.range_text;
}

/* Show the version of this respondent; false where the address names one that is not there. */
function showArm() {
  const wanted = new URLSearchParams(location.search).get("arm");
  const place = armOf(survey.arms, wanted);
  if (place < 0) {
    const line = document.getElementById("noversion");
    line.textContent = fill(words.no_version, { arm: wanted });
    line.hidden = false;
    return false;
  }
  const arm = useArm(survey, place);
  arm.questions.forEach((question, i) => {
    const card = document.getElementById(`card${i}`);
    card.hidden = question === null;
    /* What is hidden must not be reached by the keyboard, nor filled in by the browser. */
    card.disabled = question === null;
    if (question === null) return;
    const how = document.getElementById(`how${i}`);
    how.textContent = question.how;
    how.classList.toggle("bare", question.bare);
    if (question.items) showItems(i, question);
  });
  const isBare = arm.questions.some((question) => question !== null && question.bare);
  document.getElementById("bare").hidden = !isBare;
  return true;
}

function begin() {
  if (!(window.crypto && crypto.getRandomValues)) {
    document.getElementById("noscript").hidden = false;
    return;
  }
  if (survey.arms && !showArm()) {
    document.getElementById("noscript").remove();
    return;
  }
  form.addEventListener("submit", onReview);
  form.addEventListener("input", showProgress);
  form.addEventListener("change", (event) => {
    const place = Number(event.target.name.replace(/\D/g, ""));
    const sentence = checkAnswer(place, answerOf(place));
    if (sentence === "" || sentence !== words.unanswered) complain(place, sentence);
    showProgress();
  });
  document.getElementById("back").addEventListener("click", () => turnTo(form));
  for (const name of ["save", "again"]) document.getElementById(name).addEventListener("click", save);
  if (survey.post) document.getElementById("send").addEventListener("click", send);
  /* A page that is left must not come back with the answers still in it. */
  window.addEventListener("pagehide", forget);
  form.reset();
  showProgress();
  document.getElementById("noscript").remove();
  form.hidden = false;
}

begin();
