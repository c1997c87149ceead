/** Building elements. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { h, set, svg, write } from "../../static/js/dom.js";
import { openPage } from "./page.js";

openPage();

test("attributes are written as they are called; null and false are left out, true is empty", () => {
  const element = h("button", {
    class: "a",
    "data-x": 1,
    hidden: true,
    title: null,
    id: undefined,
    disabled: false,
  });
  assert.deepEqual(
    [...element.attributes],
    [
      ["class", "a"],
      ["data-x", "1"],
      ["hidden", ""],
    ],
  );
});

test("children are nodes, texts, numbers and lists of them; nothing is markup", () => {
  const element = h("p", null, "<b>", [1, null, [svg("path"), false]], undefined);
  assert.deepEqual(
    element.childNodes.map((child) => child.localName ?? child.data),
    ["<b>", "1", "path"],
  );
});

test("set changes an attribute only if it differs, and takes it away", () => {
  const element = h("p");
  let writes = 0;
  const original = element.setAttribute.bind(element);
  element.setAttribute = (...pair) => {
    writes += 1;
    original(...pair);
  };
  set(element, "x", 1);
  set(element, "x", "1");
  assert.equal(writes, 1);
  set(element, "x", false);
  assert.equal(element.getAttribute("x"), null);
});

test("write changes the text only if it differs", () => {
  const element = h("p", null, "a");
  const [text] = element.childNodes;
  write(element, "a");
  assert.equal(element.childNodes[0], text);
  write(element, 2);
  assert.equal(element.textContent, "2");
});
