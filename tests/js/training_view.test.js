/** The training view: offered where a loop went round, speaks of the iteration at hand, leads to its rows. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { use } from "../../static/js/i18n.js";
import { createPlayer } from "../../static/js/player/player.js";
import { across } from "../../static/js/training/curves.js";
import { brief, end, linear, logarithmic, shade, SHADES } from "../../static/js/training/scale.js";
import { mount } from "../../static/js/training/view.js";
import { handClock, openPage } from "./page.js";
import { dictionary, everyTrace, training, twoPaths } from "./traces.js";

use(dictionary("en"));

function open(trace) {
  const { body: root } = openPage();
  const slot = document.createElement("div");
  root.append(slot);
  const ending = new AbortController();
  const player = createPlayer(trace, { clock: handClock(), signal: ending.signal });
  const view = mount(slot, { trace, player, signal: ending.signal, root });
  player.onChange((state) => view.show(state));
  view.show(player.state);
  const find = (selector) => root.querySelector(selector);
  return { root, player, view, find, head: () => find("[data-testid=training-head]").textContent };
}

function press(element, key) {
  const event = new Event("keydown", { cancelable: true });
  Object.defineProperty(event, "key", { value: key });
  element.dispatchEvent(event);
  return event;
}

test("a run without a loop has nothing to offer", () => {
  const { find, view } = open(twoPaths());
  assert.equal(find(".pane-tabs"), null);
  view.toggle();
  assert.equal(find("[data-testid=training]"), null);
});

test("the graph stands there until training is asked for", () => {
  const { root, find, view, head } = open(training(4));
  assert.equal(root.getAttribute("data-centre"), null);
  assert.equal(find("[data-testid=training]").getAttribute("hidden"), "");
  find("[data-testid=tab-training]").dispatchEvent(new Event("click"));
  assert.equal(root.getAttribute("data-centre"), "training");
  assert.match(head(), /goes round 4 times; it has not begun/);
  view.toggle();
  assert.equal(root.getAttribute("data-centre"), null);
});

test("it speaks of the iteration where the player stands", () => {
  const { player, view, head, find } = open(training(4));
  view.toggle();
  player.seek(player.length - 1);
  assert.match(head(), /^Iteration 4 of 4 of the loop in line 2/);
  assert.equal(find(".losses-row").querySelector(".plot-now").textContent, "5.25");
});

test("keys move over the iterations and over parameters, Enter goes to the row", () => {
  const { player, view, find, head } = open(training(4));
  view.toggle();
  const plot = find(".losses-row").querySelector(".plot");
  assert.equal(plot.getAttribute("role"), "slider");
  assert.ok(press(plot, "ArrowRight").defaultPrevented);
  press(plot, "ArrowRight");
  assert.match(head(), /Pointed at: iteration 2 of 4/);
  assert.equal(plot.getAttribute("aria-valuetext"), "iteration 2 of 4: loss 5.75");
  press(plot, "Enter");
  assert.equal(player.state.row.kind, "backward_began");
  assert.equal(player.state.row.call, 1);
  press(plot, "Escape");
  assert.match(head(), /^Iteration 2 of 4/);
  const strip = find(".strips").querySelector(".plot");
  press(strip, "End");
  assert.equal(strip.getAttribute("aria-valuetext"), "iteration 4 of 4: w 2");
  press(strip, "Enter");
  assert.equal(player.state.row.kind, "grad_accumulated");
});

test("the points of one iteration lie beside each other, in it", () => {
  const points = [0, 0, 1, 1].map((round) => ({ round, k: 0, y: 1 }));
  assert.deepEqual(across(points, 2), [0.125, 0.375, 0.625, 0.875]);
});

test("scales have room for what they show, and zero has no place on a logarithmic one", () => {
  assert.deepEqual([linear([2, 2]).low, linear([2, 2]).high], [1, 3]);
  assert.equal(linear([1, 3, null, NaN]).place(2), 0.5);
  const scale = logarithmic([1e-4, 0.5, 0, Infinity, null]);
  assert.deepEqual([end(scale, scale.low), end(scale, scale.high)], ["0.0001", "1"]);
  assert.equal(scale.place(1e-2), 0.5);
  assert.deepEqual(
    [0, NaN, null, undefined, 1e-4, 1].map((y) => shade(scale, y)),
    ["zero", "bad", null, null, 1, SHADES],
  );
});

test("numbers are short, and a rounded one never looks whole", () => {
  const shown = [0, 2, 2.0004, 0.5, 0.12345, 1.2e-7, 123456, -0.25, NaN, -Infinity, null].map(brief);
  assert.deepEqual(shown, ["0", "2", "2.00", "0.5", "0.123", "1.2e-7", "1.2e5", "-0.25", "nan", "-inf", "–"]);
});

const picture = (element) => [
  element.localName,
  [...(element.attributes ?? [])].sort(),
  (element.childNodes ?? []).map((child) => (child.localName ? picture(child) : child.textContent)),
];

for (const { name, trace } of everyTrace()) {
  test(`after a jump it shows what it shows after going there: ${name}`, () => {
    const [one, other] = [open(trace), open(trace)];
    for (const { view } of [one, other]) view.toggle();
    const goal = trace.rows.length - 1;
    for (const k of [3, goal, 5, goal >> 1]) one.player.seek(k);
    other.player.seek(goal >> 1);
    one.view.show(one.player.state);
    other.view.show(other.player.state);
    assert.deepEqual(picture(one.root), picture(other.root));
  });
}
