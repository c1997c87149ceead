/** The ready queue under the graph: which nodes may run, which one is next, and who still waits. */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { heapOf } from "#js/panels/heap.js";
import { queueLabel as label } from "#js/panels/names.js";
import { termed } from "#js/panels/terms.js";

const MOST = 6;

/** The nodes of a queue, the one that runs next first: AccumulateGrad before all, then the latest made. */
export function running(trace, queue) {
  const rank = (node) => trace.nodes[node].seq ?? Infinity;
  return [...queue].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
}

/** Who waits for how many paths; those that a gradient has reached come first. */
function waiting(trace, state) {
  const left = (node) => state.missing.get(node) ?? state.expected.get(node);
  const untouched = ([node, total]) => Number(left(node) === total);
  const all = [...state.expected].filter(([node]) => left(node) > 0);
  return all
    .sort((a, b) => untouched(a) - untouched(b))
    .map(([node]) => {
      const key = left(node) === 1 ? "queue.waitsOne" : "queue.waits";
      return word(key, { node: label(trace, state, node), left: left(node) });
    });
}

/** The queue of each device that has nodes in this pass, the caller's first; one queue on the CPU alone. */
function byDevice(trace, state) {
  const device = (node) => trace.nodes[node].device ?? "cpu";
  const met = new Set([...state.expected.keys()].map(device));
  if (met.size < 2 && !met.has("cpu")) met.add("cpu");
  if (met.size < 2) return [[null, state.queue]];
  return [...met].sort().map((each) => [each, state.queue.filter((node) => device(node) === each)]);
}

function deviceName(device) {
  return device === "cpu" ? word("queue.cpu") : word("queue.simulated", { device });
}

function chipsOf(trace, state, queue) {
  const ordered = running(trace, queue);
  const chips = ordered
    .slice(0, MOST)
    .map((node, i) =>
      h("li", { class: "chip", "data-next": i === 0 ? "true" : null }, label(trace, state, node)),
    );
  if (ordered.length > MOST) chips.push(h("li", { class: "chip" }, `+${ordered.length - MOST}`));
  return chips.length
    ? h("ol", { class: "chips" }, chips)
    : h("span", { class: "queue-note" }, word("queue.empty"));
}

function content(trace, state, isEngine) {
  if (!state.backward) return [h("span", { class: "queue-note" }, word("queue.idle"))];
  const shown = isEngine ? heapOf : chipsOf;
  const lists = byDevice(trace, state).map(([device, nodes]) =>
    device === null
      ? shown(trace, state, nodes)
      : h(
          "div",
          { class: "queue-device", "data-device": device },
          h("span", { class: "queue-note" }, deviceName(device)),
          " ",
          shown(trace, state, nodes),
        ),
  );
  const wait = waiting(trace, state);
  return [
    ...lists,
    wait.length
      ? h("span", { class: "queue-note" }, word("queue.waiting", { list: wait.join(" · ") }))
      : null,
  ];
}

export const queue = {
  id: "queue",
  title: "panel.queue",
  slot: "queue",
  mount(root, { trace, player }) {
    const body = h("div", { class: "queue-body" });
    const rule = h("span", { class: "queue-note" });
    root.append(h("p", { class: "queue-title" }, h("strong", null, termed("panel.queue")), " ", rule), body);
    return {
      show(state) {
        const isEngine = player?.level === "engine";
        set(body, "data-heap", isEngine);
        write(rule, word(isEngine ? "queue.heap" : "queue.rule"));
        body.replaceChildren(...content(trace, state, isEngine).filter(Boolean));
      },
    };
  },
};
