/** One motion after another on a clock: t runs from 0 to 1, then a pause to read. Knows no rows. */

/** @typedef {{now(): number, request(frame: () => void): number, cancel(id: number): void}} Clock */

/** The browser's frames. @type {Clock} */
export const frames = {
  now: () => performance.now(),
  request: (frame) => requestAnimationFrame(frame),
  cancel: (id) => cancelAnimationFrame(id),
};

/**
 * @param {Clock} clock
 * @param {(t: number) => void} paint
 */
export function createMotion(clock, paint) {
  /** @type {{began: number, moving: number, whole: number, rate: () => number, done: () => void} | null} */
  let under = null;
  let frame = 0;

  function tick() {
    if (!under) return;
    const { began, moving, whole, rate, done } = under;
    const passed = (clock.now() - began) * rate();
    paint(moving > 0 ? Math.min(1, passed / moving) : 1);
    if (passed < whole) {
      frame = clock.request(tick);
      return;
    }
    under = null;
    done();
  }

  return {
    isUnderWay: () => under !== null,
    /**
     * Move for `moving` milliseconds, wait for `pause` more, then call `done`; every frame asks for `rate`.
     * @param {number} moving
     * @param {number} pause
     * @param {() => number} rate
     * @param {() => void} done
     */
    start(moving, pause, rate, done) {
      under = { began: clock.now(), moving, whole: moving + pause, rate, done };
      tick();
    },
    /** End the motion under way where it would have ended; `done` is not called. */
    settle() {
      if (!under) return;
      clock.cancel(frame);
      under = null;
      paint(1);
    },
    /** Forget the motion under way. */
    stop() {
      clock.cancel(frame);
      under = null;
    },
  };
}
