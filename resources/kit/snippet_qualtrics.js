/* Qualtrics: this text is the JavaScript of the text question "questions". Only drawn codes are
   written, into fields that the survey flow declares as __js_NAME. */
Qualtrics.SurveyEngine.addOnReady(function () {
  const question = this;
  const container = question.getQuestionContainer();
  const piped = "PIPED_LANGUAGE";
  const language = piped.indexOf("://") >= 0 ? "" : piped;
  const frame = document.createElement("div");
  container.appendChild(frame);
  /* Going back and forth does not draw again. */
  if (window.ppworkbenchDrawn === SURVEY.digest) {
    frame.textContent = wordsOf(SURVEY, language).words.answered;
    return;
  }
  question.hideNextButton();
  const places = SURVEY.questions.map(() => frame.appendChild(document.createElement("div")));
  askInPage(SURVEY, language, places, (codes) => {
    window.ppworkbenchDrawn = SURVEY.digest;
    const stored = Object.keys(codes).map((name) =>
      Qualtrics.SurveyEngine.setJSEmbeddedData(name, String(codes[name])));
    Promise.all(stored).then(() => {
      question.showNextButton();
      question.clickNextButton();
    });
  });
});
