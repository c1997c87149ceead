/** The bottom of the player: transport, scrubber over the coloured phases, speed, level of detail. */

import { h, set, svg, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { speeds } from "#js/player/player.js";
import { memory } from "#js/trace/memory.js";
import { countUpTo, levels } from "#js/trace/stops.js";
import { gradWrites, phases } from "#js/trace/tracks.js";

/** @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player */
/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {(element: Element, kind: string, run: (event: Event) => void) => void} Listen */

const WIDTH = 1000;
const LANE = { top: 14, height: 12 };
const MARK = { top: 10, height: 20, width: 5 };
const MEMORY = { top: 36, bottom: 58 };
const NEAR = 6; // pixels
const NEEDLE = { top: 2, height: 58, width: 3 };

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
function transport(player, listen) {
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

/** @param {Trace} trace @param {Player} player @param {Listen} listen */
function track(trace, player, listen) {
  const unit = WIDTH / Math.max(1, player.length);
  const stretches = phases(trace);
  const marked = gradWrites(trace).map(({ k }) => k);
  const done = stretches.map((part) =>
    svg("rect", { class: "done", "data-phase": part.phase, ...lane(part, unit) }),
  );
  const needle = svg("rect", { class: "needle", y: NEEDLE.top, width: NEEDLE.width, height: NEEDLE.height });
  const lanes = svg(
    "svg",
    {
      class: "lanes",
      viewBox: `0 0 ${WIDTH} 60`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    stretches.map((part) => svg("rect", { class: "phase", "data-phase": part.phase, ...lane(part, unit) })),
    done,
    memoryPath(memory(trace).map(({ graph }) => graph), unit),
    marked.map((k) => mark(k, unit)),
    needle,
  );
  const scrubber = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "range",
      class: "scrubber",
      "data-testid": "scrubber",
      min: 0,
      max: player.length,
      step: 1,
      value: 0,
      "aria-label": t("timeline.scrubber"),
    })
  );
  scrub(scrubber, lanes, { marked, player, listen });
  return {
    element: h("div", { class: "track" }, lanes, scrubber),
    /** @param {State} state */
    show({ k }) {
      scrubber.value = String(k + 1);
      set(scrubber, "aria-valuetext", stepText(player));
      set(needle, "x", round((k + 1) * unit - NEEDLE.width / 2));
      stretches.forEach(({ from, to }, i) => {
        const rows = Math.max(0, Math.min(to, k) - from + 1);
        set(done[i], "width", round(rows * unit));
      });
    },
  };
}

/**
 * Move over the stops of the level. A press within a few pixels of a mark goes to the row of the mark.
 * @param {HTMLInputElement} scrubber
 * @param {Element} lanes
 * @param {{marked: number[], player: Player, listen: Listen}} context
 */
function scrub(scrubber, lanes, { marked, player, listen }) {
  /** @type {{x: number, k: number} | null} */
  let pressed = null;
  const go = (/** @type {number} */ k) => {
    player.seek(k);
    scrubber.value = String(player.k + 1);
  };
  listen(scrubber, "pointerdown", (event) => {
    const x = /** @type {PointerEvent} */ (event).clientX;
    const { left, width } = lanes.getBoundingClientRect();
    const k = nearest(marked, ((x - left) / width) * player.length - 1);
    const isNear = k !== null && Math.abs(left + ((k + 1) / player.length) * width - x) <= NEAR;
    pressed = isNear ? { x, k } : null;
    if (isNear) go(k);
  });
  listen(scrubber, "pointermove", (event) => {
    if (pressed && Math.abs(/** @type {PointerEvent} */ (event).clientX - pressed.x) > NEAR) pressed = null;
  });
  const follow = () => go(pressed?.k ?? nearest([-1, ...player.stops], Number(scrubber.value) - 1) ?? -1);
  for (const kind of ["input", "change"]) listen(scrubber, kind, follow);
  listen(scrubber, "keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    const move = { ArrowUp: "next", ArrowDown: "prev", PageUp: "nextNode", PageDown: "prevNode" }[key];
    pressed = null;
    if (!move) return;
    event.preventDefault();
    player[/** @type {"next" | "prev" | "nextNode" | "prevNode"} */ (move)]();
  });
}

/** The closest of sorted positions, or null if there is none. @param {number[]} sorted @param {number} k */
function nearest(sorted, k) {
  const upTo = countUpTo(sorted, k);
  const [low, high] = [sorted[upTo - 1], sorted[upTo]];
  if (low === undefined || high === undefined) return low ?? high ?? null;
  return k - low <= high - k ? low : high;
}

/** @param {Player} player @param {Listen} listen */
function status(player, listen) {
  const count = h("strong", { class: "count" });
  const level = choice(
    "level",
    levels.map((name) => [name, t(`level.${name}`)]),
    (name) => {
      player.setLevel(/** @type {import("#js/trace/stops.js").Level} */ (name));
    },
    listen,
  );
  const legend = ["forward", "backward", "grad", "memory"].map((name) =>
    h("span", { class: "legend-item", "data-meaning": name }, t(`timeline.${name}`)),
  );
  return {
    element: h(
      "div",
      { class: "status" },
      count,
      h("p", { class: "legend" }, legend),
      h("label", { class: "level" }, h("span", null, t("timeline.level")), level),
    ),
    show() {
      write(count, stepText(player));
      level.value = player.level;
    },
  };
}

/** @param {Player} player */
const stepText = (player) => t("timeline.step", { step: player.position, steps: player.stops.length });

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

/** @param {{from: number, to: number}} part @param {number} unit */
const lane = ({ from, to }, unit) => ({
  x: round(from * unit),
  y: LANE.top,
  width: round((to - from + 1) * unit),
  height: LANE.height,
  rx: 2,
});

/** @param {number} k @param {number} unit */
const mark = (k, unit) =>
  svg("rect", {
    class: "mark",
    "data-row": k + 1,
    x: round((k + 1) * unit - MARK.width / 2),
    y: MARK.top,
    width: MARK.width,
    height: MARK.height,
  });

/**
 * A line of steps: bytes held for backward. Nothing where nothing was ever held.
 * @param {number[]} bytes
 * @param {number} unit
 */
function memoryPath(bytes, unit) {
  const most = bytes.reduce((high, x) => Math.max(high, x), 0);
  if (most === 0) return null;
  const y = (/** @type {number} */ x) => round(MEMORY.bottom - (x / most) * (MEMORY.bottom - MEMORY.top));
  let d = `M0 ${MEMORY.bottom}`;
  bytes.forEach((x, k) => {
    if (x !== (bytes[k - 1] ?? 0)) d += `H${round((k + 1) * unit)}V${y(x)}`;
  });
  return svg("path", {
    class: "memory",
    d: `${d}H${WIDTH}`,
    fill: "none",
    "vector-effect": "non-scaling-stroke",
  });
}

/** @param {number} x */
const round = (x) => Math.round(x * 100) / 100;
