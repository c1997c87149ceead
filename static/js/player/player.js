/** Where the reader is in the run, and the clock that moves them on. Knows states and rows, no elements. */

import { history } from "#js/trace/history.js";
import { createMotion, frames } from "#js/player/motion.js";
import { backwardStops, countUpTo, nodeStops, stops, subject } from "#js/trace/stops.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/stops.js").Level} Level */
/** @typedef {{k: number, row: Row | null, moved: 1 | 0 | -1, playing: boolean}} Change */
/** @typedef {(state: State, change: Change) => void} Listener */
/** @typedef {(row: Row, t: number) => void} Painter */
/** @typedef {import("#js/player/motion.js").Clock} Clock */

export const speeds = [0.25, 0.5, 1, 2, 4, 8];

/** Milliseconds that a step's motion takes at speed 1, then the pause that lets it be read. */
const MOTION = { edge_flowed: 900, grad_summed: 600, grad_accumulated: 600, node_ran: 600 };
const OTHER_MOTION = 350;
const PAUSE = 650;
const QUICK = 2; // a single step moves this much faster than playing does

/**
 * Make the player of one trace. It stands before the first row.
 * @param {Trace} trace
 * @param {{level?: Level, speed?: number, clock?: Clock, still?: () => boolean,
 *   signal?: AbortSignal}} [options]
 *   `still`: is motion unwanted (prefers-reduced-motion)? `signal` ends the player.
 */
export function createPlayer(trace, options = {}) {
  return new Player(trace, options);
}

class Player {
  #history;
  #motion;
  #clock;
  #still;
  /** @type {Set<Listener>} */ #listeners = new Set();
  /** @type {Set<Painter>} */ #painters = new Set();
  /** @type {State | null} */ #state = null;
  #k = -1;
  /** @type {Level} */ #level;
  #speed;
  #playing = false;
  #frame = 0;
  #told = -1;

  /** @param {Trace} trace @param {NonNullable<Parameters<typeof createPlayer>[1]>} options */
  constructor(trace, { level = "chain", speed = 1, clock = frames, still = () => false, signal }) {
    this.trace = trace;
    this.#history = history(trace);
    this.#motion = createMotion(clock, (t) => this.#paint(t));
    this.#clock = clock;
    this.#still = still;
    this.#level = level;
    this.#speed = speed;
    signal?.addEventListener("abort", () => this.#end(), { once: true });
  }

  get k() {
    return this.#k;
  }
  get length() {
    return this.#history.length;
  }
  get level() {
    return this.#level;
  }
  get playing() {
    return this.#playing;
  }
  get speed() {
    return this.#speed;
  }
  get stops() {
    return stops(this.trace, this.#level);
  }
  /** How many stops of the level have been passed: the 14 of "Step 14 / 22". */
  get position() {
    return countUpTo(this.stops, this.#k);
  }
  get state() {
    if (this.#state?.k !== this.#k) this.#state = this.#history.at(this.#k);
    return this.#state;
  }

  /** The state one row before. */
  get stateBefore() {
    return this.#history.at(this.#k - 1);
  }

  /**
   * Hear of every change; return the function that ends it.
   * @param {Listener} listener
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Hear of every frame of motion: the row that moves and t in [0, 1].
   * @param {Painter} painter
   */
  onDraw(painter) {
    this.#painters.add(painter);
    return () => this.#painters.delete(painter);
  }

  /**
   * Go to row k. Many calls within one frame are one change.
   * @param {number} k
   */
  seek(k) {
    const wasPlaying = this.#halt();
    const wanted = Math.max(-1, Math.min(Math.round(k), this.length - 1));
    if (wanted === this.#k && !wasPlaying) return;
    this.#k = wanted;
    if (this.#frame !== 0) return;
    this.#tell(0);
    this.#frame = this.#clock.request(() => {
      this.#frame = 0;
      if (this.#told !== this.#k) this.#tell(0);
    });
  }
  first() {
    this.#stepTo(-1);
  }
  last() {
    this.#stepTo(this.length - 1);
  }
  next() {
    this.#stepTo(after(this.stops, this.#k) ?? this.#k);
  }
  prev() {
    this.#stepTo(before(this.stops, this.#k) ?? -1);
  }
  nextNode() {
    this.#stepTo(after(nodeStops(this.trace), this.#k) ?? this.length - 1);
  }
  prevNode() {
    this.#stepTo(before(nodeStops(this.trace), this.#k) ?? -1);
  }
  nextBackward() {
    this.#stepTo(after(backwardStops(this.trace), this.#k) ?? this.#k);
  }
  prevBackward() {
    this.#stepTo(before(backwardStops(this.trace), this.#k) ?? this.#k);
  }

  play() {
    if (this.#playing || this.length === 0) return;
    this.#playing = true;
    if (this.#k >= this.length - 1) this.#move(-1, 0);
    else this.#tell(0);
    this.#advance();
  }
  pause() {
    if (this.#halt()) this.#tell(0);
  }
  toggle() {
    if (this.#playing) this.pause();
    else this.play();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#speed = Math.max(speeds[0], Math.min(speed, speeds[speeds.length - 1]));
    this.#tell(0);
  }
  faster() {
    this.setSpeed(after(speeds, this.#speed) ?? this.#speed);
  }
  slower() {
    this.setSpeed(before(speeds, this.#speed) ?? this.#speed);
  }

  /**
   * Show more or less detail; the moment stays.
   * @param {Level} level
   */
  setLevel(level) {
    this.#level = level;
    this.#tell(0);
  }

  /** @param {number} k */
  #stepTo(k) {
    const wasPlaying = this.#halt();
    if (k === this.#k && !wasPlaying) return;
    const moved = this.#direction(k);
    const moves = moved === 1 && !this.#still();
    this.#move(k, moved, moves);
    if (moves)
      this.#motion.start(
        this.#length() / QUICK,
        0,
        () => this.#speed,
        () => {},
      );
  }

  /**
   * +1 to the next stop, -1 to the one before, 0 for a jump.
   * @param {number} k
   */
  #direction(k) {
    if (k === after(this.stops, this.#k)) return 1;
    return k === (before(this.stops, this.#k) ?? -1) ? -1 : 0;
  }

  /** @param {number} k @param {1 | 0 | -1} moved @param {boolean} [moves] */
  #move(k, moved, moves = false) {
    this.#motion.settle();
    this.#k = k;
    this.#tell(moved, moves);
  }

  /**
   * Say what is so now. Unless a motion follows or is under way, it is shown as it is when motion has ended.
   * @param {1 | 0 | -1} moved
   * @param {boolean} [moves]
   */
  #tell(moved, moves = false) {
    const state = this.state;
    this.#told = this.#k;
    const change = { k: this.#k, row: this.#subject(), moved, playing: this.#playing };
    for (const listener of this.#listeners) listener(state, change);
    if (!moves && !this.#motion.isUnderWay()) this.#paint(1);
  }

  #subject() {
    return this.#k < 0 ? null : this.trace.rows[subject(this.trace, this.#k)];
  }

  // ----- the clock -----
  /** Take the next step while playing; stop at the end. */
  #advance() {
    const k = after(this.stops, this.#k);
    if (k === undefined) {
      this.pause();
      return;
    }
    this.#move(k, 1, true);
    const moving = this.#still() ? 0 : this.#length();
    this.#motion.start(
      moving,
      PAUSE,
      () => this.#speed,
      () => this.#advance(),
    );
  }

  /** Stop playing; say whether it was. */
  #halt() {
    const wasPlaying = this.#playing;
    this.#playing = false;
    this.#motion.settle();
    return wasPlaying;
  }

  #length() {
    const kind = this.#subject()?.kind ?? "";
    return /** @type {Record<string, number>} */ (MOTION)[kind] ?? OTHER_MOTION;
  }

  /** @param {number} t */
  #paint(t) {
    const row = this.#subject();
    if (row) for (const painter of this.#painters) painter(row, t);
  }

  #end() {
    this.#playing = false;
    this.#motion.stop();
    this.#clock.cancel(this.#frame);
    this.#listeners.clear();
    this.#painters.clear();
  }
}

/** @param {number[]} sorted @param {number} k */
const after = (sorted, k) => sorted[countUpTo(sorted, k)];

/** @param {number[]} sorted @param {number} k */
function before(sorted, k) {
  const upTo = countUpTo(sorted, k);
  return sorted[sorted[upTo - 1] === k ? upTo - 2 : upTo - 1];
}
