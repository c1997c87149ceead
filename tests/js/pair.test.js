/** Two players kept at the same step. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createPair } from "../../static/js/page/pair.js";
import { createPlayer } from "../../static/js/player/player.js";
import { align } from "../../static/js/trace/align.js";
import { handClock } from "./page.js";
import { training } from "./traces.js";

function open() {
  const [left, right] = [training(3), training(2)];
  const { signal } = new AbortController();
  const clock = handClock();
  const players = [left, right].map((trace) => createPlayer(trace, { clock, still: () => true, signal }));
  return Object.assign(createPair(players, align(left, right), { signal }), { clock });
}

test("stepping through both passes every stop of each, and ends at both ends", () => {
  const pair = open();
  const seen = [new Set(), new Set()];
  for (let n = 0; n <= pair.length && pair.k < pair.stops.at(-1); n += 1) {
    pair.next();
    pair.players.forEach((player, side) => seen[side].add(player.k));
  }
  pair.players.forEach((player, side) => {
    assert.deepEqual(player.stops.filter((k) => !seen[side].has(k)), []);
  });
  pair.last();
  assert.deepEqual(pair.players.map(({ k, length }) => length - 1 - k), [0, 0]);
});

test("where both sides stand depends on the position alone", () => {
  const pair = open();
  const at = [];
  for (let k = -1; k < pair.length; k += 1) {
    pair.seek(k);
    at[k + 1] = pair.players.map((player) => player.k);
  }
  for (const k of [5, 40, -1, 17, 41, 3]) {
    pair.seek(k);
    assert.deepEqual(pair.players.map((player) => player.k), at[k + 1]);
  }
  pair.seek(20);
  pair.next();
  pair.prev();
  assert.ok(pair.k <= 20);
});

test("a side that is moved by itself takes the other along", () => {
  const pair = open();
  pair.players[0].seek(12);
  assert.deepEqual(pair.players.map(({ k }) => k), [12, 12]);
  pair.clock.pass(20);
  pair.players[1].seek(3);
  assert.equal(pair.players[0].k, 3);
  assert.equal(pair.k, pair.placeOf(1, 3));
});

test("speed and level are both sides' own", () => {
  const pair = open();
  pair.setLevel("story");
  pair.faster();
  assert.deepEqual(pair.players.map(({ level, speed }) => [level, speed]), [["story", 2], ["story", 2]]);
  assert.equal(pair.position, 0);
  pair.next();
  assert.equal(pair.position, 1);
});
