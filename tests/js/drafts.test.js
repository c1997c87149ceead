/** What the browser keeps of what was typed. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as D from "../../static/js/player/drafts.js";

function storage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, String(text)),
    kept,
  };
}

const put = (name, value) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

beforeEach(() => {
  put("localStorage", storage());
  put("sessionStorage", storage());
});

test("the language is no part of a draft's address", () => {
  assert.equal(D.addressOf({ pathname: "/sandbox", search: "?lang=zh" }), "/sandbox");
  assert.equal(D.addressOf({ pathname: "/sandbox", search: "?example=a&lang=zh" }), "/sandbox?example=a");
});

test("what was typed comes back at its own address only", () => {
  D.keepDraft("/sandbox", "x = 1");
  D.keepDraft("/sandbox?example=a", "x = 2");
  D.keepDraft("/sandbox", "x = 3");
  assert.deepEqual(
    [D.draft("/sandbox"), D.draft("/sandbox?example=a"), D.draft("/other")],
    ["x = 3", "x = 2", null],
  );
});

test("the oldest of many drafts is forgotten", () => {
  for (let i = 0; i < 25; i += 1) D.keepDraft(`/sandbox?example=${i}`, String(i));
  assert.equal(D.draft("/sandbox?example=0"), null);
  assert.equal(D.draft("/sandbox?example=24"), "24");
});

test("a reader who changed the language is back, once", () => {
  assert.equal(D.isBack(), false);
  D.leave();
  assert.equal(D.isBack(), true);
  assert.equal(D.isBack(), false);
});

test("what was played is known to this tab", () => {
  assert.equal(D.played(), null);
  D.keepPlayed("x = 1");
  assert.equal(D.played(), "x = 1");
});

test("a browser that keeps nothing, or kept nonsense, stops nothing", () => {
  const refuse = () => {
    throw new Error("denied");
  };
  put("localStorage", { getItem: refuse, setItem: refuse });
  D.keepDraft("/sandbox", "x");
  assert.equal(D.draft("/sandbox"), null);
  put("localStorage", { getItem: () => "{not json", setItem() {} });
  assert.equal(D.draft("/sandbox"), null);
  put("localStorage", { getItem: () => '[1, ["/sandbox", 2]]', setItem() {} });
  assert.equal(D.draft("/sandbox"), null);
});

test("changed numbers come back with their program, and nothing else does", () => {
  assert.equal(D.keptChanges(), null);
  const changes = [{ made: 0, output: 0, element: [1], value: 2.5, was: 1, name: "x[1]" }];
  D.keepChanges("x", changes);
  assert.deepEqual(D.keptChanges(), ["x", changes]);
  for (const odd of ["[1, []]", '["x", 1]', "{", "null"]) {
    sessionStorage.setItem("gradstep.changes", odd);
    assert.equal(D.keptChanges(), null);
  }
});
