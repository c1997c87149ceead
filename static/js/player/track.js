/**
 * The track of the timeline: the whole run with its loops folded by iteration, beneath it the iteration at
 * hand, opened. Each has a scrubber of its own.
 */

import { h, set, svg, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import {
  COLUMNS,
  deviceLanes,
  devicesHeight,
  lane,
  mark,
  memoryKinds,
  memoryLine,
  round,
  unitOf,
  WIDTH,
} from "#js/player/lanes.js";
import { devices } from "#js/trace/devices.js";
import { loops, roundAt } from "#js/trace/iterations.js";
import { countUpTo } from "#js/trace/stops.js";
import { gradWrites, phases } from "#js/trace/tracks.js";

/** @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player */
/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/iterations.js").Loop} Loop */
/** @typedef {import("#js/player/lanes.js").Part} Part */
/** @typedef {import("#js/player/lanes.js").Stretch} Stretch */
/** @typedef {(element: Element, kind: string, run: (event: Event) => void) => void} Listen */

const NEAR = 6; // pixels
const NEEDLE = { top: 2, height: 58, width: 3 };
const APART = 9; // marks of a loop that are closer than this stand in its open iteration only
const NARROW = 24; // iterations narrower than this have no phases; narrower than THIN, they are one band
const THIN = 4;

/**
 * Is a loop folded: are its marks too close to be told apart?
 * @param {Loop} loop
 * @param {number[]} marks
 * @param {number} unit
 */
function isDense({ from, to }, marks, unit) {
  const count = countUpTo(marks, to) - countUpTo(marks, from - 1);
  return (to - from + 1) * unit < count * APART;
}

/**
 * The stretches of the whole run: phases, and in folded loops iterations, or one band.
 * @param {Trace} trace
 * @param {Loop[]} folded
 * @returns {Stretch[]}
 */
export function stretchesOf(trace, folded) {
  const unit = WIDTH / Math.max(1, trace.rows.length);
  const bare = folded.filter(({ from, to, rounds }) => ((to - from + 1) * unit) / rounds.length < NARROW);
  /** @type {Stretch[]} */
  const found = [];
  let next = 0;
  const open = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (const part of phases(trace))
      if (part.to >= from && part.from <= to)
        found.push({ ...part, from: Math.max(from, part.from), to: Math.min(to, part.to) });
  };
  for (const { from, to, rounds } of bare) {
    if (next < from) open(next, from - 1);
    const isThin = ((to - from + 1) * unit) / rounds.length < THIN;
    for (const part of isThin ? [{ from, to }] : rounds) found.push({ ...part, phase: "iteration" });
    next = to + 1;
  }
  if (next < trace.rows.length) open(next, trace.rows.length - 1);
  return found;
}

/**
 * How many columns memory is drawn in: where iterations are narrow, none is narrower than one of them, and
 * each shows the most that an iteration holds.
 * @param {Trace} trace
 * @param {Loop[]} folded
 */
function columnsOf({ rows }, folded) {
  const lengths = folded.map(({ from, to, rounds }) => (to - from + 1) / rounds.length);
  const longest = Math.ceil(Math.max(0, ...lengths));
  return longest > 0 && longest * WIDTH < NARROW * rows.length ? Math.floor(rows.length / longest) : COLUMNS;
}

/** A canvas of lanes. @param {string} name @param {number} height @param {any[]} children */
const canvas = (name, height, ...children) =>
  svg(
    "svg",
    { class: name, viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...children,
  );

const makeNeedle = () =>
  svg("rect", { class: "needle", y: NEEDLE.top, width: NEEDLE.width, height: NEEDLE.height });

/** @param {string} id @param {number} max @param {string} label */
const makeScrubber = (id, max, label) =>
  /** @type {HTMLInputElement} */ (
    h("input", {
      ...{ type: "range", class: "scrubber", "data-testid": id, min: 0, max, step: 1, value: 0 },
      "aria-label": label,
    })
  );

/**
 * Lanes over a part of the run: what lies before row k is filled.
 * @param {Stretch[]} stretches
 * @param {Part} part
 */
function makePhases(stretches, part) {
  const done = stretches.map((stretch) => lane(stretch, part, "done"));
  const needle = makeNeedle();
  return {
    below: [stretches.map((stretch) => lane(stretch, part, "phase")), done],
    needle,
    /** @param {number} k */
    show(k) {
      const unit = unitOf(part);
      set(needle, "x", round((k + 1 - part.from) * unit - NEEDLE.width / 2));
      stretches.forEach(({ from, to }, i) => {
        const rows = Math.max(0, Math.min(to, part.to, k) - Math.max(from, part.from) + 1);
        set(done[i], "width", round(rows * unit));
      });
    },
  };
}

/** @param {Trace} trace @param {Player} player @param {Listen} listen */
export function track(trace, player, listen) {
  const whole = { from: 0, to: Math.max(0, player.length - 1) };
  const marks = gradWrites(trace).map(({ k }) => k);
  const folded = loops(trace).filter((loop) => isDense(loop, marks, unitOf(whole)));
  const shown = marks.filter((k) => !folded.some(({ from, to }) => from <= k && k <= to));
  const lanes = makePhases(stretchesOf(trace, folded), whole);
  const columns = columnsOf(trace, folded);
  const held = svg("g", { class: "held-kinds" }, memoryKinds(trace, whole, columns));
  const drawn = canvas(
    "lanes",
    60,
    ...lanes.below,
    held,
    memoryLine(trace, whole, columns),
    shown.map((k) => mark(k, whole)),
    lanes.needle,
  );
  const scrubber = makeScrubber("scrubber", player.length, t("timeline.scrubber"));
  scrub(scrubber, drawn, { marked: shown, player, listen });
  const names = folded.map((loop) => loopName(loop, unitOf(whole)));
  const opened = folded.length > 0 ? openIteration(trace, folded, { marks, player, listen }) : null;
  const workers = deviceRows(trace, whole);
  return {
    element: h(
      "div",
      { class: "tracks" },
      h("div", { class: "track" }, drawn, scrubber, names),
      opened?.element,
      workers,
    ),
    /** @param {State} state */
    show({ k }) {
      scrubber.value = String(k + 1);
      set(scrubber, "aria-valuetext", stepText(player));
      lanes.show(k);
      opened?.show(k);
    },
  };
}

/** What stands over a folded loop. @param {Loop} loop @param {number} unit */
function loopName({ from, rounds, line }, unit) {
  const text = t("timeline.loop", { count: rounds.length, line });
  return h("span", { class: "loop-name", style: `left: ${round((from * unit) / 10)}%` }, text);
}

/** The lanes of devices, with names; nothing on the CPU alone. @param {Trace} trace @param {Part} part */
function deviceRows(trace, part) {
  const { devices: all } = devices(trace);
  if (all.length === 0) return null;
  const name = (/** @type {{name: string}} */ device) =>
    h("span", null, device.name === "cpu" ? "cpu" : t("timeline.simulated", { device: device.name }));
  const drawn = canvas("device-lanes", devicesHeight(all.length), deviceLanes(trace, part));
  return h(
    "div",
    {
      ...{ class: "device-rows", "data-testid": "devices", title: t("timeline.devices") },
      style: `--devices: ${all.length}`,
    },
    h("div", { class: "device-names" }, all.map(name)),
    drawn,
  );
}

/**
 * The iteration at hand, over the whole width.
 * @param {Trace} trace
 * @param {Loop[]} folded
 * @param {{marks: number[], player: Player, listen: Listen}} context
 */
function openIteration(trace, folded, { marks, player, listen }) {
  const label = h("span", { class: "open-name" });
  const place = h("div", { class: "open-lanes" });
  const scrubber = makeScrubber("scrubber-iteration", 1, t("timeline.iteration.scrubber"));
  const element = h("div", { class: "track open", "data-testid": "iteration" }, place, scrubber, label);
  /** @type {{part: Part, lanes: ReturnType<typeof makePhases>} | null} */
  let now = null;
  let begins = -1;
  const go = () => {
    if (!now) return;
    const wanted = nearest(player.stops, now.part.from + Number(scrubber.value) - 1);
    player.seek(wanted ?? now.part.from);
  };
  for (const kind of ["input", "change"]) listen(scrubber, kind, go);

  /** @param {Part} part */
  function open(part) {
    const within = phases(trace).filter(({ from, to }) => to >= part.from && from <= part.to);
    const lanes = makePhases(within, part);
    const inside = marks.slice(countUpTo(marks, part.from - 1), countUpTo(marks, part.to));
    const shapes = [...lanes.below, memoryLine(trace, part), inside.map((k) => mark(k, part)), lanes.needle];
    place.replaceChildren(canvas("lanes", 60, ...shapes));
    set(scrubber, "max", part.to - part.from + 1);
    return { part, lanes };
  }
  return {
    element,
    /** @param {number} k */
    show(k) {
      const here = roundAt(trace, k);
      const loop = here && folded.includes(here.loop) ? here.loop : null;
      const part = loop?.rounds[here?.i ?? 0] ?? null;
      set(element, "data-idle", part === null);
      set(scrubber, "disabled", part === null);
      if (part?.from !== begins) now = part && open(part);
      if (!part) place.replaceChildren();
      begins = part?.from ?? -1;
      write(
        label,
        loop
          ? t("timeline.iteration", { i: (here?.i ?? 0) + 1, count: loop.rounds.length })
          : t("timeline.closed"),
      );
      if (!part) return;
      now?.lanes.show(k);
      scrubber.value = String(k + 1 - part.from);
      set(scrubber, "aria-valuetext", label.textContent);
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

/** @param {Player} player */
export const stepText = (player) => t("timeline.step", { step: player.position, steps: player.stops.length });
