/** Refusals and limits in the reader's language. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { translator } from "../../static/js/i18n.js";
import { FORMS, messageText } from "../../static/js/trace/refusals.js";
import { dictionary } from "./traces.js";

const en = translator(dictionary("en"));
const zh = translator(dictionary("zh"));
const refused = (message) => ({ type: "NotAllowed", message });

test("a refusal is told in the reader's language, in English word for word as it came", () => {
  for (const message of [
    "the module 'os' is not available here",
    "the program is longer than 65,536 bytes",
    "eval() is not available here",
    "async with is not supported here",
    "Interpolation is not supported here",
  ])
    assert.equal(messageText(refused(message), en), message);
  assert.equal(messageText(refused("the module 'os' is not available here"), zh), "这里不能用模块 'os'");
});

test("every form of refusal has a text", () => {
  for (const [, key] of FORMS) assert.notEqual(zh(`refusal.${key}`), `refusal.${key}`, key);
});

test("what a program's own exception says, and Python's own words, stay as they are", () => {
  const own = { type: "RuntimeError", message: "the module 'os' is not available here" };
  assert.equal(messageText(own, zh), own.message);
  assert.equal(messageText({ type: "SyntaxError", message: "invalid syntax" }, zh), "invalid syntax");
});

test("a limit names its number in the reader's language", () => {
  const row = { limit: "time", message: "Stopped after 5 s: a run may take at most that long." };
  assert.match(messageText(row, zh), /5/);
  assert.doesNotMatch(messageText(row, zh), /[a-z]{3}/);
});
