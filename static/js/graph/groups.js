/**
 * What a folded group shows at a moment: how much of it is made, runs, has run; the variable it has made
 * last; of a group of leaves, how many have a gradient. Pure, no DOM.
 */
import { t as word } from "#js/i18n.js";
import { fitted, fittedValue, SANS, textWidth } from "#js/graph/shapes.js";
import { opLabel } from "#js/graph/looks.js";
import { short } from "#js/trace/values.js";

const DONE = new Set(["ran", "freed"]);
const BACK = ["ready", "running", "ran", "freed"];
const SOURCES = ["leaves", "data"];
const LEAST_VALUE = 44; // px for a value beside its name

/** The name of a group: a loop's with its round. */
export function groupName({ kind, label, round }) {
  if (SOURCES.includes(kind)) return word(`graph.group.${kind}`);
  if (kind === "part") return word("graph.group.part", { label });
  return round ? `${label} · ${round[0]}/${round[1]}` : label;
}

function noteOf({ kind, round, elements }) {
  if (kind === "loop" && round) return word("graph.round", { n: round[0], of: round[1] });
  return SOURCES.includes(kind) ? String(elements) : word(`graph.group.${kind}`, { label: "" }).trim();
}

function phaseOf(phases) {
  if (phases.every((phase) => phase === "ghost")) return "ghost";
  if (phases.includes("running")) return "running";
  if (phases.every((phase) => DONE.has(phase))) return phases.includes("freed") ? "freed" : "ran";
  return phases.includes("ready") ? "ready" : "made";
}

/** The end of a long dotted name: of `blocks.0.mlp.0.bias` in its module's box "….bias" is enough. */
function shortened(name, room) {
  const parts = name.split(".");
  while (parts.length > 1 && textWidth(`….${parts.join(".")} = `, 11) > room) parts.shift();
  const short = parts.join(".");
  return short.length + 2 < name.length ? `….${short}` : name;
}

/** "w = [1., 2.]": the last of a group's tensors that has a name now, or has been given one. */
function lastNamed({ trace, state, names }, members, room) {
  for (let i = members.length - 1; i >= 0; i -= 1) {
    const nameOf = (id) => names.get(id)?.split(", ")[0] ?? trace.tensors[id].names[0];
    const tensor = members[i].tensors.findLast((id) => nameOf(id) && state.value.has(id));
    if (!tensor) continue;
    const name = shortened(nameOf(tensor), room - LEAST_VALUE);
    const value = fittedValue(trace, state.value.get(tensor), room - textWidth(`${name} = `, 11));
    return fitted(`${name} = ${value.text}`, room, { size: Math.min(11, value.size), least: 8.5 });
  }
  return { text: "" };
}

function sourceTexts({ trace, state, row }, members) {
  const leaves = members.filter(({ tensor }) => trace.tensors[tensor]?.kind === "leaf");
  const made = members.filter(({ tensor }) => state.value.has(tensor));
  const filled = leaves.filter(({ tensor }) => (state.grad.get(tensor) ?? null) !== null);
  const now = members.find(({ tensor }) => row?.tensor === tensor);
  const grad = now && row.kind !== "tensor_made" ? (state.grad.get(now.tensor) ?? null) : undefined;
  const name = now ? (trace.tensors[now.tensor].names[0] ?? "") : "";
  return {
    phase: made.length ? (now && row.kind === "grad_accumulated" ? "running" : "made") : "ghost",
    now: now ? "slot" : null,
    value: leaves.length ? word("graph.withGrad", { n: filled.length, of: leaves.length }) : "",
    fn: grad === undefined ? "" : `${name}.grad = ${short(trace, grad, 14)}`,
  };
}

function operationTexts({ trace, state }, members) {
  const ops = members.filter(({ node }) => node);
  const phases = ops.map(({ node }) => state.phase.get(node) ?? "ghost");
  const running = ops[phases.indexOf("running")];
  const back = phases.filter((phase) => BACK.includes(phase)).length;
  const done = phases.filter((phase) => DONE.has(phase)).length;
  const phase = phaseOf(phases);
  const counts = word("graph.operations", { n: ops.length });
  return {
    ...{ phase, ops: ops.length },
    fn: running ? `${opLabel(trace.nodes[running.node])}: ${trace.nodes[running.node].name}` : counts,
    badge: back && !DONE.has(phase) ? word("graph.ranOf", { n: done, of: ops.length }) : "",
  };
}

/** The look of a folded group, as `look` gives those of elements. */
export function groupLook(moment, group, members, width) {
  const room = width - 24;
  const source = SOURCES.includes(group.kind);
  const seen = source ? sourceTexts(moment, members) : operationTexts(moment, members);
  const note = noteOf(group);
  const beside = textWidth(note, 10.5) + 8;
  const title = source || group.kind === "part" ? groupName(group) : group.label;
  const tells = ["ran", "freed", "running"].includes(seen.phase) && !source;
  const badge = seen.badge || (tells ? word(`phase.${seen.phase}`) : "");
  const texts = {
    name: fitted(title, Math.max(40, room - beside), { size: 13, least: 10, ratio: SANS + 0.02 }),
    note,
    value: source ? { text: seen.value, size: 11 } : lastNamed(moment, members, room),
    fn: fitted(seen.fn, room, { size: 10.5, least: 8, ratio: SANS }),
    badge: { text: badge, tone: null },
  };
  const name = groupName(group);
  const place = group.line ? ` · ${word("graph.line", { line: group.line })}` : "";
  return {
    texts,
    data: {
      "data-group": name,
      "data-phase": seen.phase,
      "data-now": seen.now ?? null,
      "aria-label": [name, seen.fn, badge || word(`phase.${seen.phase}`), word("graph.opens")].join(", "),
      "aria-expanded": "false",
    },
    title: `${name}${place}\n${word("graph.opens")}`,
  };
}

/** The look of the head of an open group. */
export function regionLook(group, width) {
  const words = word("graph.folds", { name: groupName(group) });
  const name = fitted(groupName(group), width - 110, { size: 12.5, least: 10, ratio: SANS + 0.02 });
  return {
    texts: { name, note: "", sign: "−" },
    data: { "data-open": groupName(group), "aria-label": words, "aria-expanded": "true" },
    title: words,
  };
}
