/* Sending the drawn row: what has not arrived is kept and sent again, always the same. */

const LONGEST_WAIT = 30;
const PATIENCE = 20000;

/* By this a row is known that arrives twice. Browsers have crypto.randomUUID only over https. */
function freshId() {
  return hexDigits(crypto.getRandomValues(new Uint8Array(16)));
}

/* The one text that leaves the page: the row, its id, and of which design it is. It is a line, so
   that a server need only append it to a file. */
function envelope(digest, id, code, row) {
  const names = ["id", "design"];
  const values = [id, digest];
  if (code) {
    names.push("token");
    values.push(code);
  }
  const pairs = names.map((name, i) => `${JSON.stringify(name)}: ${JSON.stringify(values[i])}`);
  return `{${pairs.join(", ")}, "row": ${row.trim()}}\n`;
}

/* One try: the status, 0 where nobody answers in time, and after how many seconds to come back. */
async function postOnce(address, body, type) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  try {
    const reply = await fetch(address, {
      method: "POST",
      body,
      headers: { "Content-Type": type },
      mode: "cors",
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: patience.signal,
    });
    const wait = Number(reply.headers.get("Retry-After"));
    const why = reply.status === 409 ? await reply.text() : "";
    return { status: reply.status, wait: wait > 0 ? wait : 0, why };
  } catch {
    return { status: 0, wait: 0, why: "" };
  } finally {
    clearTimeout(timer);
  }
}

/* Whether a code is unknown or has been used; false where nobody answers that now. */
async function isCodeRefused(code) {
  const { status } = await postOnce("code", JSON.stringify({ token: code }), "application/json");
  return status === 403;
}

/* What a status means: the name of a sentence, and whether trying again can help. */
function meaningOf({ status, wait, why }) {
  if (status >= 200 && status < 300) return { word: "sent", again: false };
  if (status === 0) return { word: "again_soon", again: true };
  if (status === 503 && wait > 0) return { word: "again_paused", again: true };
  if (status === 429 || status >= 500) return { word: "again_busy", again: true };
  if (status === 409 && why === "id") return { word: "arrived", again: false };
  const words = { 403: "wrong_code", 409: "other_design", 410: "closed" };
  if (status === 413 || status === 415 || status === 422) return { word: "unfit", again: false };
  return { word: words[status] ?? "not_sent", again: false };
}

/* Sends one body until it has arrived or is refused. The listener hears { word, seconds }: the name
   of the sentence to say, and in how many seconds the next try is, null where there is none. A body
   without an id is not sent again by itself: nobody could tell whether it has arrived twice. */
class Delivery {
  constructor(address, body, listener, repeats = true) {
    this.address = address;
    this.body = body;
    this.listener = listener;
    this.repeats = repeats;
    this.wait = 1;
    this.timer = null;
    this.isTrying = false;
    this.isStopped = false;
    this.onOnline = () => this.attempt();
  }

  async attempt() {
    if (this.isTrying) return;
    this.isTrying = true;
    this.rest();
    this.listener({ word: "sending", seconds: null });
    /* A plain text needs no permission in advance from a server at another address. */
    const isForeign = /^https?:/.test(this.address);
    const type = isForeign ? "text/plain;charset=UTF-8" : "application/json";
    const reply = await postOnce(this.address, this.body, type);
    this.isTrying = false;
    if (this.isStopped) return;
    const { word, again } = meaningOf(reply);
    if (again && !this.repeats) {
      this.listener({ word: "not_sent", seconds: null });
      return;
    }
    if (!again) {
      this.listener({ word, seconds: null });
      return;
    }
    this.count(word, Math.ceil(Math.max(this.wait, reply.wait)));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    if (reply.status === 0) window.addEventListener("online", this.onOnline, { once: true });
  }

  /* Say every second how long it takes until the next try. */
  count(word, seconds) {
    if (seconds <= 0) {
      this.attempt();
      return;
    }
    this.listener({ word, seconds });
    this.timer = setTimeout(() => this.count(word, seconds - 1), 1000);
  }

  stop() {
    this.isStopped = true;
    this.rest();
  }

  rest() {
    clearTimeout(this.timer);
    window.removeEventListener("online", this.onOnline);
  }
}
