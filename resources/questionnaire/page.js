/* The page: reading the form, showing what will be sent, sending it. */

const survey = JSON.parse(document.getElementById("survey").textContent);
const form = document.getElementById("form");
const review = document.getElementById("review");
const done = document.getElementById("done");
const tab = tabKeeping(survey);
const device = survey.memory ? deviceKeeping(survey) : null;
const state = {
  key: "", text: "", id: "", code: "", refused: "", asksCode: survey.codes, step: 0, orders: [],
  delivery: null,
};
let language = survey.languages[0];
let words = language.words;

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/* A text of a question in the respondent's language; that of their version where it has its own. */
function textOf(place, what) {
  const own = survey.arms ? language.said[`v${survey.version}.q${place}.${what}`] : undefined;
  return own ?? language.said[`q${place}.${what}`];
}

/* Zeros of digits that people type in other scripts; the other nine follow each. */
const ZEROS = ["\u0660", "\u06f0", "\u0966", "\u09e6", "\uff10"];

function plainDigits(text) {
  return text.replace(/[^\x00-\x7f]/g, (sign) => {
    const zero = ZEROS.find((one) => sign >= one && sign.charCodeAt(0) - one.charCodeAt(0) < 10);
    return zero ? String(sign.charCodeAt(0) - zero.charCodeAt(0)) : sign;
  });
}

function typedNumber(text, whole) {
  const plain = plainDigits(text.trim())
    .replace(/[\s\u00a0\u202f\u066c]/g, "")
    .replace("\u2212", "-")
    .replace(/[,\u066b]/, ".");
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
  return Number.isNaN(answer) ? textOf(place, "wrong") : "";
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

/* An answer in the words of the respondent; a number as their language writes it. */
function shown(place, value) {
  if (value === null) return words.skipped;
  if (Array.isArray(value)) {
    return value.length ? value.map((one) => shown(place, one)).join(" · ") : words.empty_set;
  }
  const question = survey.questions[place];
  if (question.domain === null) return language.said[`q${place}.a${value}`];
  return value.toLocaleString(language.code, { maximumFractionDigits: 12 });
}

/* What is sent; of a number perhaps only an interval, which is shown as it is published. */
function shownReport(place, value) {
  const question = survey.questions[place];
  const isInterval = question.domain !== null && question.published !== null;
  return isInterval && value !== null ? question.published[value] : shown(place, value);
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

/* What stays here and what is sent; of an answer that is not randomised there is but one. */
function showPairs(answers, sent) {
  const list = document.getElementById("pairs");
  list.replaceChildren();
  survey.questions.forEach((question, place) => {
    if (question.omitted) return;
    const item = element("li", "pair");
    const sides = element("dl", "sides");
    if (question.mechanism.type !== "none" && answers[place] !== null) {
      sides.append(pairOf("original", words.your_answer, shown(place, answers[place])));
    }
    sides.append(pairOf("distorted", words.will_be_sent, shownReport(place, sent[place])));
    item.append(element("p", "asked", textOf(place, "text")), sides);
    list.append(item);
  });
}

/* The end before sending. Who saw the draw and could change the answer would protect
   themselves, so that it is shown only where the survey wants it, and there is no way back then, nor
   after a reload: the tab keeps that it was shown. It must not keep the report beside the key, which
   would tell the answer. */
function showReview(answers, sent) {
  if (survey.review) {
    showPairs(answers, sent);
    tab.forget();
    tab.keep("shown", true);
  }
  if (survey.arms) {
    document.getElementById("version").textContent = fill(words.your_version, { arm: survey.arm });
  }
  showLine();
  say("");
  turnTo(review);
}

/* The text that leaves the page, to the letter. */
function leavingText() {
  if (!survey.post || survey.format !== "json") return state.text;
  return envelope(survey.digest, state.id, state.code, state.text);
}

function showLine() {
  if (survey.review) document.getElementById("line").textContent = leavingText();
}

function turnTo(part) {
  for (const one of [form, review, done]) one.hidden = one !== part;
  const isStart = part === form && state.step === 0;
  document.getElementById("top").hidden = !isStart;
  let heading = part.querySelector("h2");
  if (part === form) {
    heading = isStart ? document.getElementById("title") : form.querySelector(".card:not([hidden])");
    heading.tabIndex = -1;
  }
  heading.focus();
  window.scrollTo(0, 0);
}

/* A sentence that counts down is read aloud once, not every second. */
function show(line, sentence, isCounting) {
  line.setAttribute("aria-live", isCounting ? "off" : "assertive");
  line.textContent = sentence;
  line.hidden = sentence === "";
}

function say(sentence, isCounting = false) {
  show(document.getElementById("problem"), sentence, isCounting);
}

/* The pages that have a question for this respondent. */
function askedPages() {
  const asked = survey.questions.filter((question) => !question.omitted);
  return [...new Set(asked.map((question) => question.page))].sort((a, b) => a - b);
}

/* Show the questions of one page; what is not asked can neither be reached nor filled in. */
function showStep() {
  const pages = askedPages();
  survey.questions.forEach((question, place) => {
    const card = document.getElementById(`card${place}`);
    card.hidden = question.omitted || question.page !== pages[state.step];
    card.disabled = question.omitted;
  });
  showCodeCard(false);
  if (document.getElementById("next") === null) return;
  const isLast = state.step === pages.length - 1;
  document.getElementById("previous").hidden = state.step === 0;
  document.getElementById("next").hidden = isLast;
  document.getElementById("show").hidden = !isLast;
}

function goTo(step) {
  state.step = step;
  showStep();
  turnTo(form);
}

/* Say what is wrong on the pages up to this one; true where nothing is. */
function check(answers) {
  const pages = askedPages();
  const last = pages[state.step];
  const faults = answers.map((answer, place) =>
    survey.questions[place].page > last ? "" : checkAnswer(place, answer),
  );
  faults.forEach((sentence, place) => complain(place, sentence));
  const first = faults.findIndex((sentence) => sentence !== "");
  if (first < 0) return true;
  const step = pages.indexOf(survey.questions[first].page);
  if (step !== state.step) goTo(step);
  document.querySelector(`[name="q${first}"]`).focus();
  return false;
}

function onSubmit(event) {
  event.preventDefault();
  if (state.step === 0 && !checkCode()) return;
  const answers = allAnswers();
  if (!check(answers)) return;
  if (state.step < askedPages().length - 1) {
    goTo(state.step + 1);
    return;
  }
  if (survey.post) state.id = tab.once("id", freshId);
  const sent = distortAnswers(survey, answers, keyedDice(survey, state.key, answers));
  state.text = rowText(survey, sent, survey.person ? personOf(state.key) : null);
  showReview(answers, sent);
}

/* Only the distorted line is kept, so that it can be saved again. */
function forget() {
  form.reset();
  for (const name of ["pairs", "line"]) document.getElementById(name)?.replaceChildren();
  survey.questions.forEach((question, place) => complain(place, ""));
  const code = document.getElementById("code");
  if (code) {
    code.value = "";
    show(document.getElementById("codeproblem"), "", false);
  }
  state.code = "";
  state.refused = "";
}

/* The key of what was sent or saved goes, and this tab is done; with codes it is those that count. */
function finish(sentence) {
  forget();
  tab.forget();
  state.key = "";
  if (!survey.codes) tab.keep("given", true);
  document.getElementById("outcome").textContent = sentence;
  turnTo(done);
}

function save() {
  /* Who gives a file away need not give away the code, too. */
  state.code = "";
  const text = state.saved ?? leavingText();
  state.saved = text;
  state.delivery?.stop();
  const kind = survey.format === "json" ? "application/x-ndjson" : "text/csv";
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  const link = element("a");
  link.href = address;
  link.download = survey.format === "json" ? "answer.jsonl" : "answer.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  document.getElementById("again").hidden = false;
  finish(fill(words.saved, { file: link.download }));
}

function send() {
  if (survey.preview) {
    finish(words.preview_sent);
    return;
  }
  const code = document.getElementById("code");
  if (code && !state.code) {
    code.focus();
    say(words.no_code);
    document.getElementById("problem").classList.remove("waiting");
    return;
  }
  if (state.delivery === null) {
    const listener = (news) => {
      if (state.delivery === delivery) onNews(news);
    };
    const delivery = new Delivery(survey.post, leavingText(), listener, survey.format === "json");
    state.delivery = delivery;
    /* From now on the row is one and the same, because it may have arrived. */
    allowBack(false);
    tab.keep("tried", true);
  }
  state.delivery.attempt();
}

function allowBack(isAllowed) {
  const back = document.getElementById("back");
  if (back) back.hidden = !isAllowed;
}

/* A page that has no place for a code was opened before codes were needed; one that is a file of its
   own may be sent to anybody, who has reasons of their own. */
function wordOf(word) {
  if (word !== "wrong_code" || survey.codes) return word;
  return /^https?:/.test(survey.post) ? "not_sent" : "other_design";
}

function onNews(news) {
  const { seconds } = news;
  const word = wordOf(news.word);
  const button = document.getElementById("send");
  button.disabled = word === "sending";
  if (word === "sent" || word === "arrived") {
    state.delivery = null;
    finish(words[word]);
    watch?.start(THANKS_SECONDS, true);
    return;
  }
  say(fill(words[word], { seconds }), state.word === word);
  state.word = word;
  document.getElementById("problem").classList.toggle("waiting", word === "sending" || seconds !== null);
  if (word === "sending") return;
  const isFinal = ["closed", "other_design", "unfit"].includes(word);
  button.hidden = isFinal;
  if (word === "wrong_code") askCode();
  const isLost = ["closed", "other_design", "wrong_code"].includes(word);
  if (survey.saves) document.getElementById("save").hidden = isLost;
  state.isOutdated = word === "other_design";
}

/* The field for the code stands before the first question, and at the end if it was refused there. */
function showCodeCard(isAtEnd) {
  const card = document.getElementById("codecard");
  if (!card) return;
  if (isAtEnd) document.getElementById("problem").before(card);
  else form.prepend(card);
  card.hidden = !state.asksCode || (!isAtEnd && state.step > 0);
  document.getElementById("codeneeded").hidden = !state.asksCode;
}

/* Whether there is a code that was not refused; else that is said at its field. */
function checkCode() {
  if (!survey.codes || (state.code !== "" && state.code !== state.refused)) return true;
  show(document.getElementById("codeproblem"), state.code ? words.wrong_code : words.no_code, false);
  document.getElementById("code").focus();
  return false;
}

/* Ask whether the code is free, so that nobody answers in vain. A row that was on its way when the
   page was reloaded may have used its code: it is sent once more. */
async function tryCode() {
  const { code } = state;
  if (!survey.codes || code === "" || tab.kept.tried === true) return;
  if (!(await isCodeRefused(code)) || state.code !== code || state.delivery !== null) return;
  if (form.hidden) {
    if (!review.hidden) refuseCode();
    return;
  }
  state.refused = code;
  state.asksCode = true;
  document.getElementById("code").value = code;
  goTo(0);
  checkCode();
}

function refuseCode() {
  say(words.wrong_code);
  document.getElementById("problem").classList.remove("waiting");
  askCode();
}

/* Another code is another text to send, with the same id and row. */
function askCode() {
  state.delivery = null;
  state.code = "";
  tab.keep("tried", false);
  showLine();
  const card = document.getElementById("codecard");
  if (!card) return;
  state.asksCode = true;
  showCodeCard(true);
  show(document.getElementById("codeproblem"), "", false);
  const code = document.getElementById("code");
  code.value = "";
  code.focus();
}

function takeTypedCode(event) {
  state.code = event.target.value.trim();
  if (state.code !== state.refused) show(document.getElementById("codeproblem"), "", false);
  showLine();
}

/* The code that the address holds, which is taken out of it at once. */
function takeCode() {
  const given = location.hash.slice(1);
  if (given === "") return;
  try {
    history.replaceState(null, "", location.pathname + location.search);
    state.code = decodeURIComponent(given).trim();
  } catch {
    state.code = "";
  }
  state.asksCode = survey.codes && state.code === "";
  showCodeCard(!review.hidden);
  tryCode();
}

/* The items of a list, in an order that says nothing about any of them. */
function showItems(place, count) {
  state.orders[place] ??= shuffled(Array.from({ length: count }, (_, item) => item));
  const items = state.orders[place].map((item) => element("li", "", textOf(place, `i${item}`)));
  document.getElementById(`items${place}`).replaceChildren(...items);
  document.getElementById(`range${place}`).textContent = textOf(place, "range");
}

/* Draw the version of this respondent; false where the address names one that is not there. */
function drawArm() {
  const wanted = new URLSearchParams(location.search).get("arm") ?? device?.kept.arm ?? null;
  const place = armOf(survey.arms, wanted, keyedUniform(state.key, "arm"));
  if (place < 0) {
    const line = document.getElementById("noversion");
    line.textContent = fill(words.no_version, { arm: wanted });
    line.hidden = false;
    return false;
  }
  useArm(survey, place);
  return true;
}

/* The words of the respondent's version. */
function showArm() {
  const questions = survey.arms.members[survey.version].questions;
  questions.forEach((question, i) => {
    if (question === null) return;
    const how = document.getElementById(`how${i}`);
    how.textContent = textOf(i, "how");
    how.classList.toggle("bare", question.bare);
    if (question.items) showItems(i, question.items);
  });
  const isBare = questions.some((question) => question !== null && question.bare);
  document.getElementById("bare").hidden = !isBare;
}

/* Ask only the parts that are drawn for this respondent, in every wave the same ones; pages of before
   kept which they are. */
function drawAsked(ask) {
  const before = device?.kept.parts ?? null;
  const isKept = Array.isArray(before) && before.length === ask.count;
  const next = keyedUniform(state.key, `parts ${survey.arm ?? ""}`);
  const chosen = isKept ? before : askedParts(ask.parts.length, ask.count, next);
  ask.parts.forEach((part, place) => {
    if (chosen.includes(place)) return;
    for (const one of part) survey.questions[one].omitted = true;
  });
}

/* Draw what this respondent is asked; false where that cannot be. */
function drawQuestions() {
  state.key = keyOf(device, tab);
  state.orders = [];
  for (const question of survey.questions) question.omitted = false;
  if (survey.arms && !drawArm()) return false;
  const ask = survey.arms ? survey.arms.members[survey.version].ask : survey.ask;
  if (ask) drawAsked(ask);
  return true;
}

/* Say everything in one of the languages; which one it is stays in the page. */
function speak(chosen) {
  language = chosen;
  words = language.words;
  const root = document.documentElement;
  root.lang = language.code;
  root.dir = language.direction;
  document.title = language.said.title;
  for (const one of document.querySelectorAll("[data-text]")) {
    one.textContent = language.said[one.dataset.text];
  }
  /* Words that this language lacks are in another one, perhaps written the other way. */
  const own = '[data-text^="w."], [data-text="fallback"], .how, .range, .error, #progress, #outcome, #version';
  const isOther = language.words_code !== language.code;
  for (const one of document.querySelectorAll(own)) {
    if (isOther) {
      one.lang = language.words_code;
      /* The place of a button is that of the page. */
      if (one.tagName !== "BUTTON") one.dir = language.words_direction;
    } else {
      one.removeAttribute("lang");
      one.removeAttribute("dir");
    }
  }
  const chooser = document.getElementById("languages");
  chooser?.setAttribute("aria-label", language.said["w.language"]);
  for (const button of chooser?.children ?? []) {
    button.setAttribute("aria-pressed", String(button.value === language.code));
  }
  if (survey.arms && survey.version !== undefined) showArm();
  survey.questions.forEach((question, place) => complain(place, ""));
  showProgress();
}

/* The language that the browser prefers; a kiosk and a preview begin with the first one. */
function firstLanguage() {
  if (survey.kiosk || survey.preview) return survey.languages[0];
  for (const wanted of navigator.languages ?? []) {
    const found = survey.languages.find((one) => one.code === wanted);
    const near = survey.languages.find((one) => one.code.split("-")[0] === wanted.split("-")[0]);
    if (found ?? near) return found ?? near;
  }
  return survey.languages[0];
}

function nameLanguages() {
  for (const button of document.getElementById("languages")?.children ?? []) {
    const one = survey.languages.find((each) => each.code === button.value);
    try {
      button.textContent =
        one.name || new Intl.DisplayNames([one.code], { type: "language" }).of(one.code);
    } catch {
      button.textContent = one.code;
    }
    button.addEventListener("click", () => speak(one));
  }
}

/* Forget a person and begin with the next one. What somebody has sent and what has not arrived yet
   is still tried: it is what the collector may see anyway. */
function restart() {
  if (state.isOutdated) {
    location.reload();
    return;
  }
  forget();
  tab.forget();
  watch.rest();
  Object.assign(state, { text: "", id: "", delivery: null, asksCode: survey.codes, step: 0 });
  document.getElementById("outcome").textContent = "";
  allowBack(true);
  document.getElementById("send").hidden = false;
  document.getElementById("send").disabled = false;
  for (const one of document.querySelectorAll("details")) one.open = false;
  say("");
  drawQuestions();
  speak(survey.languages[0]);
  goTo(0);
}

let watch = null;

function startKiosk() {
  const line = document.getElementById("idle");
  watch = new Watch((seconds) => {
    show(line, seconds ? fill(words.idle, { seconds }) : "", seconds < WARNING_SECONDS);
  }, restart);
  document.getElementById("another").addEventListener("click", restart);
}

function listen() {
  form.addEventListener("submit", onSubmit);
  form.addEventListener("input", showProgress);
  form.addEventListener("change", (event) => {
    if (event.target.name === "") return;
    const place = Number(event.target.name.replace(/\D/g, ""));
    const sentence = checkAnswer(place, answerOf(place));
    if (sentence === "" || sentence !== words.unanswered) complain(place, sentence);
    showProgress();
  });
  document.getElementById("previous")?.addEventListener("click", () => goTo(state.step - 1));
  document.getElementById("back")?.addEventListener("click", () => turnTo(form));
  for (const name of ["save", "again"]) document.getElementById(name)?.addEventListener("click", save);
  document.getElementById("send")?.addEventListener("click", send);
  document.getElementById("code")?.addEventListener("input", takeTypedCode);
  document.getElementById("code")?.addEventListener("change", (event) => {
    takeTypedCode(event);
    if (review.hidden) tryCode();
  });
  window.addEventListener("hashchange", takeCode);
  /* A page that is left must not come back with the answers still in it. */
  window.addEventListener("pagehide", forget);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}

function begin() {
  if (!(window.crypto && crypto.getRandomValues)) return;
  takeCode();
  nameLanguages();
  language = firstLanguage();
  words = language.words;
  /* Whoever has sent or saved answers, or has seen the draw, is told before they answer again. */
  const over = { given: "already", shown: "seen" };
  const why = Object.keys(over).find((name) => tab.kept[name] === true);
  const isThere = why === undefined && drawQuestions();
  if (device) document.getElementById("nomemory").hidden = device.works;
  speak(language);
  document.getElementById("noscript").remove();
  if (why !== undefined) document.getElementById(over[why]).hidden = false;
  if (!isThere) return;
  listen();
  if (survey.kiosk) startKiosk();
  form.reset();
  showStep();
  showProgress();
  form.hidden = false;
}

begin();
