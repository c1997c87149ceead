/**
 * What every kind of row means: one handler per kind folds a row into the state.
 * Knows no elements, no words, no clock.
 *
 * Maps and arrays hold values that are replaced, never changed, so a shallow copy of a state is a keyframe.
 */

import { begin, bufferKey, edgeKey, emptyBuffers, finish, settle } from "#js/trace/passes.js";
import { copy, initial } from "#js/trace/state.js";
import { warningText } from "#js/trace/stderr.js";

export { bufferKey, copy, edgeKey, initial };

/**
 * @typedef {[number, number, number, number] | null} Span
 * @typedef {"ghost" | "made" | "ready" | "running" | "ran" | "freed"} Phase
 * @typedef {{kind: string, at: Span, [field: string]: any}} Row
 * @typedef {{
 *   call: number, api: string, roots: string[], root_nodes: (string | null)[], grads: (string | null)[],
 *   missing: Record<string, number>, running: string | null, k: number,
 *   outer: Backward | null, kept: Kept | null,
 * }} Backward
 * @typedef {{expected: Map<string, number>, missing: Map<string, number>, buffer: Map<string, string>,
 *   queue: string[]}} Kept
 * @typedef {{source: string, rows: Row[], tensors: Record<string, any>, nodes: Record<string, any>,
 *   modules: Record<string, any>, values: Record<string, any>, outcome: any}} Trace
 * @typedef {ReturnType<typeof import("#js/trace/state.js").initial>} State
 */

/**
 * Return what waits in the queues after a row: of a pass that devices share, a row tells one device's queue.
 * @param {{queue: string[]}} s
 * @param {Row} row
 * @param {Trace} trace
 */
function queued(s, row, trace) {
  const there = (/** @type {string} */ node) => (trace.nodes[node]?.device ?? "cpu") === row.device;
  const others = row.device ? s.queue.filter((node) => !there(node) && node !== row.node) : [];
  return others.length ? [...others, ...row.queue] : row.queue;
}

/**
 * Fold one row into `state` (in place) and return it. A kind without a handler is a plain step.
 * @param {State} state
 * @param {Row} row
 * @param {Trace} trace
 * @returns {State}
 */
export function apply(state, row, trace) {
  state.k += 1;
  state.row = row;
  if (row.kind !== "names_bound" || !sameLine(state.at, row.at)) state.at = row.at;
  state.focus = subjectOf(row) ?? state.focus;
  for (const [tensor, v] of Object.entries(row.seen ?? {})) see(state, tensor, v, trace);
  on[row.kind]?.(state, row, trace);
  return state;
}

/** @param {number} which the optimizer's number @param {string | number} part a parameter, or a group */
export const keptKey = (which, part) => `${which}:${part}`;

/** Hooks whose answer is what the node's rules get. */
const BEFORE_RULES = new Set(["tensor", "before the node"]);

/**
 * A tensor that no row has made is in view from now on.
 * @param {State} s
 * @param {string} tensor
 * @param {string} v
 * @param {Trace} trace
 */
function see(s, tensor, v, trace) {
  s.phase.set(tensor, "made");
  s.value.set(tensor, v);
  const node = trace.tensors[tensor]?.node;
  if (node && !s.phase.has(node)) s.phase.set(node, "made");
}

/** @param {State} s @param {Row} row */
function extra(s, row) {
  s.extras = [...s.extras, { row, piece: s.output.length }];
  s.output = [...s.output, ""];
}

/** @type {Record<string, (state: State, row: Row, trace: Trace) => void>} */
export const on = {
  // ----- forward -----
  tensor_made(s, row) {
    s.phase.set(row.tensor, "made");
    s.value.set(row.tensor, row.value);
  },
  detached(s, row) {
    s.phase.set(row.tensor, "made");
    s.value.set(row.tensor, row.value);
  },
  saved_packed(s, row) {
    s.packing = [...s.packing, row];
  },
  saved_unpacked() {},
  checkpoint_began() {},
  checkpoint_ended() {},
  recompute_began() {},
  recompute_ended(s) {
    s.packing = [];
  },
  version_bumped(s, row) {
    s.version.set(row.tensor, row.after);
  },
  aliases_changed(s, row) {
    for (const [tensor, v] of row.tensors) s.value.set(tensor, v);
  },
  rebased(s, row) {
    s.phase.set(row.after, s.phase.get(row.after) ?? "made");
  },
  data_replaced(s, row) {
    s.value.set(row.tensor, row.after);
  },
  value_read() {},
  op_applied(s, row, trace) {
    row.outputs.forEach((/** @type {string} */ tensor, /** @type {number} */ i) => {
      s.phase.set(tensor, "made");
      s.value.set(tensor, row.values[i]);
    });
    if (row.node === null) return;
    s.phase.set(row.node, "made");
    s.saved.set(row.node, { names: row.saved, packed: s.packing, freed: false });
    s.packing = [];
    for (const edge of trace.nodes[row.node]?.edges ?? []) {
      if (edge && !s.phase.has(edge[0])) s.phase.set(edge[0], "made");
    }
  },
  names_bound(s, row) {
    for (const name of row.unbound) s.names.delete(name);
    for (const [name, tensor] of Object.entries(row.names)) s.names.set(name, tensor);
  },
  printed(s, row) {
    s.output = [...s.output, row.text];
  },
  echo(s, row) {
    s.output = [...s.output, `${row.text}\n`];
    if (row.at) s.echoes.set(row.at[2], row.text);
  },
  seeded() {},
  stand_in: extra,
  plotted: extra,
  warning(s, row, trace) {
    s.warnings = [...s.warnings, { row, piece: s.output.length }];
    s.output = [...s.output, warningText(trace, row)];
  },
  module_entered(s, row) {
    s.modules = [...s.modules, row.module];
  },
  module_left(s) {
    s.modules = s.modules.slice(0, -1);
  },
  grad_mode(s, row) {
    s.gradEnabled = row.enabled;
  },
  retain_grad() {},
  hook_registered() {},

  // ----- .grad and parameters -----
  grad_set: setGrad,
  zero_grad() {},
  optimizer_step(s, row) {
    s.optimizer = row;
  },
  parameter_updated(s, row) {
    s.value.set(row.tensor, row.after);
    s.kept.set(keptKey(s.optimizer?.which ?? 0, row.tensor), row.state);
  },
  grad_norm_clipped: setGrads,
  grad_value_clipped: setGrads,
  lr_scheduled(s, row) {
    s.rates.set(keptKey(row.which, row.group), row.after);
  },

  // ----- backward -----
  backward_began(s, row, trace) {
    begin(s, row, trace);
  },
  node_ready(s, row, trace) {
    s.phase.set(row.node, "ready");
    s.queue = queued(s, row, trace);
  },
  node_entered(s, row, trace) {
    settle(s);
    if (s.backward) s.backward = { ...s.backward, running: row.node };
    s.phase.set(row.node, "running");
    s.received.set(row.node, row.grads);
    s.queue = queued(s, row, trace);
    emptyBuffers(s, row.node);
  },
  hook_ran(s, row) {
    const received = s.received.get(row.node) ?? [];
    const index = BEFORE_RULES.has(row.when) ? received.indexOf(row.before) : -1;
    if (index >= 0) s.received.set(row.node, received.with(index, row.after));
  },
  grad_retained: setGrad,
  grad_accumulated: setGrad,
  sparse_accumulated() {},
  coalesced() {},
  node_ran(s, row) {
    s.rules.set(row.node, row.rules);
  },
  reduced_to_shape() {},
  saved_freed(s, row) {
    const saved = s.saved.get(row.node);
    if (saved && row.names.length > 0) s.saved.set(row.node, { ...saved, freed: true });
  },
  edge_flowed(s, row) {
    s.flow.set(edgeKey(row.node, row.slot), row.grad);
    s.missing.set(row.target, row.missing);
    const key = bufferKey(row.target, row.input_nr);
    if (row.grad !== null && !s.buffer.has(key)) s.buffer.set(key, row.grad);
  },
  grad_summed(s, row) {
    s.buffer.set(bufferKey(row.node, row.input_nr), row.after);
  },
  grad_captured() {},
  backward_ended(s) {
    settle(s);
    finish(s);
  },

  // ----- the end -----
  error(s, row) {
    s.error = row;
  },
  limit(s, row) {
    s.limit = row;
  },
};

/** @param {State} s @param {Row} row */
function setGrads(s, row) {
  row.tensors.forEach((/** @type {string} */ tensor, /** @type {number} */ i) => {
    s.grad.set(tensor, row.after[i]);
  });
}

/** @param {State} s @param {Row} row */
function setGrad(s, row) {
  s.grad.set(row.tensor, row.after);
}

/**
 * Return the id of the node or tensor that a row is about.
 * @param {Row} row
 * @returns {string | null}
 */
function subjectOf(row) {
  if (row.kind === "op_applied") return row.node ?? row.outputs[0] ?? null;
  if (row.kind === "backward_began") return row.root_nodes[0] ?? row.roots[0] ?? null;
  return row.target ?? row.tensor ?? row.node ?? null;
}

/** @param {Span} a @param {Span} b */
const sameLine = (a, b) => a !== null && b !== null && a[0] <= b[2] && b[0] <= a[2];
