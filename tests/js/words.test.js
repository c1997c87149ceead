/** One true sentence per step, in both languages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import { callText } from "../../static/js/trace/labels.js";
import { fill } from "../../static/js/trace/speech.js";
import { stops } from "../../static/js/trace/stops.js";
import { sentence } from "../../static/js/trace/words.js";
import { find, languages, plainText, say, sayRow } from "./said.js";
import { builder, dictionary, everyKind, everyTrace, rowKinds, training, twoPaths } from "./traces.js";

for (const { name, trace } of everyTrace()) {
  for (const [language, t] of Object.entries(languages)) {
    test(`every row has a whole sentence: ${name}, ${language}`, () => {
      const past = history(trace);
      const rows = trace.rows.length > 600 ? trace.rows.slice(0, 100) : trace.rows;
      rows.forEach((row, k) => {
        const state = past.at(k);
        const text = plainText(sentence(trace, state, state.row, t));
        const printed = ["printed", "error", "limit"].includes(row.kind);
        assert.ok(text.length > 3, `row ${k} (${row.kind}) says nothing`);
        assert.doesNotMatch(text, /undefined|NaN|\[object/, `row ${k}: ${text}`);
        if (!printed)
          assert.doesNotMatch(text, /\{\w+\}|\b(?:row|op|how|label|list)\.\w/, `row ${k}: ${text}`);
        if (!printed) assert.match(text, language === "en" ? /[.!]$/ : /。$/, `row ${k}: ${text}`);
      });
    });
  }
}

test("the rows of tests hold every kind there is", () => {
  const kinds = new Set(everyKind().rows.map((row) => row.kind));
  assert.deepEqual(
    rowKinds().filter((kind) => !kinds.has(kind)),
    [],
  );
});

test("every kind has a text of its own in both languages", () => {
  for (const language of Object.keys(languages)) {
    const keys = Object.keys(dictionary(language));
    for (const kind of rowKinds()) {
      assert.ok(
        keys.some((key) => key === `row.${kind}` || key.startsWith(`row.${kind}.`)),
        `${language}: ${kind}`,
      );
    }
  }
});

test("before the first row there is a sentence too", () => {
  const trace = twoPaths();
  const parts = sentence(trace, history(trace).at(-1), null, languages.en);
  assert.match(plainText(parts), /Press →/);
});

test("a line is told with its name, its value and what it recorded", () => {
  const trace = twoPaths();
  assert.equal(say(trace, 1), "x is made: [1., 2.]. It is a leaf: backward() can write x.grad.");
  assert.equal(say(trace, 5), "y = w * x is [0.5, -2.]. Its grad_fn is MulBackward0.");
  assert.equal(say(trace, 8), "x.sum() is 3. Its grad_fn is SumBackward0.");
  assert.equal(say(trace, 5, "zh"), "y = w * x，结果是 [0.5, -2.]。它的 grad_fn 是 MulBackward0。");
});

test("accumulation, emptying and updating have their numbers", () => {
  const trace = training(1);
  assert.equal(sayRow(trace, "grad_accumulated"), "w.grad was None; 2. is stored.");
  assert.equal(sayRow(trace, "grad_set"), "zero_grad() empties w.grad: 2. becomes None.");
  assert.equal(sayRow(trace, "parameter_updated"), "w is updated by p - lr * g: 3. - 0.0625 * 2. = 2.875.");
  const row = { ...trace.rows[find(trace, "grad_accumulated")], before: "v1", arriving: "v3", after: "v2" };
  trace.rows[find(trace, "grad_accumulated")] = row;
  assert.match(sayRow(trace, "grad_accumulated"), /^w\.grad accumulates: 3\. \+ .+ = /);
});

test("a formula with a name that has no number is not half filled in", () => {
  const trace = training(1);
  trace.rows[find(trace, "parameter_updated")].formula = "p - lr * g / (sqrt(v) + eps)";
  assert.equal(
    sayRow(trace, "parameter_updated"),
    "w is updated by p - lr * g / (sqrt(v) + eps): 3. becomes 2.875.",
  );
});

test("functions in a formula stay, names become numbers", () => {
  const trace = training(1);
  const row = trace.rows[find(trace, "parameter_updated")];
  Object.assign(row, {
    formula: "p - lr * m / (sqrt(v) + eps)",
    terms: { lr: 0.5, m: row.grad, v: row.grad, eps: 0.25 },
  });
  assert.equal(
    sayRow(trace, "parameter_updated"),
    "w is updated by p - lr * m / (sqrt(v) + eps): 3. - 0.5 * 2. / (sqrt(2.) + 0.25) = 2.875.",
  );
});

test("an update in several steps says what moves, and what is kept for the next one", () => {
  const trace = training(1);
  const row = trace.rows[find(trace, "parameter_updated")];
  Object.assign(row, {
    formula: "buf = g; p - lr * buf",
    terms: { lr: 0.5, buf: row.grad },
    state: [["momentum_buffer", "buf", null, row.grad]],
  });
  const told = "SGD moves w from 3. to 2.875. For the next step it keeps momentum_buffer 2.";
  assert.equal(sayRow(trace, "parameter_updated"), told);
});

test("a planned rate says what it was, and by what it changes", () => {
  const trace = everyKind();
  const places = trace.rows.flatMap((row, k) => (row.kind === "lr_scheduled" ? [k] : []));
  assert.deepEqual(
    places.map((k) => say(trace, k).replace(/^.*learning rate of optimizer/, "…")),
    [
      "… goes from 0.1 to 0.05 by lr * gamma (parameter group 0).",
      "… stays 0.05 (parameter group 0).",
      "… goes from 0.05 to 0.5 (parameter group 0).",
    ],
  );
});

test("an error names its cause: what was freed, by what, in which line", () => {
  const text = say(everyKind(), everyKind().rows.length - 1);
  assert.match(text, /^RuntimeError: Trying to backward through the graph a second time/);
  assert.match(text, /What PowBackward0 \(y \*\* 2\) had saved was freed by z\.backward\(\) in line 6\.$/);
});

test("a program that was not run says so, with its line", () => {
  const row = {
    kind: "error",
    at: [2, 4, 2, 5],
    type: "SyntaxError",
    message: "'[' was never closed",
    node: null,
    cause: null,
  };
  const trace = { ...builder("").trace, rows: [row], outcome: { kind: "refused" } };
  assert.match(say(trace, 0), /^The program was not run.*line 2.*SyntaxError: '\[' was never closed$/);
});

test("a long message is cut at a word", () => {
  const trace = everyKind();
  trace.rows.at(-1).message = `${"word ".repeat(100)}\nsecond line`;
  assert.match(say(trace, trace.rows.length - 1), /word … What/);
});

test("a limit is told with its number in the reader's language, an unknown one as it was written", () => {
  const tell = (limit, message, language) =>
    say({ ...builder("").trace, rows: [{ kind: "limit", at: null, limit, message }] }, 0, language);
  assert.equal(
    tell("rows", "Stopped after 20,000 steps."),
    "The run ends here. It may have at most 20,000 steps.",
  );
  assert.equal(tell("time", "Stopped after 5 s: no more.", "zh"), "运行到此为止。最多允许运行 5 秒。");
  assert.match(tell("crash", "Stopped."), /It ended unexpectedly\.$/);
  assert.match(tell("moon", "The moon set."), /here\. The moon set\.$/);
});

test("a program without rows is not told to press a key", () => {
  const { trace } = builder("# nothing");
  const parts = sentence(trace, history(trace).at(-1), null, languages.en);
  assert.match(plainText(parts), /nothing to step through/);
});

test("a call says what the reader wrote, not what PyTorch fills in", () => {
  const args = [
    ["self", { text: "4.25" }],
    ["other", { text: "3." }],
    ["alpha", { text: "1" }],
  ];
  const { trace } = builder("");
  const state = history(trace).at(-1);
  assert.equal(callText(trace, state, { op: "add", args }), "4.25 + 3.");
  args[2][1].text = "2";
  assert.equal(callText(trace, state, { op: "add", args }), "add(4.25, 3., 2)");
  const loss = (text) => [args[0], ["target", { text: "3." }], ["reduction", { text }]];
  assert.equal(callText(trace, state, { op: "mse_loss", args: loss("1") }), "mse_loss(4.25, 3.)");
  assert.equal(
    callText(trace, state, { op: "mse_loss", args: loss("2") }),
    'mse_loss(4.25, 3., reduction="sum")',
  );
});

test("nan and inf are named by the step that holds them", () => {
  const trace = twoPaths();
  trace.values.bad = { dtype: "float32", shape: [2], data: ["nan", "-inf"] };
  const made = find(trace, "op_applied");
  trace.rows[made] = { ...trace.rows[made], values: ["bad"] };
  assert.match(say(trace, made), /The result contains nan and inf\.$/);
  assert.match(say(trace, made, "zh"), /结果中含有 nan 和 inf。$/);
  const k = find(trace, "node_ran", (row) => row.grads.length > 0);
  trace.rows[k] = { ...trace.rows[k], grads: trace.rows[k].grads.map(() => "bad"), rules: [] };
  assert.match(say(trace, k), /What it passes on contains nan and inf\.$/);
});

test("a third path is added to the sum so far", () => {
  const trace = twoPaths();
  const k = find(trace, "grad_summed");
  assert.match(say(trace, k), /^Two gradients meet/);
  trace.rows.splice(k + 1, 0, trace.rows[k]);
  trace.rows[k + 1] = { ...trace.rows[k] };
  assert.match(say(trace, k + 1), /the sum so far/);
});

test("a number's dot and 。 do not touch", () => {
  assert.equal(plainText(fill("是 {v}。", { v: { text: "5." } })), "是 5. 。");
});

test("an unknown kind is told as what it is", () => {
  const trace = { ...builder("").trace, rows: [{ kind: "comet_seen", at: null }] };
  assert.equal(say(trace, 0), "Something happened: comet_seen.");
});

test("a number's dot ends the sentence, and parts keep their tones and subjects", () => {
  assert.equal(plainText(fill("It is {v}. Then {w}.", { v: { text: "3." }, w: "2" })), "It is 3. Then 2.");
  const trace = twoPaths();
  const k = find(trace, "edge_flowed");
  const parts = sentence(trace, history(trace).at(k), trace.rows[k], languages.en);
  assert.deepEqual(
    parts.find((part) => part.tone === "grad"),
    { text: "1.", code: true, tone: "grad", v: trace.rows[k].grad },
  );
  assert.ok(parts.some((part) => part.ref === "n5" && part.code));
});

test("an inner result of a larger expression is called by its own call, not by the expression", () => {
  const b = builder("y = model(x)\n");
  b.tensor("t1", "leaf", ["w"]);
  const applied = (op, node, input, output) => {
    const args = [["self", { tensor: input }]];
    const at = b.row(
      "op_applied",
      { op, node, args, outputs: [output], values: [b.value(1)], inplace: false, saved: [] },
      "model(x)",
    );
    b.tensor(output, "result", [], { at, node });
    b.node(node, `${op}Backward0`, { op, args, outputs: [output] });
  };
  applied("t", "n1", "t1", "t2");
  applied("exp", "n2", "t2", "t3");
  b.row("names_bound", { names: { y: "t3" }, unbound: [] }, "y");
  b.trace.tensors.t3.names.push("y");
  assert.match(say(b.trace, 0), /^t\(w\) is 1\./);
  assert.match(say(b.trace, 2), /^y = model\(x\) is 1\./);
});

test("a name that means another tensor by now is not used for the earlier one", () => {
  const trace = training(2);
  const second = history(trace).at(trace.rows.length - 1);
  const row = trace.rows[find(trace, "node_ran")];
  assert.match(plainText(sentence(trace, second, row, languages.en)), /the gradient of w \* 2/);
});

test("every step of a run is told differently from the step before it", () => {
  const trace = twoPaths();
  const told = stops(trace, "chain").map((k) => say(trace, k));
  told.slice(1).forEach((text, i) => assert.notEqual(text, told[i]));
});

test("a variable that is bound later is no earlier one, whoever has its name now", () => {
  const trace = {
    source: "t = f()\nt = f()",
    tensors: {
      t1: { kind: "data", shape: [], dtype: "float32", node: null, output_nr: 0, at: null, names: ["t"] },
      t2: { kind: "data", shape: [], dtype: "float32", node: null, output_nr: 0, at: null, names: ["t"] },
    },
    nodes: {},
    modules: {},
    values: { v1: { dtype: "float32", shape: [], data: 1 } },
    rows: [
      { kind: "tensor_made", at: null, tensor: "t1", value: "v1" },
      { kind: "names_bound", at: [1, 0, 1, 7], names: { t: "t1" }, unbound: [] },
      { kind: "tensor_made", at: null, tensor: "t2", value: "v1" },
      { kind: "names_bound", at: [2, 0, 2, 7], names: { t: "t2" }, unbound: [] },
    ],
  };
  assert.match(say(trace, 2), /^A tensor of shape \(\) is made/);
  assert.match(say(trace, 0), /^t is made/);
});

test("a write in place that changes nothing is not told as an assignment", () => {
  const { trace } = everyTrace().find(({ name }) => name === "clipped.json");
  const told = trace.rows.map((_, k) => say(trace, k));
  assert.ok(told.every((text) => !/set again and stays/.test(text)));
});
