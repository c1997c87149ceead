/** The ready queue under the graph: which nodes may run, which one is next, and who still waits. */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { heapOf } from "#js/panels/heap.js";
import { queueLabel as label } from "#js/panels/names.js";
import { termed } from "#js/panels/terms.js";
import { behind, depthOf } from "#js/trace/heap.js";

const MOST = 6;
const ENOUGH = 15; // nodes of a queue that anybody shows
const WAITING = 24; // nodes that wait and are told one by one

/** The nodes of a queue, the one that runs next first: AccumulateGrad before all, then the latest made. */
export function running(trace, queue) {
  const rank = (node) => trace.nodes[node].seq ?? Infinity;
  return [...queue].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
}

/** Who waits for how many paths; those that a gradient has reached come first. */
function waiting(trace, state) {
  const left = (node) => state.missing.get(node) ?? state.expected.get(node);
  const all = [...state.expected].filter(([node]) => left(node) > 0);
  const [touched, untouched] = [[], []];
  for (const [node, total] of all) (left(node) === total ? untouched : touched).push(node);
  const told = [...touched, ...untouched].slice(0, WAITING).map((node) => {
    const key = left(node) === 1 ? "queue.waitsOne" : "queue.waits";
    return word(key, { node: label(trace, state, node), left: left(node) });
  });
  return all.length > WAITING ? [...told, `+${all.length - WAITING}`] : told;
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

/** What is told of the queues, and a text that says whether it is what was told before. */
function told(trace, state, isEngine) {
  if (!state.backward) return { key: "idle", queues: [], wait: [] };
  const [queues, wait] = [byDevice(trace, state), waiting(trace, state)];
  const seen = (nodes) => (isEngine ? nodes : running(trace, nodes)).slice(0, ENOUGH);
  const labels = queues.map(([device, nodes]) => [
    device,
    nodes.length,
    ...seen(nodes).map((node) => `${node} ${label(trace, state, node)}`),
  ]);
  const outer = isEngine ? [depthOf(state.backward), behind(state)] : null;
  return { key: JSON.stringify([isEngine, labels, wait, outer]), queues, wait };
}

function content(trace, state, isEngine, { queues, wait }) {
  if (!state.backward) return [h("span", { class: "queue-note" }, word("queue.idle"))];
  const shown = isEngine ? heapOf : chipsOf;
  const lists = queues.map(([device, nodes]) =>
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
    let key = "";
    root.append(h("p", { class: "queue-title" }, h("strong", null, termed("panel.queue")), " ", rule), body);
    return {
      show(state) {
        const isEngine = player?.level === "engine";
        set(body, "data-heap", isEngine);
        write(rule, word(isEngine ? "queue.heap" : "queue.rule"));
        const now = told(trace, state, isEngine);
        if (now.key === key) return;
        key = now.key;
        body.replaceChildren(...content(trace, state, isEngine, now).filter(Boolean));
      },
    };
  },
};
