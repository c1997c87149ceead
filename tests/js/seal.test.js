/** What the seal says of each finding, and where its links lead. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { use } from "../../static/js/i18n.js";
import { kindOf, mountSeal } from "../../static/js/player/seal.js";
import { openPage } from "./page.js";
import { dictionary } from "./traces.js";

use(dictionary("en"));
const report = { checked: 35, of: 35, rows: 47, given: [], problems: [], stopped: null };
const gap = { kind: "node_ran", reason: "large", subject: "MmBackward0", detail: "", count: 2, row: 12 };
const problem = { row: 40, claim: "grad_accumulated.after", expected: "[1.]", found: "[2.]" };

/** Mount a seal and show it a finding. */
function shown(finding) {
  const page = openPage();
  const [root, band] = [document.createElement("div"), document.createElement("div")];
  page.body.append(root, band);
  const sought = [];
  const seal = mountSeal(root, band, (row) => sought.push(row));
  seal.show(finding);
  const press = (element) => element.dispatchEvent(new Event("click"));
  return { seal, root, band, sought, press, text: root.querySelector(".long").textContent };
}

test("each finding has its kind", () => {
  const kinds = [
    [{ checking: true }, "checking"],
    [{ unchecked: "long" }, "unchecked"],
    [{ report }, "whole"],
    [{ report: { ...report, of: 37, given: [gap] } }, "partly"],
    [{ report: { ...report, checked: 0, of: 0 } }, "nothing"],
    [{ report: { ...report, stopped: "time" } }, "stopped"],
    [{ report: { ...report, problems: [problem], stopped: "time" } }, "refused"],
  ];
  for (const [finding, kind] of kinds) assert.equal(kindOf(finding), kind);
});

test("a whole seal says its numbers, long and short, and to screen readers", () => {
  const { root, text, band } = shown({ report });
  assert.equal(text, "checked: 35 of 35 numbers re-derived");
  assert.equal(root.querySelector(".short").textContent, "35/35");
  assert.equal(root.querySelector("[data-testid=seal]").getAttribute("aria-label"), text);
  assert.equal(root.querySelector("[role=status]").textContent.includes(text), true);
  assert.equal(band.getAttribute("hidden"), "");
});

test("what was not derived is told with its reason and leads to its first row", () => {
  const { root, sought, press } = shown({ report: { ...report, of: 37, given: [gap] } });
  const entry = root.querySelector("li");
  assert.match(entry.textContent, /^MmBackward0 · 2 in node_ran rows: the tensors are too large/);
  press(entry.querySelector("button"));
  assert.deepEqual(sought, [12]);
});

test("a refused run is told on the seal and in the band, with a way to the row", () => {
  const { text, band, sought, press } = shown({ report: { ...report, problems: [problem] } });
  assert.equal(text, "refused at row 40");
  assert.equal(band.getAttribute("hidden"), null);
  assert.match(band.textContent, /row 40.*grad_accumulated\.after must be \[1\.\].*says \[2\.\]/);
  press(band.querySelector("button"));
  assert.deepEqual(sought, [40]);
});

test("tables that contradict themselves are refused without a row", () => {
  const { text, band } = shown({ report: { ...report, problems: [{ ...problem, row: null }] } });
  assert.equal(text, "refused");
  assert.equal(band.querySelector("button"), null);
});

test("the next finding leaves nothing of the one before", () => {
  const { seal, root, band } = shown({ report: { ...report, problems: [problem] } });
  seal.show({ report });
  assert.equal(band.getAttribute("hidden"), "");
  assert.equal(root.querySelector("li"), null);
});

test("every reason for an early end or no check has words in both languages", () => {
  const keys = [];
  for (const name of ["time", "memory", "crash"]) keys.push(`seal.stopped.${name}`);
  for (const name of ["long", "busy", "network", "fault"]) keys.push(`seal.unchecked.${name}`);
  for (const lang of ["en", "zh"]) {
    for (const key of keys) assert.ok(dictionary(lang)[key], `${lang}: ${key}`);
  }
});
