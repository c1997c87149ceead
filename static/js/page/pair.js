/**
 * Two players kept at the same step by the alignment of their rows. Can be steered as one player can: by the
 * same keys and the same buttons. Its positions are those of the alignment; a side that has no row at one
 * stays where it is.
 */

import { speeds } from "#js/player/player.js";
import { backwardStops, countUpTo, nodeStops, stops } from "#js/trace/stops.js";

/** @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player */
/** @typedef {import("#js/trace/align.js").Pair} Aligned */
/** @typedef {import("#js/trace/stops.js").Level} Level */

const STEP = 1300; // milliseconds of a step at speed 1: its motion, then the pause to read it

/**
 * @param {[Player, Player]} players
 * @param {Aligned[]} pairs
 * @param {{signal: AbortSignal}} options
 */
export const createPair = (players, pairs, { signal }) => new PlayerPair(players, pairs, signal);

/** @typedef {PlayerPair} Both */

class PlayerPair {
  /** The row of each side at each position. @type {[number[], number[]]} */ #rows = [[], []];
  /** The position of each row of each side. @type {[number[], number[]]} */ #places = [[], []];
  /** @type {Map<Level, number[]>} */ #stops = new Map();
  /** @type {Set<() => void>} */ #listeners = new Set();
  #k = -1;
  #moving = false;
  /** @type {ReturnType<typeof setTimeout> | null} */ #timer = null;

  /** @param {[Player, Player]} players @param {Aligned[]} pairs @param {AbortSignal} signal */
  constructor(players, pairs, signal) {
    this.players = players;
    this.pairs = pairs;
    const last = [-1, -1];
    pairs.forEach((pair, p) => {
      for (const side of [0, 1]) {
        const row = pair[side];
        if (row !== null) this.#places[side][(last[side] = row)] = p;
        this.#rows[side][p] = last[side];
      }
    });
    players.forEach((player, side) => player.onChange(() => this.#follow(side)));
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  get k() {
    return this.#k;
  }
  get length() {
    return this.pairs.length;
  }
  get level() {
    return this.players[0].level;
  }
  get speed() {
    return this.players[0].speed;
  }
  get playing() {
    return this.#timer !== null;
  }
  get stops() {
    let known = this.#stops.get(this.level);
    if (!known) this.#stops.set(this.level, (known = this.#both((trace) => stops(trace, this.level))));
    return known;
  }
  get position() {
    return countUpTo(this.stops, this.#k);
  }

  /** Where a row of a side stands. @param {0 | 1} side @param {number} row */
  placeOf(side, row) {
    return row < 0 ? -1 : (this.#places[side][row] ?? this.length - 1);
  }

  /** Hear of every change. @param {() => void} listener */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param {number} k */
  seek(k) {
    this.#halt();
    this.#move(Math.max(-1, Math.min(Math.round(k), this.length - 1)));
  }
  first = () => this.seek(-1);
  last = () => this.seek(this.length - 1);
  next = () => this.seek(after(this.stops, this.#k) ?? this.#k);
  prev = () => this.seek(before(this.stops, this.#k) ?? -1);
  nextNode = () => this.seek(after(this.#both(nodeStops), this.#k) ?? this.length - 1);
  prevNode = () => this.seek(before(this.#both(nodeStops), this.#k) ?? -1);
  nextBackward = () => this.seek(after(this.#both(backwardStops), this.#k) ?? this.#k);
  prevBackward = () => this.seek(before(this.#both(backwardStops), this.#k) ?? this.#k);

  play() {
    if (this.playing || this.length === 0) return;
    if (this.#k >= this.length - 1) this.#move(-1);
    this.#advance();
  }
  pause() {
    if (this.#halt()) this.#tell();
  }
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#moving = true;
    for (const player of this.players) player.setSpeed(speed);
    this.#moving = false;
    this.#tell();
  }
  faster = () => this.setSpeed(after(speeds, this.speed) ?? this.speed);
  slower = () => this.setSpeed(before(speeds, this.speed) ?? this.speed);

  /** @param {Level} level */
  setLevel(level) {
    this.#moving = true;
    for (const player of this.players) player.setLevel(level);
    this.#moving = false;
    this.#tell();
  }

  /** Positions at which either side stops. @param {(trace: any) => number[]} find */
  #both(find) {
    const placesOf = (/** @type {number} */ side) => (/** @type {number} */ row) => this.#places[side][row];
    const places = this.players.flatMap(({ trace }, side) => find(trace).map(placesOf(side)));
    return [...new Set(places)].sort((a, b) => a - b);
  }

  /** Bring both sides to a position; one that goes to its next stop moves there. @param {number} k */
  #move(k) {
    this.#k = k;
    this.#moving = true;
    this.players.forEach((player, side) => {
      const row = k < 0 ? -1 : this.#rows[side][k];
      if (row === player.k) return;
      if (row === after(player.stops, player.k)) player.next();
      else player.seek(row);
    });
    this.#moving = false;
    this.#tell();
  }

  /** A side was moved by itself, by a click on a line: the other comes along. @param {number} side */
  #follow(side) {
    const row = this.players[side].k;
    if (this.#moving || row === (this.#k < 0 ? -1 : this.#rows[side][this.#k])) return;
    this.seek(this.placeOf(/** @type {0 | 1} */ (side), row));
  }

  #advance() {
    const k = after(this.stops, this.#k);
    this.#timer = setTimeout(() => this.#advance(), STEP / this.speed);
    if (k === undefined) this.pause();
    else this.#move(k);
  }

  #halt() {
    const wasPlaying = this.playing;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    return wasPlaying;
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }

  #end() {
    this.#halt();
    this.#listeners.clear();
  }
}

/** @param {number[]} sorted @param {number} k */
const after = (sorted, k) => sorted[countUpTo(sorted, k)];

/** @param {number[]} sorted @param {number} k */
function before(sorted, k) {
  const upTo = countUpTo(sorted, k);
  return sorted[sorted[upTo - 1] === k ? upTo - 2 : upTo - 1];
}
