/** What the reader is told when a run cannot be shown. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { runCode } from "../../static/js/api.js";
import { translator } from "../../static/js/i18n.js";
import { dictionary } from "./traces.js";

const t = translator(dictionary("en"));
const json = (body, status, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
const ask = (answer, more = {}) => runCode("x = 1", { t, fetch: async () => answer, ...more });

test("the code is sent as JSON and the run comes back", async () => {
  const sent = [];
  const fetch = async (...request) => {
    sent.push(request);
    return json({ trace: { rows: [] }, drawing: {} }, 201);
  };
  assert.deepEqual(await runCode('print("é")', { t, fetch }), { run: { trace: { rows: [] }, drawing: {} } });
  const [[address, { method, body }]] = sent;
  assert.deepEqual([address, method, JSON.parse(body)], ["/api/traces", "POST", { code: 'print("é")' }]);
});

test("a problem document becomes a sentence", async () => {
  const problem = {
    title: "That is too much text",
    detail: "A program may have at most 65536 bytes.",
    status: 413,
  };
  const { message } = await ask(json(problem, 413));
  assert.equal(message, "That is too much text. A program may have at most 65536 bytes.");
});

test("how long to wait is said once", async () => {
  const wait = { "Retry-After": "3" };
  assert.equal((await ask(json({ title: "Busy" }, 503, wait))).message, "Busy Try again in 3 s.");
  const told = { title: "Busy", detail: "Try again in 3 s." };
  assert.equal((await ask(json(told, 503, wait))).message, "Busy. Try again in 3 s.");
});

test("what is wrong with the request is named", async () => {
  const errors = [{ at: "body.code", message: "Field required" }];
  const { message } = await ask(json({ title: "Not in the right shape", errors }, 422));
  assert.equal(message, "Not in the right shape. body.code: Field required");
});

test("an answer that is no JSON, or not a run, is called unreadable", async () => {
  for (const answer of [new Response("<html>", { status: 502 }), json({}, 200), json(null, 200)]) {
    const { message } = await ask(answer);
    assert.match(message, new RegExp(`could not be read \\(status ${answer.status}\\)`));
  }
});

test("no network is said as such", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  assert.match((await runCode("", { t, fetch })).message, /could not be reached/);
});

test("a run that was called off is no failure", async () => {
  const calling = new AbortController();
  const fetch = async () => {
    calling.abort();
    throw new DOMException("aborted", "AbortError");
  };
  assert.deepEqual(await runCode("", { t, fetch, signal: calling.signal }), { aborted: true });
});
