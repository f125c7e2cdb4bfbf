"use strict";
/* Random numbers of the browser's secure generator, and the draws that are made of them. */

/* A number in [0, 1) with 53 random bits: every double of that grid is equally likely. */
function secureUniform() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return ((words[0] >>> 5) * 67108864 + (words[1] >>> 6)) / 9007199254740992;
}

/* Dice that are thrown once. Every reading starts with the first throw, so that changing an answer
   back and forth does not throw again until a welcome result comes. */
class Dice {
  constructor(source = secureUniform) {
    this.source = source;
    this.thrown = [];
  }

  reading() {
    let place = 0;
    return () => {
      if (place === this.thrown.length) this.thrown.push(this.source());
      place += 1;
      return this.thrown[place - 1];
    };
  }
}

/* The first value whose cumulated probability lies above a uniform number. */
function pick(steps, u) {
  let value = 0;
  while (steps[value] <= u) value += 1;
  return value;
}

/* A whole number from 0 to below a count, all equally likely: words are left out that would favour
   the first ones. */
function evenBelow(count, next) {
  const words = 9007199254740992;
  const limit = words - (words % count);
  let word = Math.floor(next() * words);
  while (word >= limit) word = Math.floor(next() * words);
  return word % count;
}

/* Rounding with ties to the even number, as the workbench rounds. */
function roundEven(x) {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest !== 0.5) return rest < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}

/* steps * step, with the shortest decimal form where the step is 0.1, 0.01, ... */
function onGrid(steps, step) {
  const parts = Math.round(1 / step);
  const value = step < 1 && Math.abs(parts * step - 1) < 1e-12 ? steps / parts : steps * step;
  return value === 0 ? 0 : value;
}

function standardNormal(next) {
  const radius = Math.sqrt(-2 * Math.log1p(-next()));
  return radius * Math.cos(2 * Math.PI * next());
}

function standardLaplace(next) {
  const centred = next() + 2 ** -54 - 0.5;
  return -Math.sign(centred) * Math.log1p(-2 * Math.abs(centred));
}

const NOISES = {
  uniform: { draw: (next) => 2 * next() - 1, density: (y) => (Math.abs(y) <= 1 ? 1 : 0) },
  normal: { draw: standardNormal, density: (y) => Math.exp(-0.5 * y * y) },
  laplace: { draw: standardLaplace, density: (y) => Math.exp(-Math.abs(y)) },
};

/* Noise of scale 1 between two bounds around or beside 0, as drawing until it fits would give.
   Where the bounds are narrow, points between them are offered instead of draws of the noise: the
   result is distributed the same, and does not keep the browser waiting. */
function noiseBetween(name, low, high, next) {
  const noise = NOISES[name];
  const narrow = high - low < 2;
  for (;;) {
    const y = narrow ? low + (high - low) * next() : noise.draw(next);
    if (narrow ? next() < noise.density(y) : low <= y && y <= high) return y;
  }
}

/* Where a cumulated distribution over slices reaches a share: the inverse of straight pieces. */
function quantile(cumulated, edges, share) {
  let slice = 0;
  while (slice < edges.length - 2 && cumulated[slice + 1] <= share) slice += 1;
  const mass = cumulated[slice + 1] - cumulated[slice];
  const part = mass > 0 ? (share - cumulated[slice]) / mass : 0;
  return edges[slice] + part * (edges[slice + 1] - edges[slice]);
}
