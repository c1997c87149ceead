/** Stepping, seeking, playing: where the player stands and whom it tells. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createPlayer, speeds } from "../../static/js/player/player.js";
import { handClock } from "./page.js";
import { training, twoPaths } from "./traces.js";

function start(options = {}) {
  const clock = handClock();
  const player = createPlayer(options.trace ?? twoPaths(), { clock, ...options });
  const heard = [];
  const drawn = [];
  player.onChange((state, change) => heard.push({ state, ...change }));
  player.onDraw((row, t) => drawn.push({ row, t }));
  return { player, clock, heard, drawn };
}

test("a player stands before the first row", () => {
  const { player } = start();
  assert.deepEqual([player.k, player.position, player.level, player.playing], [-1, 0, "chain", false]);
  assert.equal(player.state.k, -1);
});

test("next and prev go from stop to stop, and stay at the ends", () => {
  const { player } = start();
  const places = [];
  for (let i = 0; i < player.stops.length + 2; i += 1) {
    places.push(player.k);
    player.next();
  }
  assert.deepEqual(places.slice(1, 1 + player.stops.length), player.stops);
  assert.equal(player.k, player.length - 1);
  for (let i = 0; i < player.stops.length + 2; i += 1) player.prev();
  assert.equal(player.k, -1);
});

test("from between two stops, next and prev go to the nearest", () => {
  const { player } = start();
  player.seek(13);
  player.prev();
  assert.equal(player.k, 11);
  player.seek(13);
  player.next();
  assert.equal(player.k, 14);
});

test("every change is heard with its state, its row and its direction", () => {
  const { player, heard } = start();
  player.next();
  player.next();
  player.prev();
  player.last();
  assert.deepEqual(
    heard.map(({ k, moved }) => [k, moved]),
    [
      [1, 1],
      [3, 1],
      [1, -1],
      [player.length - 1, 0],
    ],
  );
  assert.equal(heard[0].row.kind, "tensor_made", "the row that the stop is about, not the binding");
  assert.ok(heard.every(({ k, state }) => state.k === k));
});

test("a listener can leave", () => {
  const { player } = start();
  let calls = 0;
  const leave = player.onChange(() => (calls += 1));
  player.next();
  leave();
  player.next();
  assert.equal(calls, 1);
});

test("many seeks within one frame are one change, the first and the last", () => {
  const { player, clock, heard } = start();
  for (let k = 0; k < 40; k += 1) player.seek(k);
  assert.equal(player.k, 39);
  assert.deepEqual(
    heard.map(({ k }) => k),
    [0],
  );
  clock.pass(16);
  assert.deepEqual(
    heard.map(({ k }) => k),
    [0, 39],
  );
});

test("a step after a seek is heard at once, and the seek not again", () => {
  const { player, clock, heard } = start();
  player.seek(3);
  player.seek(5);
  player.next();
  clock.pass(2000);
  assert.deepEqual(
    heard.map(({ k }) => k),
    [3, 6],
  );
});

test("seek is held inside the run and takes whole rows", () => {
  const { player } = start();
  player.seek(1e9);
  assert.equal(player.k, player.length - 1);
  player.seek(-7);
  assert.equal(player.k, -1);
  player.seek(4.4);
  assert.equal(player.k, 4);
});

test("changing the level keeps the moment and counts its own stops", () => {
  const { player, heard } = start();
  player.seek(14);
  const counts = ["story", "chain", "engine"].map((level) => {
    player.setLevel(level);
    return [player.k, player.position];
  });
  assert.deepEqual(counts, [
    [14, 5],
    [14, 9],
    [14, 15],
  ]);
  assert.deepEqual(
    heard.slice(1).map(({ moved }) => moved),
    [0, 0, 0],
  );
});

test("whole nodes and passes can be stepped over", () => {
  const { player } = start({ trace: training(3) });
  player.nextBackward();
  const first = player.k;
  player.nextBackward();
  assert.ok(player.k > first);
  player.prevBackward();
  assert.equal(player.k, first);
  player.nextNode();
  assert.equal(player.state.row.kind, "node_ran");
  player.nextNode();
  assert.equal(player.state.row.kind, "grad_accumulated");
  player.prevNode();
  assert.equal(player.state.row.kind, "node_ran");
});

test("a single step moves once, from t = 0 to t = 1, and leaves nothing waiting", () => {
  const { player, clock, drawn } = start();
  player.next();
  clock.pass(2000);
  assert.equal(drawn[0].t, 0);
  assert.equal(drawn.at(-1).t, 1);
  assert.ok(drawn.every(({ t }, i) => i === 0 || t >= drawn[i - 1].t));
  assert.ok(clock.isIdle);
});

test("a jump, a step back and a change of level show motion at its end", () => {
  const { player, clock, drawn } = start();
  player.seek(15);
  player.prev();
  clock.pass(16);
  player.setLevel("engine");
  assert.deepEqual(
    drawn.map(({ t }) => t),
    [1, 1, 1],
  );
});

test("a step taken during a motion ends it first", () => {
  const { player, clock, drawn } = start();
  player.next();
  clock.pass(32);
  const row = drawn.at(-1).row;
  player.next();
  const ends = drawn.filter((each) => each.row === row);
  assert.equal(ends.at(-1).t, 1);
  assert.equal(drawn.at(-1).t, 0);
});

test("with motion unwanted, t is always 1", () => {
  const { player, clock, drawn } = start({ still: () => true });
  player.next();
  player.play();
  clock.pass(5000);
  assert.ok(drawn.length > 3);
  assert.deepEqual(new Set(drawn.map(({ t }) => t)), new Set([1]));
});

test("playing visits every stop and ends at the last", () => {
  const { player, clock, heard } = start({ speed: 8 });
  player.play();
  assert.ok(player.playing);
  clock.pass(60000);
  assert.equal(player.playing, false);
  assert.equal(player.k, player.length - 1);
  assert.deepEqual(
    [...new Set(heard.map(({ k }) => k))].filter((k) => k >= 0),
    player.stops,
  );
  assert.equal(heard.at(-1).playing, false);
  assert.ok(clock.isIdle);
});

test("playing from the end begins again", () => {
  const { player } = start();
  player.last();
  player.play();
  assert.equal(player.k, player.stops[0]);
});

test("speed is the pace of playing", () => {
  const reached = speeds.map((speed) => {
    const { player, clock } = start({ speed });
    player.play();
    clock.pass(6000);
    return player.position;
  });
  assert.ok(
    reached.every((position, i) => i === 0 || position >= reached[i - 1]),
    String(reached),
  );
  assert.ok(reached[4] > 3 * reached[2]);
});

test("faster and slower go through the table of speeds and stop at its ends", () => {
  const { player } = start();
  const seen = speeds.map(() => {
    player.slower();
    return player.speed;
  });
  assert.deepEqual(seen.slice(0, 2), [0.5, 0.25]);
  assert.equal(player.speed, speeds[0]);
  for (const _ of speeds) player.faster();
  assert.equal(player.speed, speeds.at(-1));
});

test("pausing stops the clock where it is; any step or seek pauses too", () => {
  for (const act of [
    (p) => p.pause(),
    (p) => p.toggle(),
    (p) => p.prev(),
    (p) => p.seek(2),
    (p) => p.first(),
  ]) {
    const { player, clock } = start();
    player.toggle();
    clock.pass(3000);
    assert.ok(player.k > 0);
    act(player);
    assert.equal(player.playing, false);
    const { k } = player;
    clock.pass(5000);
    assert.equal(player.k, k);
  }
});

test("a player whose signal is aborted is silent", () => {
  const ending = new AbortController();
  const { player, clock, heard } = start({ signal: ending.signal });
  player.play();
  ending.abort();
  const before = heard.length;
  clock.pass(5000);
  player.next();
  assert.equal(heard.length, before);
});

test("an empty run can be played without harm", () => {
  const { player } = start({ trace: { ...twoPaths(), rows: [] } });
  player.play();
  player.next();
  player.last();
  assert.equal(player.k, -1);
});
