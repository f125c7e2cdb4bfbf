/* A whole number below a limit, all equally likely. */
function wholeBelow(limit, next) {
  let word = Math.floor(next() * 9007199254740992);
  while (word >= limit) word = Math.floor(next() * 9007199254740992);
  return word;
}

/* A point from the window around the true one, or from elsewhere. */
function windowReport(point, how, next) {
  const size = 2 * how.reach + 1;
  const border = how.inside * size;
  const word = wholeBelow(border + how.outside * (how.points - 1), next);
  if (word < border) return point - how.reach + Math.floor(word / how.inside);
  const report = Math.floor((word - border) / how.outside) - how.reach;
  return report >= point - how.reach ? report + size : report;
}

/* A discrete Laplace number of steps: its side, then the binary digits of how far it goes, which are
   independent of each other. Digits that are less likely than any uniform number are left out. */
function laplaceSteps(rate, next) {
  const isRight = next() < 1 / (1 + Math.exp(-rate));
  let far = 0;
  for (let digit = 1; digit * rate < 40; digit *= 2) {
    if (next() < 1 / (1 + Math.exp(digit * rate))) far += digit;
  }
  return isRight ? far : -1 - far;
}

/* The same where no report may leave the domain: points are offered until one is taken, each as
   often as its number of steps comes up. */
function laplaceInside(point, how, next) {
  for (;;) {
    const report = evenBelow(how.points, next);
    if (next() < Math.exp(-how.rate * Math.abs(report - point))) return report;
  }
}

/* One of two reports, the upper one the more often the higher the true point is. */
function upperOrLower(point, how, next) {
  return wholeBelow(how.every, next) < how.least + how.more * point ? how.upper : how.lower;
}

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

  steps: (answer, how, next) => {
    const point = roundEven(answer / how.step) - how.first;
    let report = how.stays ? laplaceInside(point, how, next) : point + laplaceSteps(how.rate, next);
    if (how.absorbs) report = Math.min(Math.max(report, 0), how.points - 1);
    return onGrid(how.first + report, how.step);
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
    return onGrid(windowReport(point, how, next) + how.first, how.step);
  },

  two_numbers: (answer, how, next) => {
    const point = roundEven(answer / how.step - how.first);
    return onGrid(upperOrLower(point, how, next) + how.first, how.step);
  },

  hybrid: (answer, how, next) => {
    const point = roundEven(answer / how.step - how.first);
    const near = wholeBelow(9007199254740992, next) < how.border;
    const report = near ? windowReport(point, how, next) : upperOrLower(point, how, next);
    return onGrid(report + how.first, how.step);
  },

  /* Places of a set, ascending. The others are drawn evenly among those that are not the true one
     (Floyd's algorithm): place i stands for answer i, or for the one after it from the true on. */
  subset: (answer, how, next) => {
    const isInside = next() < how.inside;
    const others = new Set();
    for (let top = how.count - how.size + (isInside ? 0 : -1); top < how.count - 1; top += 1) {
      const place = evenBelow(top + 1, next);
      others.add(others.has(place) ? top : place);
    }
    const named = [...others].map((place) => (place < answer ? place : place + 1));
    if (isInside) named.push(answer);
    return named.sort((one, other) => one - other);
  },

  oue: (answer, how, next) => {
    const named = [];
    for (let place = 0; place < how.count; place += 1) {
      if (next() < (place === answer ? 0.5 : how.other)) named.push(place);
    }
    return named;
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
