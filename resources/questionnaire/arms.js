/* Arms: versions of the questionnaire, of which every respondent gets one. */

/* The place of a respondent's arm: the one that the address names, or one drawn by the shares; -1
   where the address names an arm that is not there. */
function armOf(arms, wanted, source = secureUniform) {
  if (wanted !== null) return arms.members.findIndex((arm) => arm.name === wanted);
  let left = source() * arms.members.reduce((sum, arm) => sum + arm.share, 0);
  const found = arms.members.findIndex((arm) => (left -= arm.share) < 0);
  return found < 0 ? arms.members.length - 1 : found;
}

/* Ask and randomise as one arm does. */
function useArm(survey, place) {
  const arm = survey.arms.members[place];
  survey.arm = arm.name;
  survey.version = place;
  survey.questions.forEach((question, i) => {
    const own = arm.questions[i];
    question.omitted = own === null;
    question.mechanism = own === null ? null : own.mechanism;
    if (own !== null && own.items) question.domain = own.domain;
  });
  return arm;
}

/* The same things in a random order, all orders equally likely. */
function shuffled(things, source = secureUniform) {
  const found = [...things];
  for (let i = found.length - 1; i > 0; i -= 1) {
    const j = Math.floor(source() * (i + 1));
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found;
}
