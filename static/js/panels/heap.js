/** A ready queue drawn as the heap it is: its array, and the tree that the places in the array mean. */
import { h, svg } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { nodeSubject, queueLabel } from "#js/panels/names.js";
import { behind, depthOf, keyText, slots } from "#js/trace/heap.js";

const MOST = 15; // four levels
const BOX = { width: 58, height: 20, across: 66, down: 34 };
const LONGEST = 8;

/** What fits into a box of the tree: the place in the array, and the node if there is room for it. */
function short(trace, state, { node, i }) {
  const { seq } = trace.nodes[node];
  const text = `${i} ${seq === null ? nodeSubject(trace, state, node) : `#${seq}`}`;
  return text.length > LONGEST ? String(i) : text;
}

function treeOf(trace, state, places) {
  const levels = places[places.length - 1].level + 1;
  const width = 2 ** (levels - 1) * BOX.across;
  const x = ({ level, place }) => ((place + 0.5) / 2 ** level) * width;
  const y = ({ level }) => level * BOX.down + 1;
  const edges = places
    .filter(({ parent }) => parent !== null)
    .map((slot) => {
      const parent = places[slot.parent];
      return svg("path", {
        class: "heap-edge",
        d: `M${x(parent)} ${y(parent) + BOX.height}L${x(slot)} ${y(slot)}`,
      });
    });
  const boxes = places.map((slot) => {
    const box = { x: x(slot) - BOX.width / 2, y: y(slot), width: BOX.width, height: BOX.height, rx: 10 };
    const text = { x: x(slot), y: y(slot) + 14, "text-anchor": "middle" };
    return svg(
      "g",
      { class: "heap-node", "data-next": slot.i === 0 },
      svg("rect", box),
      svg("text", text, short(trace, state, slot)),
    );
  });
  const height = (levels - 1) * BOX.down + BOX.height + 2;
  return svg(
    "svg",
    { class: "heap-tree", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    edges,
    boxes,
  );
}

/** The array, its tree, and what waits behind a nested backward. */
export function heapOf(trace, state, queue) {
  if (queue.length === 0 && behind(state).length === 0)
    return h("span", { class: "queue-note" }, word("queue.empty"));
  const depth = depthOf(state.backward);
  const places = slots(queue.slice(0, MOST));
  const cell = (node, level, i) =>
    h(
      "li",
      { class: "heap-cell", "data-next": i === 0 },
      i === null ? null : h("b", null, String(i)),
      h("span", null, queueLabel(trace, state, node)),
      h("small", null, keyText(trace, node, level)),
    );
  const more = queue.length > MOST ? h("li", { class: "queue-note" }, `+${queue.length - MOST}`) : null;
  const outer = behind(state).slice(0, MOST);
  return h(
    "div",
    { class: "heap", "data-testid": "heap" },
    places.length
      ? h(
          "ol",
          { class: "heap-array", "aria-label": word("queue.array") },
          places.map(({ node, i }) => cell(node, depth, i)),
          more,
        )
      : h("span", { class: "queue-note" }, word("queue.empty")),
    places.length > 1 ? treeOf(trace, state, places) : null,
    outer.length
      ? h(
          "div",
          { class: "heap-outer" },
          h("span", { class: "queue-note" }, word("queue.outer")),
          h(
            "ul",
            { class: "heap-array" },
            outer.map(({ node, depth: level }) => cell(node, level, null)),
          ),
        )
      : null,
  );
}
