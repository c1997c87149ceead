/** The place of the graph on the page: stage, caption and tools; and what stands there without a graph. */
import { h, svg } from "#js/dom.js";
import { arrowHeads } from "#js/graph/shapes.js";
import { createZoom } from "#js/graph/zoom.js";
import { t as word } from "#js/i18n.js";

function tools(zoom, signal) {
  const button = (sign, label, action) => {
    const element = h(
      "button",
      { class: "button small", type: "button", "aria-label": label, title: label },
      sign,
    );
    element.addEventListener("click", action, { signal });
    return element;
  };
  return h(
    "div",
    { class: "graph-tools" },
    button("−", word("graph.zoomOut"), () => zoom.zoom(1 / 1.25)),
    button("+", word("graph.zoomIn"), () => zoom.zoom(1.25)),
    button(word("graph.fit"), word("graph.fitLong"), () => zoom.fit()),
  );
}

/** Make the stage; `hang` puts a picture on it in place of the one before. */
export function makeStage(root, { signal, why }) {
  const drawing = svg(
    "svg",
    { class: "canvas", role: "group", "aria-label": word("graph.title"), width: 1, height: 1 },
    arrowHeads(),
  );
  const caption = h("p", { class: "graph-caption" });
  const empty = h("p", { class: "graph-empty" }, why);
  const stage = h("div", { class: "stage" }, drawing);
  root.append(stage, caption, empty);
  const zoom = createZoom(stage, drawing, { signal });
  const bar = tools(zoom, signal);
  root.append(bar);
  return {
    ...{ stage, drawing, caption, empty, zoom },
    addTool: (tool) => tool && bar.prepend(tool),
    hang({ picture, size }) {
      drawing.replaceChildren(drawing.firstChild, picture.root);
      zoom.setSize(size);
    },
  };
}
