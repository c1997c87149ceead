/**
 * Which groups are open: those the reader has opened, and those the step is in, unless the reader has folded
 * them. A function of the row and of what was chosen, not of how the reader came here. No DOM.
 */
import { around } from "#js/graph/tree.js";
import { subject } from "#js/trace/stops.js";

const ABOUT = ["node", "tensor"];
const SOURCES = ["leaves", "data"];

/** The node or tensor in whose group a row happens, or null: in backward the node that runs. */
function happensAt(row, running) {
  if (["edge_flowed", "grad_summed", "node_ready", "grad_captured"].includes(row.kind)) return running;
  const id = ABOUT.map((field) => row[field]).find(Boolean) ?? null;
  return row.kind === "op_applied" ? (id ?? row.outputs[0] ?? null) : id;
}

/** Where each row happens; rows that are about nothing happen where the one before did. */
export function places(trace) {
  const found = [];
  const running = [];
  let last = null;
  for (const row of trace.rows) {
    if (row.kind === "backward_began") running.push(null);
    if (row.kind === "node_entered") running[Math.max(running.length - 1, 0)] = row.node;
    last = happensAt(row, running[running.length - 1] ?? null) ?? last;
    if (row.kind === "backward_ended") running.pop();
    found.push(last);
  }
  return found;
}

/** @param {any} trace */
export function createFolds(trace) {
  const happens = places(trace);
  /** @type {Map<string, boolean>} by layout and path: equal scenes open alike */
  const chosen = new Map();
  const keyOf = (tree, path) => `${tree.scene.layout} ${path}`;
  const all = (tree) => Object.keys(tree.scene.groups ?? {});

  /** The groups that are open for a step in a scene, in order; also those around what was picked. */
  function openAt(k, tree, picked) {
    let last = k < 0 ? -1 : subject(trace, k);
    while (last >= 0 && !tree.pathOf(happens[last])) last -= 1;
    const at = last < 0 ? null : tree.pathOf(happens[last]);
    const entered = new Set(
      at ? around(at).filter((path) => !SOURCES.includes(tree.group(path)?.kind)) : [],
    );
    const sought = new Set((picked ?? []).flatMap((id) => around(tree.pathOf(id) ?? "")));
    const isOpen = (path) => sought.has(path) || (chosen.get(keyOf(tree, path)) ?? entered.has(path));
    return new Set(all(tree).filter(isOpen));
  }

  return {
    openAt,
    /** Open a group, or fold it: from now on it is as the reader wants it. */
    choose: (tree, path, open) => chosen.set(keyOf(tree, path), open),
    forget: () => chosen.clear(),
  };
}
