/** The step in the address. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  hashOf,
  keepInAddress,
  rowInHash,
  viewIn,
  withoutProgram,
  withPlace,
  withSeed,
} from "../../static/js/player/address.js";

test("#s=14 is the fourteenth row; anything else is no step", () => {
  assert.equal(rowInHash("#s=14"), 13);
  assert.equal(rowInHash("#s=0"), -1);
  assert.equal(rowInHash("#hide=edit&s=3"), 2);
  for (const hash of ["", "#", "#s=", "#s=-1", "#s=x", "#steps=4", "#s=12345678"])
    assert.equal(rowInHash(hash), null);
});

test("a row and its hash belong together; before the first row there is none", () => {
  for (const k of [0, 13, 19999]) assert.equal(rowInHash(hashOf(k)), k);
  assert.equal(hashOf(-1), "");
});

test("a query loses its program and keeps its language", () => {
  assert.equal(withoutProgram("?code=x&lang=zh"), "?lang=zh");
  assert.equal(withoutProgram("?example=loop"), "");
});

test("the view in the address: level, hidden parts, presenter; what is no view is left aside", () => {
  const hash = "#s=14&level=story&hide=edit,engine&present=1";
  assert.deepEqual(viewIn(hash), { level: "story", hidden: ["edit", "engine"], presents: true });
  const nothing = { level: null, hidden: [], presents: false };
  for (const other of ["", "#", "#level=deep&hide=&present=yes", "#hide=%3Cb%3E,a b"])
    assert.deepEqual(viewIn(other), nothing, other);
});

test("a place is written into a hash, and everything else in it stays as it was", () => {
  assert.equal(withPlace("", { k: 13, level: "story" }), "#s=14&level=story");
  assert.equal(withPlace("#hide=edit,engine&s=3", { k: 4 }), "#s=5&hide=edit,engine");
  assert.equal(withPlace("#s=3&level=story&x=%20", { k: 2, level: "chain" }), "#s=3&x=%20");
  assert.equal(withPlace("#s=3", { k: -1 }), "");
  assert.equal(withPlace("#s=3&hide=code", { presents: true }), "#s=3&hide=code&present=1");
  assert.equal(withPlace("#present=1", { presents: false }), "");
});

function fakeWindow() {
  const timers = [];
  const location = { pathname: "/sandbox", search: "?code=x", hash: "" };
  return {
    location,
    written: [],
    setTimeout: (run) => timers.push(run),
    clearTimeout: (id) => delete timers[id - 1],
    history: {
      replaceState(_, __, address) {
        page.written.push(address);
        location.hash = address.includes("#") ? address.slice(address.indexOf("#")) : "";
      },
    },
    fire: () => timers.splice(0).forEach((run) => run?.()),
  };
}

let page = fakeWindow();

test("only the latest step of many is written, and the query stays", () => {
  page = fakeWindow();
  const keep = keepInAddress({ signal: new AbortController().signal, page });
  for (let k = 0; k < 50; k += 1) keep(k);
  page.fire();
  assert.deepEqual(page.written, ["/sandbox?code=x#s=50"]);
  keep(49);
  page.fire();
  assert.equal(page.written.length, 1, "the same step is not written twice");
  keep(-1);
  page.fire();
  assert.equal(page.written.at(-1), "/sandbox?code=x");
  keep(7, "engine");
  page.fire();
  assert.equal(page.written.at(-1), "/sandbox?code=x#s=8&level=engine");
});

test("nothing is written after the player has gone", () => {
  page = fakeWindow();
  const ending = new AbortController();
  keepInAddress({ signal: ending.signal, page })(3);
  ending.abort();
  page.fire();
  assert.deepEqual(page.written, []);
});

test("the seed stands in the query, 0 goes without saying", () => {
  assert.equal(withSeed("?code=x&seed=3", 4), "?code=x&seed=4");
  assert.equal(withSeed("?seed=3", 0), "");
});
