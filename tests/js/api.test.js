/** What the reader is told when a run cannot be shown. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkRun, runCode } from "../../static/js/api.js";
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
    return new Response('{"trace":{"rows":[-0.0]},"drawing":{}}', { status: 201 });
  };
  const { run } = await runCode('print("é")', { t, fetch });
  assert.deepEqual(run.trace, { rows: [-0] });
  assert.equal(run.text, '{"trace":{"rows":[-0.0]},"drawing":{}}', "the very text, for -0.0 must stay -0.0");
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

const report = { checked: 1, of: 2, rows: 3, given: [], problems: [], stopped: null };

/** Answer one after the other; note what was sent and how long was waited. */
function server(...answers) {
  const seen = { sent: [], waited: [] };
  const fetch = async (address, { body }) => {
    seen.sent.push([address, body]);
    return answers.length > 1 ? answers.shift() : answers[0].clone();
  };
  const wait = async (ms) => seen.waited.push(ms);
  return { seen, fetch, wait };
}

test("a run is checked from the text it came as", async () => {
  const { seen, ...how } = server(json(report, 200));
  assert.deepEqual(await checkRun('{"trace":-0.0}', how), { report });
  assert.deepEqual(seen.sent, [["/api/traces/check", '{"trace":-0.0}']]);
});

test("a checker that is busy is asked again when it says so, and given up at last", async () => {
  const busy = () => json({ title: "Busy" }, 503, { "Retry-After": "3" });
  const { seen, ...how } = server(busy(), busy(), json(report, 200));
  assert.deepEqual(await checkRun("{}", how), { report });
  assert.deepEqual(seen.waited, [3000, 3000]);
  assert.deepEqual(await checkRun("{}", server(busy())), { unchecked: "busy" });
});

test("a check that cannot be had says why", async () => {
  assert.deepEqual(await checkRun("{}", server(json({ title: "Too long" }, 413))), { unchecked: "long" });
  assert.deepEqual(await checkRun("{}", server(json({}, 200))), { unchecked: "fault" });
  assert.deepEqual(await checkRun("{}", server(new Response("<html>", { status: 500 }))), {
    unchecked: "fault",
  });
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  assert.deepEqual(await checkRun("{}", { fetch }), { unchecked: "network" });
});

test("a check of a run that is gone says nothing", async () => {
  const calling = new AbortController();
  const { fetch, wait } = server(json(report, 200));
  calling.abort();
  assert.deepEqual(await checkRun("{}", { fetch, wait, signal: calling.signal }), { aborted: true });
});

test("a seed is sent only where it is not 0", async () => {
  const sent = [];
  const fetch = async (_, { body }) => {
    sent.push(JSON.parse(body));
    return json({ trace: { rows: [] }, drawing: {} }, 201);
  };
  await runCode("x", { t, fetch, seed: 0 });
  await runCode("x", { t, fetch, seed: 7 });
  assert.deepEqual(sent, [{ code: "x" }, { code: "x", seed: 7 }]);
});
