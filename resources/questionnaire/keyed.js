/* Random numbers that a secret key and a text give: the same for the same text, and for others as if
   drawn anew (HMAC-SHA-256 with a counter). Browsers have crypto.subtle only over https, so that it
   is worked out here. */

/* The first 32 bits of the fractional parts of roots of the first 64 primes, as SHA-256 is made. */
const PRIMES = [];
for (let one = 2; PRIMES.length < 64; one += 1) {
  if (PRIMES.every((prime) => one % prime !== 0)) PRIMES.push(one);
}

function rootBits(number, power) {
  /* The root as a whole number of 2^-32, exact: doubles are a few bits short of it. */
  const target = BigInt(number) << (32n * power);
  let root = BigInt(Math.floor(number ** (1 / Number(power)) * 2 ** 32));
  while (root ** power > target) root -= 1n;
  while ((root + 1n) ** power <= target) root += 1n;
  return Number(root & 0xffffffffn);
}

const ROUND_WORDS = PRIMES.map((prime) => rootBits(prime, 3n));
const FIRST_WORDS = PRIMES.slice(0, 8).map((prime) => rootBits(prime, 2n));

function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

function mixBlock(hash, view, start) {
  const words = new Int32Array(64);
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(start + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [words[i - 15], words[i - 2]];
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + high + ((e & f) ^ (~e & g)) + ROUND_WORDS[i] + words[i]) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}

function sha256(bytes) {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(8 * bytes.length));
  const hash = Int32Array.from(FIRST_WORDS, (word) => word | 0);
  for (let start = 0; start < padded.length; start += 64) mixBlock(hash, view, start);
  const found = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => found.setInt32(4 * i, word));
  return new Uint8Array(found.buffer);
}

/* HMAC with a key of hexadecimal digits, at most 64 bytes of it. */
function hmac(key, text) {
  const padded = new Uint8Array(64);
  padded.set(key.match(/../g).map((pair) => parseInt(pair, 16)));
  const inner = [...padded.map((byte) => byte ^ 0x36), ...new TextEncoder().encode(text)];
  const outer = [...padded.map((byte) => byte ^ 0x5c), ...sha256(Uint8Array.from(inner))];
  return sha256(Uint8Array.from(outer));
}

/* A source of uniform numbers with 53 bits each, as secureUniform gives them. */
function keyedUniform(key, text) {
  let block = null;
  let used = 0;
  return () => {
    if (used % 4 === 0) block = new DataView(hmac(key, `${used / 4} ${text}`).buffer);
    const start = 8 * (used % 4);
    used += 1;
    return ((block.getUint32(start) >>> 5) * 67108864 + (block.getUint32(start + 4) >>> 6)) / 9007199254740992;
  };
}

function freshKey() {
  return hexDigits(crypto.getRandomValues(new Uint8Array(32)));
}

function hexDigits(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/* What the report of a question hangs on: the arm, the question and its true answer. Answers with one
   coin belong together. Questions have their names, as their order may change between waves. */
function drawnFrom(survey, answers, name, isMeant) {
  const met = survey.questions
    .map((question, place) => [question.name, answers[place]])
    .filter((_, place) => isMeant(place))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([survey.arm ?? null, name, met]);
}

/* Dice that are thrown by a key and the true answers: the same answers are always sent in the same
   way, and other ones have throws of their own. Nothing but the key need be kept for that. */
function keyedDice(survey, key, answers) {
  const groupOf = (place) => survey.questions[place].mechanism?.group ?? null;
  return {
    questions: survey.questions.map((question, place) => {
      const group = groupOf(place);
      const isMeant = (other) => other === place || (group !== null && groupOf(other) === group);
      return new Dice(keyedUniform(key, drawnFrom(survey, answers, question.name, isMeant)));
    }),
    groups: Array.from({ length: survey.groups }, (_, group) =>
      keyedUniform(key, drawnFrom(survey, answers, group, (place) => groupOf(place) === group))(),
    ),
  };
}
