/**
 * One true sentence per step: which text of the dictionary tells a row, and the parts that fill it.
 * Says only what the row proves. Backward rows of nodes are in `words_node.js`.
 */

import * as labels from "#js/trace/labels.js";
import { limitText, messageText } from "#js/trace/refusals.js";
import { fill, speaker } from "#js/trace/speech.js";
import { subject } from "#js/trace/stops.js";
import { shapeText } from "#js/trace/values.js";
import { nodeWords } from "#js/trace/words_node.js";
import { optimizerWords } from "#js/trace/words_optimizer.js";
import { savingWords } from "#js/trace/words_saving.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/labels.js").Translate} Translate */
/** @typedef {import("#js/trace/speech.js").Saying} Saying */
/** @typedef {import("#js/trace/speech.js").Speaker} Speaker */

const LONGEST_PRINT = 60;
const LONGEST_MESSAGE = 180;

/**
 * Return the sentence of a row as parts of text.
 * @param {Trace} trace
 * @param {State} state the state after the row
 * @param {Row | null} row null: before the first row
 * @param {Translate} t
 * @returns {Part[]}
 */
export function sentence(trace, state, row, t) {
  if (!row) return [{ text: t(trace.rows.length > 0 ? "row.start" : "row.nothing") }];
  const told = row === trace.rows[state.k] ? trace.rows[subject(trace, state.k)] : row;
  const say = forward[told.kind] ?? nodeWords[told.kind];
  const saying = say
    ? say(told, speaker(trace, state, t))
    : [{ key: "row.unknown", values: { kind: told.kind } }];
  const parts = saying.flatMap(({ key, values = {} }, i) => [
    ...(i > 0 ? [{ text: t("list.sentence") }] : []),
    ...fill(t(key), values),
  ]);
  return t(saying[0].key).startsWith("{") ? [capital(parts[0]), ...parts.slice(1)] : parts;
}

/**
 * A sentence that begins with a description ("the result of …") begins with a capital; code stays as it is.
 * @param {Part} part
 */
const capital = (part) =>
  part.code ? part : { ...part, text: part.text.replace(/^\p{Ll}/u, (c) => c.toUpperCase()) };

/** How a program's text asks for a tensor's numbers. */
/** @type {Record<string, string>} */
const READ = { item: ".item()", tolist: ".tolist()", numpy: ".numpy()", index: "int()" };
for (const kind of ["float", "int", "complex", "bool"]) READ[kind] = `${kind}()`;

/** @type {Record<string, (row: Row, to: Speaker) => Saying>} */
const forward = {
  tensor_made(row, to) {
    const kind = ["leaf", "data"].find((each) => each === to.trace.tensors[row.tensor].kind) ?? "plain";
    const { names } = to.trace.tensors[row.tensor];
    const isBound = names.some((/** @type {string} */ name) => to.state.names.get(name) === row.tensor);
    const source = isBound ? null : labels.expressionOf(to.trace, row.tensor);
    const name = source === null ? to.tensor(row.tensor) : to.code(source);
    const values = { name, value: to.value(row.value), grad: to.gradOf(row.tensor) };
    return [{ key: `row.tensor_made.${kind}`, values }];
  },
  detached: cut,
  version_bumped(row, to) {
    const values = { name: to.tensor(row.tensor), before: String(row.before), after: String(row.after) };
    return [{ key: "row.version_bumped", values }];
  },
  aliases_changed(row, to) {
    const shown = (/** @type {string[]} */ [id, v]) => [to.tensor(id), { text: " " }, to.value(v)];
    const name = row.by === "grad" ? to.gradOf : to.tensor;
    const values = { others: to.list(row.tensors.map(shown)), written: row.written ? name(row.written) : "" };
    return [{ key: `row.aliases_changed.${row.by}`, values }];
  },
  rebased(row, to) {
    const values = {
      name: to.tensor(row.tensor),
      before: row.before ? labels.plainNode(to.trace, row.before) : "",
      after: labels.plainNode(to.trace, row.after),
    };
    const known = { CopySlices: "copy_slices", AsStridedBackward0: "as_strided" };
    const way = known[/** @type {"CopySlices"} */ (to.trace.nodes[row.after].name)] ?? "plain";
    const moved = row.before ? "row.rebased" : "row.rebased.first";
    return [{ key: moved, values }, { key: `row.rebased.${way}` }];
  },
  data_replaced: (row, to) => [
    {
      key: "row.data_replaced",
      values: {
        name: to.tensor(row.tensor),
        source: to.tensor(row.source),
        before: to.value(row.before),
        after: to.value(row.after),
      },
    },
  ],
  value_read(row, to) {
    const values = { name: to.tensor(row.tensor), how: to.code(READ[row.how] ?? row.how) };
    const kind = to.trace.tensors[row.tensor].kind === "data" ? "plain" : "cut";
    const shared = row.how === "numpy" ? "numpy" : kind;
    return [{ key: `row.value_read.${shared}`, values: { ...values, value: to.value(row.value) } }];
  },
  op_applied: applied,
  names_bound: bound,
  printed(row, to) {
    const text = firstLine(row.text, LONGEST_PRINT);
    return text ? [{ key: "row.printed", values: { text: to.code(text) } }] : [{ key: "row.printed.empty" }];
  },
  echo: (row, to) => [
    {
      key: "row.echo",
      values: {
        expression: to.code(labels.sourceText(to.trace, row.at) ?? "…"),
        text: to.code(firstLine(row.text, LONGEST_PRINT)),
      },
    },
  ],
  stand_in: (row, to) => [{ key: "row.stand_in", values: { call: to.code(row.call) } }],
  plotted: (row) => [{ key: "row.plotted", values: { count: String(row.series.length) } }],
  seeded: (row, to) => [
    { key: "row.seeded", values: { generator: to.code(row.generator), seed: to.code(String(row.seed)) } },
  ],
  warning: (row, to) => [
    {
      key: "row.warning",
      values: { category: to.code(row.category), message: firstLine(row.message, LONGEST_MESSAGE) },
    },
  ],
  grad_set(row, to) {
    const values = {
      grad: to.gradOf(row.tensor),
      before: to.stored(row.before),
      after: to.stored(row.after),
      cause: to.code(`${row.cause}()`),
    };
    const known = ["zero_grad", "assigned", "numpy"].includes(row.cause) ? row.cause : "in_place";
    if (row.before !== row.after) return [{ key: `row.grad_set.${known}`, values }];
    return [{ key: `row.grad_set.same${known === "in_place" ? ".in_place" : ""}`, values }];
  },
  module_entered: (row, to) => [
    { key: "row.module_entered", values: { module: moduleName(row.module, to) } },
  ],
  module_left: (row, to) => [{ key: "row.module_left", values: { module: moduleName(row.module, to) } }],
  grad_mode: (row) => [{ key: row.enabled ? "row.grad_mode.on" : "row.grad_mode.off" }],
  retain_grad: (row, to) => [
    { key: "row.retain_grad", values: { name: to.tensor(row.tensor), grad: to.gradOf(row.tensor) } },
  ],
  hook_registered: (row, to) => [
    {
      key: "row.hook_registered",
      values: {
        hook: to.code(row.hook),
        owner: to.trace.nodes[row.owner] ? to.node(row.owner) : to.tensor(row.owner),
        when: to.t(`hook.${row.when.replace(/\W+/g, "_")}`),
      },
    },
  ],
  ...optimizerWords,
  ...savingWords,
  error: failed,
  limit: (row, to) => [{ key: "row.limit", values: { reason: limitText(row, to.t) } }],
};

/**
 * A tensor without history: no gradient can flow from it back to its source.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {Saying}
 */
function cut(row, to) {
  const values = { name: to.tensor(row.tensor), source: to.tensor(row.source), value: to.value(row.value) };
  if (row.how === "detach_") return [{ key: "row.detached.in_place", values }];
  const expression = labels.expressionOf(to.trace, row.tensor) ?? `.${row.how}`;
  const name = labels.nameOf(to.trace, to.state, row.tensor);
  const form = name && to.state.names.get(name) === row.tensor ? "named" : "unnamed";
  const kind = to.trace.tensors[row.source].kind === "data" ? "plain" : "cut";
  return [
    { key: `row.op_applied.${form}`, values: { ...values, expression: to.code(expression) } },
    { key: `row.detached.${kind}`, values },
  ];
}

/** @param {Row} row @param {Speaker} to @returns {Saying} */
function applied(row, to) {
  const { trace, state } = to;
  const output = row.outputs[0];
  const name = output && labels.nameOf(trace, state, output);
  const expression =
    (output && labels.expressionOf(trace, output)) ??
    labels.callText(trace, state, /** @type {any} */ (row)) ??
    `${row.op}(…)`;
  const values = {
    name: to.tensor(output),
    expression: to.code(expression),
    op: to.code(row.op),
    node: row.node ? plain(row.node, to) : "",
    value: to.list(row.values.map((/** @type {string} */ v) => [to.value(v)])),
  };
  const form = name && state.names.get(name) === output ? "named" : "unnamed";
  const made = row.inplace ? "in_place" : form;
  const noted = row.node ? "recorded" : notRecorded(state);
  return [
    { key: `row.op_applied.${made}`, values },
    { key: `row.op_applied.${noted}`, values },
    ...to.notFinite("row.op_applied.not_finite", row.values),
  ];
}

/** @param {State} state */
const notRecorded = (state) => (state.gradEnabled ? "not_recorded" : "off");

/** @param {string} node @param {Speaker} to */
const plain = (node, to) => labels.plainNode(to.trace, node);

/**
 * A line that gives tensors names without making them.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {Saying}
 */
function bound(row, to) {
  const [[name, tensor] = [], ...others] = Object.entries(row.names);
  const many = (/** @type {string[]} */ names) =>
    to.list(
      names.map((each) => [to.code(each)]),
      "list.comma",
    );
  if (name === undefined) return [{ key: "row.names_bound.gone", values: { names: many(row.unbound) } }];
  if (others.some(([, other]) => other !== tensor)) {
    return [{ key: "row.names_bound.many", values: { names: many(Object.keys(row.names)) } }];
  }
  const twin = [...to.state.names].find(([other, id]) => id === tensor && !Object.hasOwn(row.names, other));
  const shape = to.code(shapeText(to.trace.tensors[tensor].shape));
  const value = to.state.value.get(tensor);
  const values = { names: many(Object.keys(row.names)), value: to.value(value), shape };
  if (!twin) return [{ key: value === undefined ? "row.names_bound.unseen" : "row.names_bound", values }];
  return [{ key: "row.names_bound.alias", values: { ...values, other: to.code(twin[0]) } }];
}

/**
 * @param {string} module
 * @param {Speaker} to
 */
function moduleName(module, to) {
  const { path, type } = to.trace.modules[module];
  return to.code(path ? `${path} (${type})` : type);
}

/** @param {Row} row @param {Speaker} to @returns {Saying} */
function failed(row, to) {
  const message = firstLine(messageText(/** @type {any} */ (row), to.t), LONGEST_MESSAGE);
  const refused = to.trace.outcome?.kind === "refused";
  const values = { type: to.code(row.type), message, line: String(row.at?.[0] ?? "") };
  const place = row.at ? "line" : "nowhere";
  /** @type {Saying} */
  const saying = [{ key: refused ? `row.error.refused.${place}` : "row.error", values }];
  const { cause } = row;
  if (!cause) return saying;
  const line = cause.at ? String(cause.at[0]) : "?";
  const expression = to.code(labels.sourceText(to.trace, cause.at) ?? "backward()");
  if (cause.what === "freed") {
    const node = row.node ? to.node(row.node) : to.t("label.node");
    saying.push({ key: "row.error.freed", values: { node, expression, line } });
  }
  if (cause.what === "changed")
    saying.push({ key: "row.error.changed", values: { name: to.tensor(cause.tensor), line } });
  return saying;
}

/**
 * The first line of a text, cut at the end of a word where it is too long.
 * @param {string} text
 * @param {number} longest
 */
function firstLine(text, longest) {
  const [line, ...rest] = text.trimEnd().split("\n");
  if (line.length <= longest) return rest.length > 0 ? `${line} …` : line;
  return `${line.slice(0, longest).replace(/\s+\S*$/, "")} …`;
}
