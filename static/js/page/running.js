/** A run under way: after half a second how long it has taken, of how long at most, and a way to stop it. */

import { h, set, write } from "#js/dom.js";
import { t } from "#js/i18n.js";

const PATIENCE = 500; // milliseconds before a run is called slow
const OFTEN = 100; // milliseconds between two looks at the clock

/**
 * Mount the bar; nothing is seen of it until a run is slow.
 * @param {Element} place
 * @param {number} most seconds after which the server ends a run; waiting for a free place comes before
 * @returns {{watch(signal: AbortSignal, stop: () => void): () => void}} `watch` returns what ends the bar
 */
export function mountRunning(place, most) {
  const text = h("p", { class: "running-text", role: "status" });
  const clock = h("span", { class: "running-clock", "aria-hidden": "true" });
  const bar = h("progress", { max: most, "aria-label": t("run.running") });
  const button = h(
    "button",
    { class: "button small", type: "button", "data-testid": "stop", title: t("run.stopHow") },
    t("run.stop"),
    h("kbd", { "aria-hidden": "true" }, "Esc"),
  );
  place.replaceChildren(h("div", { class: "running-words" }, text, clock, button), bar);
  set(place, "hidden", true);

  /** @param {number} seconds */
  function show(seconds) {
    const late = seconds > most;
    write(text, t(late ? "run.waiting" : "run.running"));
    write(clock, t("run.clock", { seconds: seconds.toFixed(1), most }));
    if (late) set(bar, "value", null);
    else set(bar, "value", Math.round(seconds * 100) / 100);
    set(place, "hidden", null);
  }
  return {
    watch(signal, stop) {
      const began = performance.now();
      const ending = new AbortController();
      const look = () => show((performance.now() - began) / 1000);
      let timer = setTimeout(() => {
        look();
        timer = setInterval(look, OFTEN);
      }, PATIENCE);
      button.addEventListener("click", stop, { signal: ending.signal });
      addEventListener(
        "keydown",
        (event) => {
          if (event.key !== "Escape" || event.defaultPrevented || place.hasAttribute("hidden")) return;
          event.preventDefault();
          stop();
        },
        { signal: ending.signal },
      );
      const end = () => {
        ending.abort();
        clearTimeout(timer);
        set(place, "hidden", true);
      };
      signal.addEventListener("abort", end, { once: true });
      return end;
    },
  };
}
