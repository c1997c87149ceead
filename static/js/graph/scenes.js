/**
 * The scenes of a run: which is shown at a row, what stands where in it, its picture. Scenes of one layout,
 * such as iterations, share one picture.
 */
import { set } from "#js/dom.js";
import { compose } from "#js/graph/compose.js";
import { createFlow } from "#js/graph/flow.js";
import { createPicture } from "#js/graph/picture.js";
import { createTree } from "#js/graph/tree.js";

const ALIKE = 50; // scenes of one layout whose words are measured
const KEPT = 12; // compositions of one layout

/** The number of the scene at row k: the last that begins at or before it. */
export function sceneAt(drawing, k) {
  let scene = 0;
  for (const [from, number] of drawing.scene_at) if (from <= Math.max(k, 0)) scene = number;
  return scene;
}

function listen(part, { onPress, onPoint, signal }) {
  set(part.group, "tabindex", 0);
  set(part.group, "role", "button");
  const on = (name, handler) => part.group.addEventListener(name, handler, { signal });
  on("click", () => onPress(part));
  on("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    onPress(part);
  });
  for (const name of ["pointerenter", "focus"]) on(name, () => onPoint(part));
  for (const name of ["pointerleave", "blur"]) on(name, () => onPoint(null));
}

/** One layout on the stage: its picture, what flows in it, what is open. */
function createShown(trace, layout, size, listeners) {
  const picture = createPicture((part) => listen(part, listeners));
  const flow = createFlow(trace);
  picture.root.append(flow.layer);
  const composed = new Map();
  const shown = { composed, tree: null, entered: null, key: null, parts: null, focus: null };
  return { layout, size, picture, flow, ...shown };
}

/** @param {any} trace @param {any} drawing @param {any} listeners what pressing and pointing do */
export function createScenes(trace, drawing, listeners) {
  const [known, trees] = [new Map(), new Map()];
  const treeOf = (number) => {
    if (!trees.has(number)) trees.set(number, createTree(trace, drawing, drawing.scenes[number]));
    return trees.get(number);
  };
  /** The trees of the scenes that share a layout: what is drawn must hold the words of each. */
  const alike = (layout) =>
    drawing.scenes
      .flatMap((scene, i) => (scene.layout === layout ? [i] : []))
      .slice(0, ALIKE)
      .map(treeOf);

  /** The scene at a row, or null where nothing is drawn. */
  function enter(k) {
    const number = sceneAt(drawing, k);
    const { layout } = drawing.scenes[number] ?? {};
    const size = drawing.layouts[layout];
    if (!size || Object.keys(size.elements).length === 0) return null;
    if (!known.has(layout)) known.set(layout, createShown(trace, layout, size, listeners));
    const shown = known.get(layout);
    shown.tree = treeOf(number);
    return shown;
  }

  /** What is open in a layout, put together; the last few are kept. */
  function composedOf(shown, open) {
    const before = shown.composed.get(shown.key);
    const composed = before ?? compose(drawing.layouts, shown.layout, (path) => open.has(path));
    shown.composed.delete(shown.key);
    shown.composed.set(shown.key, composed);
    if (shown.composed.size > KEPT) shown.composed.delete(shown.composed.keys().next().value);
    return composed;
  }

  /** Put together what is open in a scene, if that has changed; say whether it has. */
  function arrange(shown, open) {
    const key = [...open].join(" ");
    const changed = shown.key !== key;
    if (changed) {
      shown.key = key;
      const composed = composedOf(shown, open);
      shown.parts = shown.picture.arrange(composed);
      shown.flow.arrange(shown.parts, alike(shown.layout));
    }
    if (changed || shown.entered !== shown.tree) shown.flow.enter(shown.tree);
    shown.entered = shown.tree;
    return changed;
  }

  return { enter, arrange };
}
