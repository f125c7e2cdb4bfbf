/* SurveyJS: call ppworkbenchRandomise(survey) before the survey is shown. When it is completed, the
   answers are drawn and take the place of the true ones before any "complete" handler runs. */
function ppworkbenchRandomise(survey) {
  const refuse = () => {
    if (survey.partialSendEnabled) {
      throw new Error("partialSendEnabled would send true answers; switch it off.");
    }
  };
  refuse();
  let drawn = null;
  survey.onCompleting.add((sender, options) => {
    refuse();
    if (options && options.allow === false) return;
    const given = sender.data;
    if (drawn === null) {
      const answers = SURVEY.questions.map((question) => {
        const value = given[question.name];
        if (value === undefined || value === null || value === "") return null;
        return question.answers ? Number(value) - 1 : Number(value);
      });
      drawn = drawnCodes(SURVEY, answers, freshDice(SURVEY));
    }
    const sent = { };
    Object.keys(given).forEach((name) => {
      const own = SURVEY.questions.some((one) => name === one.name || name.startsWith(one.name + "-"));
      if (!own) sent[name] = given[name];
    });
    SURVEY.questions.forEach((question) => {
      if (drawn[question.name] !== "") sent[question.name] = drawn[question.name];
    });
    sender.data = sent;
  });
}
if (typeof window !== "undefined") window.ppworkbenchRandomise = ppworkbenchRandomise;
