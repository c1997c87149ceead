/** The bottom of the player. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { use } from "../../static/js/i18n.js";
import { createPlayer } from "../../static/js/player/player.js";
import { mount } from "../../static/js/player/timeline.js";
import { stretchesOf } from "../../static/js/player/track.js";
import { devices } from "../../static/js/trace/devices.js";
import { loops } from "../../static/js/trace/iterations.js";
import { handClock, openPage } from "./page.js";
import { builder, dictionary, everyTrace, training, twoPaths } from "./traces.js";

use(dictionary("en"));

function open(trace = twoPaths()) {
  const { body } = openPage();
  const ending = new AbortController();
  const clock = handClock();
  const player = createPlayer(trace, { clock, signal: ending.signal });
  const view = mount(body, { trace, player, signal: ending.signal });
  player.onChange((state) => view.show(state));
  view.show(player.state);
  const find = (id) => body.querySelector(`[data-testid=${id}]`);
  const click = (id) => find(id).dispatchEvent(new Event("click"));
  return { body, player, view, clock, ending, find, click };
}

const picture = (element) => [
  element.localName,
  [...(element.attributes ?? [])].sort(),
  element.value,
  (element.childNodes ?? []).map((child) => (child.localName ? picture(child) : child.textContent)),
];

test("the buttons do what they say", () => {
  const { player, click } = open();
  click("next");
  click("next");
  assert.equal(player.position, 2);
  click("prev");
  assert.equal(player.position, 1);
  click("last");
  assert.equal(player.k, player.length - 1);
  click("first");
  assert.equal(player.k, -1);
  click("play");
  assert.ok(player.playing);
});

test("the play button says what it will do", () => {
  const { find, click } = open();
  assert.match(find("play").getAttribute("aria-label"), /^Play/);
  click("play");
  assert.match(find("play").getAttribute("aria-label"), /^Pause/);
  assert.equal(find("play").getAttribute("data-playing"), "true");
});

test("the scrubber goes over rows, one more than there are", () => {
  const { player, find } = open();
  const scrubber = find("scrubber");
  assert.equal(scrubber.getAttribute("max"), String(player.length));
  scrubber.value = "12";
  scrubber.dispatchEvent(new Event("input"));
  assert.equal(player.k, 11);
  assert.match(scrubber.getAttribute("aria-valuetext"), /^Step \d+ \/ 24$/);
});

test("scrubbing rests on stops of the level only", () => {
  const { player, find } = open();
  const scrubber = find("scrubber");
  for (let value = 0; value <= player.length; value += 1) {
    scrubber.value = String(value);
    scrubber.dispatchEvent(new Event("input"));
    assert.ok([-1, ...player.stops].includes(player.k), `row ${player.k}`);
    assert.equal(scrubber.value, String(player.k + 1));
  }
});

test("a press near a mark goes to the row of the mark, and a drag leaves it", () => {
  const { body, player, find } = open(training(4));
  const scrubber = find("scrubber");
  body.querySelector(".lanes").getBoundingClientRect = () => ({ left: 10, width: 500 });
  const pointer = (kind, clientX) => scrubber.dispatchEvent(Object.assign(new Event(kind), { clientX }));
  for (const mark of body.querySelectorAll(".mark")) {
    const row = Number(mark.getAttribute("data-row"));
    pointer("pointerdown", 10 + (row / player.length) * 500 + 3);
    scrubber.value = String(row + 1);
    scrubber.dispatchEvent(new Event("input"));
    assert.equal(player.k, row - 1);
  }
  pointer("pointermove", 10);
  scrubber.value = "0";
  scrubber.dispatchEvent(new Event("input"));
  assert.equal(player.k, -1);
});

test("the step is counted in stops of the level", () => {
  const { body, player, find } = open();
  const count = body.querySelector(".count");
  player.seek(14);
  assert.equal(count.textContent, `Step 9 / ${player.stops.length}`);
  const level = find("level");
  level.value = "engine";
  level.dispatchEvent(new Event("change"));
  assert.equal(count.textContent, `Step 15 / ${player.length}`);
});

test("speed is chosen from the table", () => {
  const { player, find } = open();
  find("speed").value = "4";
  find("speed").dispatchEvent(new Event("change"));
  assert.equal(player.speed, 4);
  player.faster();
  assert.equal(find("speed").value, "8");
});

test("phases lie side by side over the whole width, and every .grad written has a mark", () => {
  const { body } = open(training(4));
  const lanes = body.querySelectorAll(".phase");
  const numbers = lanes.map((lane) => [Number(lane.getAttribute("x")), Number(lane.getAttribute("width"))]);
  numbers.slice(1).forEach(([x], i) => assert.ok(Math.abs(x - numbers[i][0] - numbers[i][1]) < 0.05));
  const [x, width] = numbers.at(-1);
  assert.ok(Math.abs(x + width - 1000) < 0.1);
  assert.equal(body.querySelectorAll(".mark").length, 8);
});

test("what is done is filled up to the needle", () => {
  const { body, player } = open();
  player.seek(14);
  const filled = body
    .querySelectorAll(".done")
    .reduce((sum, part) => sum + Number(part.getAttribute("width")), 0);
  assert.ok(Math.abs(filled - Number(body.querySelector(".needle").getAttribute("x")) - 1.5) < 0.1);
});

test("memory has a line only where something was held", () => {
  assert.ok(open().body.querySelector(".memory"));
  const bare = { ...twoPaths(), rows: twoPaths().rows.slice(0, 3) };
  assert.equal(open(bare).body.querySelector(".memory"), null);
});

for (const { name, trace } of everyTrace()) {
  test(`the timeline after a jump is the timeline after stepping there: ${name}`, () => {
    const stepping = open(trace);
    const jumping = open(trace);
    for (let i = 0; i < 25 && stepping.player.k < trace.rows.length - 1; i += 1) {
      stepping.player.next();
      stepping.clock.pass(2000);
      jumping.player.seek((i * 31) % trace.rows.length);
      jumping.player.seek(stepping.player.k);
      jumping.clock.pass(32);
      assert.deepEqual(picture(jumping.body), picture(stepping.body));
    }
  });
}

test("after its signal is aborted the timeline hears nothing", () => {
  const { player, ending, click } = open();
  ending.abort();
  click("next");
  assert.equal(player.k, -1);
});

const SPLIT = () => {
  const { trace, ...make } = builder("loss.backward()");
  make.node("n1", "AnyBackward0", { device: "cpu" });
  make.node("n2", "AnyBackward0", { device: "sim:0" });
  const fields = { call: 0, api: "backward", roots: [], root_nodes: [], grads: [], missing: {} };
  make.row("backward_began", fields);
  make.row("node_ready", { node: "n1", queue: ["n1"], device: "cpu" });
  make.row("node_entered", { node: "n1", grads: [], queue: [], device: "cpu" });
  make.row("node_ready", { node: "n2", queue: ["n2"], device: "sim:0", handed_by: "cpu" });
  make.row("node_entered", { node: "n2", grads: [], queue: [], device: "sim:0" });
  make.row("node_ran", { node: "n2", grads: [], rules: [] });
  make.row("backward_ended", { call: 0, woken_by: "sim:0" });
  return trace;
};

test("each simulated device has a lane, and what is handed over is told", () => {
  const { devices: lanes, handed } = devices(SPLIT());
  assert.deepEqual(lanes, [
    { name: "cpu", busy: [{ from: 2, to: 3 }] },
    { name: "sim:0", busy: [{ from: 4, to: 5 }] },
  ]);
  assert.deepEqual(handed, [{ k: 3, from: "cpu", to: "sim:0" }]);
  const rows = open(SPLIT()).body.querySelector("[data-testid=devices]");
  assert.match(rows.textContent, /cpusim:0 simulated/);
  assert.equal(rows.querySelectorAll(".busy").length, 2);
  assert.equal(rows.querySelectorAll(".handed").length, 1);
  assert.equal(open(training(2)).body.querySelector("[data-testid=devices]"), null);
});

test("two hundred iterations are folded, and the one at hand is open", () => {
  const { body, player, find } = open(training(200));
  assert.equal(body.querySelector(".loop-name").textContent, "200 iterations, line 2");
  const phases = body.querySelectorAll(".phase");
  assert.equal(phases.filter((part) => part.getAttribute("data-phase") === "iteration").length, 200);
  assert.equal(body.querySelectorAll(".mark").length, 0, "no mark outside of an open iteration");
  player.seek(2 + 18 * 37 + 5);
  const opened = find("iteration");
  assert.match(opened.textContent, /iteration 38 of 200/);
  assert.equal(opened.querySelectorAll(".mark").length, 2);
  assert.equal(opened.querySelector("[type=range]").value, "6");
});

test("the scrubber of an iteration stays in it and rests on stops", () => {
  const { player, find } = open(training(200));
  player.seek(2 + 18 * 37 + 5);
  const scrubber = find("scrubber-iteration");
  for (const value of [1, 9, 18]) {
    scrubber.value = String(value);
    scrubber.dispatchEvent(new Event("input"));
    assert.ok(player.k >= 2 + 18 * 37 - 1 && player.k < 2 + 18 * 38);
    assert.ok(player.stops.includes(player.k));
  }
});

test("thousands of iterations are one band", () => {
  const parts = stretchesOf(training(1000), loops(training(1000)));
  assert.deepEqual(
    parts.map(({ phase }) => phase),
    ["forward", "iteration"],
  );
});

test("memory by kind: three areas on one scale, the upper edge is the sum", () => {
  const areas = open(training(4)).body.querySelectorAll(".held");
  assert.deepEqual(
    areas.map((area) => area.getAttribute("data-memory")),
    ["optimizer", "grads", "graph"],
  );
});

test("the control says what a level shows", () => {
  const { body, player } = open();
  for (const level of ["story", "chain", "engine"]) {
    player.setLevel(level);
    assert.equal(body.querySelector(".level-note").textContent, dictionary("en")[`level.${level}.note`]);
  }
});
