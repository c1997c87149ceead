/**
 * Finding things in a run: what a text typed by the reader may mean, which node an expression stands for,
 * which rows are about a node. No DOM.
 */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/**
 * @typedef {{
 *   kind: "variable" | "node" | "line", label: string, note: string, ids: string[], line: number | null,
 * }} Found
 */

const MOST = 40;

/**
 * @typedef {{
 *   all: Found[], byLine: Map<number, {node: string, at: number[]}[]>, rows: Map<string, number[]>,
 * }} Index
 */
/** @type {WeakMap<Trace, Index>} */
const known = new WeakMap();

/** @param {Trace} trace */
function indexed(trace) {
  let found = known.get(trace);
  if (!found) {
    found = { all: everything(trace), byLine: byLine(trace), rows: byId(trace) };
    known.set(trace, found);
  }
  return found;
}

/** Everything that can be found, variables first. @param {Trace} trace @returns {Found[]} */
function everything(trace) {
  const { tensors, nodes, source } = trace;
  const idsOf = (/** @type {string} */ t) => [t, ...(tensors[t].node ? [tensors[t].node] : [])];
  const accumulators = new Map(
    Object.entries(nodes).flatMap(([n, { variable }]) => (variable ? [[variable, n]] : [])),
  );
  const variables = Object.entries(tensors).flatMap(([t, { names, kind, at }]) =>
    names.map((/** @type {string} */ label) => ({
      ...{ kind: "variable", label, note: noteOf(tensors[t], nodes, kind) },
      ids: [...idsOf(t), ...(accumulators.has(t) ? [accumulators.get(t)] : [])],
      line: at?.[0] ?? null,
    })),
  );
  const made = Object.entries(nodes).flatMap(([n, { name, seq, outputs, variable, at }]) =>
    variable
      ? []
      : [
          {
            ...{ kind: "node", label: `${name} #${seq}`, note: named(tensors, outputs) },
            ...{ ids: [n, ...outputs], line: at?.[0] ?? null },
          },
        ],
  );
  const lines = source
    .split("\n")
    .map((text, i) => ({ kind: "line", label: text.trim(), note: "", ids: [], line: i + 1 }));
  return /** @type {Found[]} */ ([...variables, ...made, ...lines.filter(({ label }) => label)]);
}

/** What tells a variable from others of its name. @param {any} tensor @param {any} nodes @param {any} kind */
function noteOf({ node }, nodes, kind) {
  return kind === "result" && nodes[node] ? `${nodes[node].name} #${nodes[node].seq}` : kind;
}

/** @param {Record<string, any>} tensors @param {string[]} outputs */
const named = (tensors, outputs) =>
  outputs
    .map((t) => tensors[t]?.names[0])
    .filter(Boolean)
    .join(", ");

/** @param {Trace} trace */
function byLine(trace) {
  const found = new Map();
  for (const [node, { at, variable }] of Object.entries(trace.nodes)) {
    if (!at || variable) continue;
    for (let line = at[0]; line <= at[2]; line += 1) {
      if (!found.has(line)) found.set(line, []);
      found.get(line).push({ node, at });
    }
  }
  return found;
}

/** @param {Trace} trace */
function byId(trace) {
  const found = new Map();
  const add = (/** @type {string | null} */ id, /** @type {number} */ k) => {
    if (!id) return;
    if (!found.has(id)) found.set(id, []);
    if (found.get(id).at(-1) !== k) found.get(id).push(k);
  };
  const told = new Set(["tensor_made", "op_applied", "node_ran", "grad_set", "parameter_updated"]);
  told.add("grad_accumulated");
  trace.rows.forEach((row, k) => {
    if (!told.has(row.kind)) return;
    add(row.node ?? null, k);
    add(row.tensor ?? null, k);
    for (const t of row.kind === "op_applied" ? row.outputs : []) add(t, k);
  });
  return found;
}

/**
 * Return what a text may mean: variables and nodes whose name has it, "12" or ":12" a line, any other line
 * that has it; what begins with it first.
 * @param {Trace} trace
 * @param {string} query
 * @returns {Found[]}
 */
export function find(trace, query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const line = /^:?(\d+)$/.exec(wanted);
  const score = (/** @type {Found} */ each) => {
    if (line && each.kind === "line" && each.line === Number(line[1])) return 0;
    const label = each.label.toLowerCase();
    if (label === wanted) return 1;
    if (label.startsWith(wanted)) return each.kind === "line" ? 5 : 2;
    if (!label.includes(wanted)) return each.note.toLowerCase().includes(wanted) ? 4 : 9;
    return each.kind === "line" ? 6 : 3;
  };
  const scored = indexed(trace).all.map((each) => ({ each, at: score(each) }));
  return scored
    .filter(({ at }) => at < 9)
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST)
    .map(({ each }) => each);
}

/**
 * Return the node whose expression stands at a place of the source, the innermost; of several runs of it the
 * one made last up to row k, else the first.
 * @param {Trace} trace
 * @param {number} line
 * @param {number} column
 * @param {number} k
 * @returns {string | null}
 */
export function nodeAt(trace, line, column, k) {
  const { byLine: lines, rows } = indexed(trace);
  const covers = (/** @type {number[]} */ at) =>
    (line > at[0] || column >= at[1]) && (line < at[2] || column < at[3]);
  const size = (/** @type {number[]} */ at) => (at[2] - at[0]) * 1e4 + at[3] - at[1];
  const here = (lines.get(line) ?? []).filter(({ at }) => covers(at));
  const least = Math.min(...here.map(({ at }) => size(at)));
  const inner = here.filter(({ at }) => size(at) === least);
  const made = inner.filter(({ node }) => (rows.get(node)?.[0] ?? Infinity) <= k);
  return (made.at(-1) ?? inner[0])?.node ?? null;
}

/**
 * Return the rows that make, run or change any of these nodes and tensors, in order.
 * @param {Trace} trace
 * @param {string[]} ids
 */
export function rowsAbout(trace, ids) {
  const { rows } = indexed(trace);
  return [...new Set(ids.flatMap((id) => rows.get(id) ?? []))].sort((a, b) => a - b);
}

/**
 * Return the nodes and tensors that a row is about, those that stand together in the graph.
 * @param {Trace} trace
 * @param {number} k
 * @returns {string[]}
 */
export function aboutRow(trace, k) {
  const row = trace.rows[k];
  if (!row) return [];
  const node = row.node ?? null;
  if (node) return [node, ...(trace.nodes[node]?.outputs ?? []), ...(row.tensor ? [row.tensor] : [])];
  return row.tensor ? [row.tensor] : (row.outputs ?? []);
}
