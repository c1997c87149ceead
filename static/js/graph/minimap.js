/** A small picture of a graph that is larger than the stage: what of it is seen, where the step is. */
import { h, set, svg } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

const SIZE = { width: 168, height: 96 };
const LARGER = 1.15; // how much larger than the stage a graph is that has a map

/** @param {Element} root @param {{onGo(point: {x: number, y: number}): void, signal: AbortSignal}} options */
export function createMinimap(root, { onGo, signal }) {
  const boxes = svg("path", { class: "map-boxes" });
  const here = svg("rect", { class: "map-here", rx: 2 });
  const seen = svg("rect", { class: "map-seen", rx: 2 });
  const drawing = svg("svg", { preserveAspectRatio: "xMidYMid meet" }, boxes, here, seen);
  const attributes = { class: "minimap", hidden: true, "aria-hidden": "true", title: word("graph.map") };
  const map = h("div", attributes, drawing);
  root.append(map);
  let bounds = { x: 0, y: 0, width: 1, height: 1 };
  let least = 0;

  function go(event) {
    const place = drawing.getBoundingClientRect();
    const scale = Math.min(place.width / bounds.width, place.height / bounds.height);
    const left = place.left + (place.width - bounds.width * scale) / 2;
    const top = place.top + (place.height - bounds.height * scale) / 2;
    onGo({ x: bounds.x + (event.clientX - left) / scale, y: bounds.y + (event.clientY - top) / scale });
  }
  map.addEventListener("pointerdown", go, { signal });
  map.addEventListener("pointermove", (event) => event.buttons && go(event), { signal });

  const put = (rect, box) => {
    set(rect, "hidden", !box);
    for (const name of ["x", "y", "width", "height"]) set(rect, name, box ? box[name].toFixed(0) : null);
  };

  return {
    /** Take a picture that was put together: its bounds and its boxes. */
    arrange(shown) {
      bounds = shown.bounds;
      least = Math.max(bounds.width / SIZE.width, bounds.height / SIZE.height) * 3;
      const { x, y, width, height } = bounds;
      set(drawing, "viewBox", [x, y, width, height].map((n) => n.toFixed(0)).join(" "));
      const rect = ({ box }) => {
        const sizes = [Math.max(box.width, least), Math.max(box.height, least)];
        const [x, y, w, tall] = [box.x, box.y, ...sizes].map(Math.round);
        return `M${x} ${y}h${w}v${tall}h${-w}z`;
      };
      set(boxes, "d", shown.boxes.map(rect).join(""));
    },
    /** Show what of the picture a view shows, and where the step is. */
    show(view, focus) {
      const larger = bounds.width > view.width * LARGER || bounds.height > view.height * LARGER;
      set(map, "hidden", !larger || !view.width);
      put(seen, view);
      const atLeast = (length) => Math.max(length, least);
      put(here, focus ? { ...focus, width: atLeast(focus.width), height: atLeast(focus.height) } : null);
    },
  };
}
