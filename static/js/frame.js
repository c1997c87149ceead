/** Work that is best done when the browser is about to draw. */

/**
 * Return a function that has `run` called in the next frame, however often it is called until then. What
 * asks where elements stand belongs there: between changes it makes the browser lay the page out once more.
 * @param {() => void} run
 * @param {AbortSignal} [signal] ends it
 */
export function oncePerFrame(run, signal) {
  let frame = 0;
  signal?.addEventListener("abort", () => cancelAnimationFrame(frame), { once: true });
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      run();
    });
  };
}
