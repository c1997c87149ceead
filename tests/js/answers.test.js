/** Answers to a lesson's questions: what counts as right, and which reason a wrong one gets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { judge, numbersIn } from "../../static/js/lesson/answers.js";
import { keepProgress, progressOf } from "../../static/js/lesson/progress.js";

const number = {
  kind: "number",
  answer: [2, -0.3333333],
  choices: [],
  wrong: [{ is: [1, 4], reason: "squares" }],
  otherwise: "else",
};

test("numbers are read however a reader types them", () => {
  assert.deepEqual(numbersIn("tensor([2., −4.])"), [2, -4]);
  assert.deepEqual(numbersIn("2 .5 1e-3"), [2, 0.5, 0.001]);
  assert.deepEqual(numbersIn("-inf nan"), [-Infinity, NaN]);
});

test("two or three figures are enough, fewer numbers are not", () => {
  assert.deepEqual(judge(number, "2, -0.333"), { right: true, reason: "" });
  assert.equal(judge(number, "2").right, false);
  assert.equal(judge(number, "2, 0.333").right, false);
});

test("a foreseen mistake gets its own reason, any other the general one", () => {
  assert.equal(judge(number, "[1., 4.]").reason, "squares");
  assert.equal(judge(number, "7, 7").reason, "else");
});

test("a choice, a node and a line are judged by what the trace says", () => {
  const choice = { kind: "choice", choices: [{ right: false, reason: "no" }, { right: true, reason: "" }] };
  assert.deepEqual(judge(choice, 0), { right: false, reason: "no" });
  assert.equal(judge(choice, 1).right, true);
  assert.equal(judge({ kind: "node", answer: ["n3"], otherwise: "" }, ["t4", "n3"]).right, true);
  assert.equal(judge({ kind: "node", answer: ["n3"], otherwise: "x" }, ["n2"]).reason, "x");
  assert.equal(judge({ kind: "line", answer: 5, otherwise: "" }, 5).right, true);
});

test("progress is kept per lesson, and a store that refuses does no harm", () => {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  keepProgress("a", { section: 2, answers: { one: "right" } }, store);
  keepProgress("a", { answers: { two: "shown" } }, store);
  assert.deepEqual(progressOf("a", store), { section: 2, answers: { one: "right", two: "shown" } });
  assert.deepEqual(progressOf("b", store), { section: 0, answers: {} });
  const broken = { getItem: () => "{", setItem() { throw new Error("full"); } };
  keepProgress("a", { section: 1 }, broken);
  assert.equal(progressOf("a", broken).section, 0);
});
