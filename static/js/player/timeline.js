/** The bottom of the player: transport, scrubber over the coloured phases, speed, level of detail. */

import { h, set, svg, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { speeds } from "#js/player/player.js";
import { stepText, track } from "#js/player/track.js";
import { levels } from "#js/trace/stops.js";

/** @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player */
/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {(element: Element, kind: string, run: (event: Event) => void) => void} Listen */

const LEGEND = ["forward", "backward", "grad", "memory", "memory-grads", "memory-optimizer"];

/** Icons in a 16 × 16 box. */
const icons = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  prev: "M11 3v10L4 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3v10l7-5z",
  last: "M3 3v10l7-5zM11 3h2v10h-2z",
};

/**
 * @param {Element} root
 * @param {{trace: Trace, player: Player, signal: AbortSignal}} context
 */
export function mount(root, { trace, player, signal }) {
  /** @type {Listen} */
  const listen = (element, kind, run) => element.addEventListener(kind, run, { signal });
  const parts = [transport(player, listen), track(trace, player, listen), status(player, listen)];
  root.replaceChildren(...parts.map((part) => part.element));
  return {
    /** @param {State} state */
    show: (state) => parts.forEach((part) => part.show(state)),
  };
}

/** @param {Player} player @param {Listen} listen */
export function transport(player, listen) {
  const button = (
    /** @type {"first" | "prev" | "play" | "next" | "last"} */ name,
    /** @type {() => void} */ run,
  ) => {
    const label = t(`player.${name}`);
    const element = h(
      "button",
      {
        type: "button",
        class: name === "play" ? "button primary" : "button",
        "data-testid": name,
        "aria-label": label,
        title: label,
      },
      icon(icons[name]),
    );
    listen(element, "click", run);
    return element;
  };
  const first = button("first", () => player.first());
  const prev = button("prev", () => player.prev());
  const play = button("play", () => player.toggle());
  const next = button("next", () => player.next());
  const last = button("last", () => player.last());
  const speed = choice(
    "speed",
    speeds.map((x) => [String(x), `${x}×`]),
    (x) => player.setSpeed(Number(x)),
    listen,
  );
  return {
    element: h("div", { class: "transport" }, first, prev, play, next, last, speed),
    show() {
      const label = t(player.playing ? "player.pause" : "player.play");
      set(play, "data-playing", player.playing ? "true" : null);
      set(play, "aria-label", label);
      set(play, "title", label);
      set(play.querySelector("path") ?? play, "d", player.playing ? icons.pause : icons.play);
      for (const element of [first, prev]) set(element, "data-idle", player.k < 0);
      for (const element of [next, last]) set(element, "data-idle", player.k >= player.length - 1);
      speed.value = String(player.speed);
    },
  };
}

/** @param {Player} player @param {Listen} listen @param {string[]} [meanings] of the colours */
export function status(player, listen, meanings = LEGEND) {
  const count = h("strong", { class: "count" });
  const level = choice(
    "level",
    levels.map((name) => [name, t(`level.${name}`)]),
    (name) => {
      player.setLevel(/** @type {import("#js/trace/stops.js").Level} */ (name));
    },
    listen,
  );
  const legend = meanings.map((name) =>
    h("span", { class: "legend-item", "data-meaning": name }, t(`timeline.${name}`)),
  );
  const note = h("span", { class: "level-note" });
  const label = h("label", { class: "level" }, h("span", null, t("timeline.level")), level);
  return {
    element: h("div", { class: "status" }, count, h("p", { class: "legend" }, legend), label, note),
    show() {
      write(count, stepText(player));
      level.value = player.level;
      write(note, t(`level.${player.level}.note`));
      set(label, "title", t(`level.${player.level}.note`));
    },
  };
}

/**
 * @param {string} name
 * @param {string[][]} options
 * @param {(value: string) => void} run
 * @param {Listen} listen
 */
function choice(name, options, run, listen) {
  const element = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { class: name, "data-testid": name, "aria-label": t(`timeline.${name}`) },
      options.map(([value, text]) => h("option", { value }, text)),
    )
  );
  listen(element, "change", () => run(element.value));
  return element;
}

/** @param {string} d */
const icon = (d) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d }));
