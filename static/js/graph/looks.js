/**
 * What an element of the graph shows at a moment: its texts, its phase, the values it holds. Pure,
 * no DOM. A moment is {trace, state, names, row}: the variables bound to each tensor now, and the row that
 * the step is about.
 */
import { t as word } from "#js/i18n.js";
import { subject } from "#js/trace/stops.js";
import { shapeText } from "#js/trace/values.js";
import { fitted, fittedValue, SANS, textWidth } from "#js/graph/shapes.js";
import { leafRows, paths } from "#js/graph/slots.js";

const INSIDE = 28;
const SHOWN_ARGUMENTS = new Set(["self", "other", "exponent"]);

/**
 * What the looks are made from: the state, the names bound to each tensor in it, the row that the step is
 * about.
 */
export function momentOf(trace, state, level = "chain") {
  const names = new Map();
  for (const [name, tensor] of state.names) {
    names.set(tensor, names.has(tensor) ? `${names.get(tensor)}, ${name}` : name);
  }
  return { trace, state, names, level, row: trace.rows[subject(trace, state.k)] ?? null };
}

/** @type {WeakMap<object, Map<string, {k: number, node: string}[]>>} */
const known = new WeakMap();

/** The rows that give each tensor its value by an operation; more than one where it is changed in place. */
const MAKES = ["tensor_made", "detached", "data_replaced"];

function writers(trace) {
  if (known.has(trace)) return known.get(trace);
  const found = new Map();
  trace.rows.forEach((row, k) => {
    for (const id of Object.keys(row.seen ?? {}))
      if (!found.has(id)) found.set(id, [{ k, node: trace.tensors[id].node }]);
    if (row.kind !== "op_applied") return;
    for (const id of row.outputs) found.set(id, [...(found.get(id) ?? []), { k, node: row.node }]);
  });
  known.set(trace, found);
  return found;
}

/** @type {WeakMap<object, Map<string, string[]>>} */
const inView = new WeakMap();

/** The results of nodes that no row has applied, such as those that a backward pass made, as far as seen. */
function unmade(trace) {
  if (inView.has(trace)) return inView.get(trace);
  const found = new Map();
  for (const id of new Set(trace.rows.flatMap((row) => Object.keys(row.seen ?? {})))) {
    const node = trace.tensors[id].node;
    if (node && !trace.nodes[node].outputs.includes(id)) found.set(node, [...(found.get(node) ?? []), id]);
  }
  inView.set(trace, found);
  return found;
}

/** The tensors that are a node's results now: what a later operation changed in place is that one's. */
function results({ trace, state }, node) {
  const isOf = (id) =>
    writers(trace)
      .get(id)
      ?.findLast(({ k }) => k <= state.k)?.node === node;
  const all = [...trace.nodes[node].outputs, ...(unmade(trace).get(node) ?? [])];
  return all.filter((id) => state.value.has(id) && isOf(id));
}

/** The word for an operation and its plain arguments: "pow 2". */
export function opLabel(node) {
  const plain = node.args.filter(
    ([name, arg]) => "text" in arg && SHOWN_ARGUMENTS.has(name) && arg.text.length <= 6,
  );
  return [node.op ?? node.name, ...plain.map(([, arg]) => arg.text)].join(" ");
}

function valueText({ trace, state }, tensor, room) {
  if (!tensor || !state.value.has(tensor)) return { text: "" };
  return fittedValue(trace, state.value.get(tensor), room);
}

function note(kind, shape, room) {
  const whole = `${word(kind)} · ${shapeText(shape)}`;
  const fits = (text) => textWidth(text, 10.5) <= room;
  if (fits(whole)) return whole;
  return fits(shapeText(shape)) ? shapeText(shape) : "";
}

function leafPhase(state, ids) {
  if (!state.value.has(ids.tensor)) return "ghost";
  const phase = ids.accumulate && state.phase.get(ids.accumulate);
  return phase && phase !== "ghost" ? phase : "made";
}

function leafNow(row, ids, slot) {
  if (slot.sum) return "sum";
  if (row?.kind === "aliases_changed" && row.tensors.some(([id]) => id === ids.tensor)) return "value";
  if (!row || row.tensor !== ids.tensor) return null;
  if (row.kind === "grad_set") return "slot";
  if (row.kind === "parameter_updated") return "value";
  return ["tensor_made", "data_replaced"].includes(row.kind) ? "value" : null;
}

/** What a leaf holds, each with its label, for whoever wants to see or copy it whole. */
function leafValues({ state }, tensor, name) {
  if (!state.value.has(tensor)) return [[name]];
  return [
    [name, state.value.get(tensor)],
    [`${name}.grad`, state.grad.get(tensor) ?? null],
  ];
}

function leafWords(name, value, rows, phase) {
  if (phase === "ghost") return `${name}: ${word("phase.ghost")}`;
  return [`${name} = ${value}`, ...rows.map((row) => `${row.label} ${row.text}`.trim())].join("; ");
}

function leaf(moment, ids, width) {
  const fact = moment.trace.tensors[ids.tensor];
  const name = fact.names[0] ?? moment.names.get(ids.tensor) ?? "";
  const title = fitted(name, width - INSIDE, { size: 15, least: 11, ratio: 0.6 });
  const value = valueText(moment, ids.tensor, width - INSIDE);
  const slot = leafRows(moment, ids, width - INSIDE);
  const phase = leafPhase(moment.state, ids);
  const kind = fact.parameter ? "graph.parameter" : "graph.leaf";
  const room = width - INSIDE - 8 - title.text.length * title.size * 0.6;
  const move = { tensor: ids.tensor };
  const texts = { name: title, note: note(kind, fact.shape, room), value: { ...value, move } };
  slot.rows.forEach((row, i) => Object.assign(texts, { [`label${i}`]: row.label, [`text${i}`]: row }));
  const data = {
    "data-var": name,
    "data-value": value.text,
    "data-grad": slot.grad,
    "data-phase": phase,
    "data-now": leafNow(moment.row, ids, slot),
    "aria-label": leafWords(name, value.text, slot.rows, phase),
  };
  return { texts, data, values: leafValues(moment, ids.tensor, name) };
}

function opStatus({ state, row, level }, node, phase) {
  if (row?.kind === "error" && row.node === node) return { text: word("phase.failed"), tone: "error" };
  const waiting = phase === "made" ? paths(state, node) : null;
  if (waiting && (waiting.total > 1 || level === "engine")) return { text: waiting.text, tone: "engine" };
  if (phase === "ghost" || phase === "made") return { text: "", tone: null };
  return { text: word(`phase.${phase}`), tone: { ready: "engine", running: "grad" }[phase] ?? null };
}

function opTexts(node, bound, status, phase, width, level) {
  const label = opLabel(node);
  const op = node.op ?? node.name;
  const room = width - 30 - bound.length * 7;
  const number = level === "engine" && node.seq !== null ? ` #${node.seq}` : "";
  const fn = phase === "ghost" ? "" : `${node.name}${number}`;
  return {
    name: fitted(label.length * 8 > room ? op : label, Math.max(room, 40), {
      size: 14,
      least: 11,
      ratio: SANS,
    }),
    bound: fitted(bound, Math.max(16, width - 30 - op.length * 8), { size: 11.5, least: 10 }),
    fn: fitted(fn, width - 22, { size: 10.5, least: 8.6, ratio: SANS }),
    badge: status,
  };
}

function opValues({ trace, state }, ids, tensors, bound) {
  const node = trace.nodes[ids.node];
  const heading = [node.seq === null ? node.name : `${node.name} #${node.seq}`];
  const made = tensors.map((tensor) => [bound || word("graph.value"), state.value.get(tensor)]);
  const received = (state.received.get(ids.node) ?? []).map((grad) => [word("graph.received"), grad]);
  return [heading, ...made, ...received];
}

function op(moment, ids, width) {
  const { trace, state, names, row } = moment;
  const node = trace.nodes[ids.node];
  const tensors = results(moment, ids.node);
  const tensor = tensors[0] ?? null;
  const phase = state.phase.get(ids.node) ?? "ghost";
  const bound = tensor ? (names.get(tensor) ?? "") : "";
  const status = opStatus(moment, ids.node, phase);
  const value = valueText(moment, tensor, width - 24);
  const now = row?.node === ids.node ? ({ op_applied: "value", error: "error" }[row.kind] ?? null) : null;
  const words = [opLabel(node), node.name, status.text || word(`phase.${phase}`)];
  if (value.text) words.push(`${bound || word("graph.value")} = ${value.text}`);
  const data = {
    "data-node": node.name,
    "data-phase": phase,
    "data-now": now,
    "aria-label": words.join(", "),
  };
  return {
    texts: { ...opTexts(node, bound, status, phase, width, moment.level), value },
    data,
    values: opValues(moment, ids, tensors, bound),
  };
}

function data(moment, ids, width) {
  const { trace, state, names, row } = moment;
  const fact = trace.tensors[ids.tensor];
  const made = state.value.has(ids.tensor);
  const name = names.get(ids.tensor) ?? fact.names[0] ?? "";
  const value = valueText(moment, ids.tensor, width - 24);
  const texts = {
    name: fitted(name, width - 24, { size: 13, least: 10 }),
    note: note("graph.data", fact.shape, width - 34 - name.length * 8),
    value: { ...value, move: { tensor: ids.tensor } },
  };
  const attributes = {
    "data-tensor": name,
    "data-value": value.text,
    "data-phase": made ? "made" : "ghost",
    "data-now": MAKES.includes(row?.kind) && row.tensor === ids.tensor ? "value" : null,
    "aria-label": made ? `${name} = ${value.text}` : `${name}: ${word("phase.ghost")}`,
  };
  const values = [made ? [name, state.value.get(ids.tensor)] : [name]];
  return { texts, data: attributes, values };
}

const looks = { leaf, op, data };

/** The look of one part: texts by name, attributes of its group, and what it holds: [label, value id]. */
export function look(moment, part, ids) {
  return looks[part.kind](moment, ids, part.box.width);
}
