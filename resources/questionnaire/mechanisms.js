/* How a true answer becomes the one that is sent. One entry for each way of distorting; `next` gives
   uniform numbers of the question, `common` the first throw of the coin that a group shares. */

const MECHANISMS = {
  none: (answer) => answer,

  matrix: (answer, how, next) => pick(how.steps[answer], next()),

  coin: (answer, how, next, common) => {
    const coin = how.group === null ? next() : common[how.group];
    if (coin < how.theta) return answer;
    return pick(how.other[Math.min(answer, how.other.length - 1)], next());
  },

  additive: (answer, how, next) => {
    const origin = roundEven(answer / how.step);
    const first = how.truncate ? Math.ceil(how.low / how.step - 1e-9) - origin : -Infinity;
    const last = how.truncate ? Math.floor(how.high / how.step + 1e-9) - origin : Infinity;
    if (how.flat !== null) {
      const low = Math.max(first, -how.flat);
      const high = Math.min(last, how.flat);
      return onGrid(origin + low + Math.floor(next() * (high - low + 1)), how.step);
    }
    const unit = how.step / how.scale;
    const noise = noiseBetween(how.noise, (first - 0.5) * unit, (last + 0.5) * unit, next);
    const steps = Math.min(Math.max(roundEven(noise / unit), first), last);
    return onGrid(origin + steps, how.step);
  },

  multiplicative: (answer, how, next) => {
    const far = 1 / how.sigma;
    const factor =
      how.noise === "lognormal"
        ? Math.exp(how.sigma * standardNormal(next) - (how.sigma * how.sigma) / 2)
        : 1 + how.sigma * noiseBetween("normal", -far, far, next);
    return onGrid(roundEven((answer * factor) / how.step), how.step);
  },

  retention: (answer, how, next) => {
    const u = next();
    const kept = u < how.keep;
    const value = kept ? answer : quantile(how.cumulated, how.edges, (u - how.keep) / (1 - how.keep));
    const steps = onGrid(roundEven(value / how.step), how.step);
    return Math.min(Math.max(steps, how.low), how.high);
  },

  window: (answer, how, next) => {
    const point = roundEven(answer / how.step - how.first);
    const size = 2 * how.reach + 1;
    const border = how.inside * size;
    const used = border + how.outside * (how.points - 1);
    let word = Math.floor(next() * 9007199254740992);
    while (word >= used) word = Math.floor(next() * 9007199254740992);
    let report = point - how.reach + Math.floor(word / how.inside);
    if (word >= border) {
      report = Math.floor((word - border) / how.outside) - how.reach;
      if (report >= point - how.reach) report += size;
    }
    return onGrid(report + how.first, how.step);
  },

  discretise: (answer, how) => {
    let place = 0;
    while (place < how.edges.length - 2 && how.edges[place + 1] <= answer) place += 1;
    return place;
  },
};

/* Fresh dice for one person: one for every question, one throw for every group. */
function freshDice(survey, source = secureUniform) {
  return {
    questions: survey.questions.map(() => new Dice(source)),
    groups: Array.from({ length: survey.groups }, () => source()),
  };
}

/* A place among the published values, or a number; a skipped question stays skipped. */
function distortAnswer(survey, place, answer, dice) {
  if (answer === null) return null;
  const how = survey.questions[place].mechanism;
  return MECHANISMS[how.type](answer, how, dice.questions[place].reading(), dice.groups);
}

function distortAnswers(survey, answers, dice) {
  return answers.map((answer, place) => distortAnswer(survey, place, answer, dice));
}
