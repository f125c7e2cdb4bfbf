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
  survey.questions.forEach((question, i) => {
    const own = arm.questions[i];
    question.omitted = own === null;
    question.mechanism = own === null ? null : own.mechanism;
  });
  return arm;
}
