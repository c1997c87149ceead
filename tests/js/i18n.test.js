/** The dictionaries, and how a text is filled. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { language, t, translator, use } from "../../static/js/i18n.js";
import { dictionary } from "./traces.js";

const [en, zh] = [dictionary("en"), dictionary("zh")];
const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

test("both languages have the same keys, sorted, with the same placeholders", () => {
  assert.deepEqual(Object.keys(zh), Object.keys(en));
  assert.deepEqual(Object.keys(en), Object.keys(en).toSorted());
  for (const key of Object.keys(en))
    assert.deepEqual([...new Set(places(zh[key]))], [...new Set(places(en[key]))], key);
});

test("no text is empty, and none says just or simply", () => {
  for (const [key, text] of Object.entries(en)) assert.ok(text.length > 0, key);
  assert.deepEqual(
    Object.keys(zh).filter((key) => zh[key] === ""),
    ["list.sentence"],
  );
  for (const [key, text] of Object.entries(en))
    assert.doesNotMatch(text, /\b(?:just(?! happened)|simply)\b/i, key);
});

test("names of the API stay as they are in Chinese", () => {
  const names = /backward\(\)|zero_grad\(\)|retain_grad\(\)|grad_fn|None|PyTorch/g;
  for (const [key, text] of Object.entries(en)) {
    if (!key.startsWith("row.")) continue;
    for (const [name] of text.matchAll(names)) assert.ok(zh[key].includes(name), `${key}: ${name}`);
  }
});

test("a text is filled with what it names; an unknown key is its own text", () => {
  const say = translator({ greet: "{who}, {who}: {n} of {m}" });
  assert.equal(say("greet", { who: "x", n: 0 }), "x, x: 0 of {m}");
  assert.equal(say("nothing.here"), "nothing.here");
  assert.equal(say("toString"), "toString");
});

test("the page's own words come from the dictionary it was given", () => {
  use({ lang: "zh", hello: "{who} 好" });
  assert.equal(t("hello", { who: "你" }), "你 好");
  assert.equal(language(), "zh");
});
