/* A page that many people use one after the other: it forgets each before the next one comes. */

const IDLE_SECONDS = 60;
const WARNING_SECONDS = 10;
const THANKS_SECONDS = 10;

/* Calls back after a time without a touch, and tells before how many seconds are left. */
class Watch {
  constructor(warn, finish) {
    this.warn = warn;
    this.finish = finish;
    this.timer = null;
    this.isHeld = false;
    for (const name of ["pointerdown", "pointermove", "keydown", "input", "wheel", "touchstart"]) {
      window.addEventListener(name, () => this.touch(), { passive: true, capture: true });
    }
  }

  touch() {
    if (!this.isHeld) this.start(IDLE_SECONDS);
  }

  /* Wait for the next touch. */
  rest() {
    clearTimeout(this.timer);
    this.isHeld = false;
    this.warn(0);
  }

  /* Wait so many seconds; those of a page that says thanks are not put off by a touch. */
  start(seconds, isHeld = false) {
    this.rest();
    this.isHeld = isHeld;
    this.count(seconds);
  }

  count(seconds) {
    if (seconds <= 0) {
      this.rest();
      this.finish();
      return;
    }
    if (!this.isHeld && seconds <= WARNING_SECONDS) this.warn(seconds);
    const step = this.isHeld || seconds <= WARNING_SECONDS ? 1 : seconds - WARNING_SECONDS;
    this.timer = setTimeout(() => this.count(seconds - step), 1000 * step);
  }
}
