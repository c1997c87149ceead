/**
 * One thing, three places: what the pointer or the focus is on in the graph, in the code or on the timeline
 * is lit in the other two.
 */

import { h } from "#js/dom.js";
import { aboutRow, nodeAt, rowsAbout } from "#js/trace/find.js";

const MOST = 60; // marks on the timeline
const NAME = "lit";

/** The place in the source under a point of the page, or null. @param {number} x @param {number} y */
function placeAt(x, y) {
  const page = /** @type {any} */ (document);
  const caret = page.caretPositionFromPoint?.(x, y);
  const range = caret ? null : page.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? range?.startContainer;
  const text = node?.parentElement?.closest(".line-text");
  if (!text) return null;
  const before = document.createRange();
  before.selectNodeContents(text);
  before.setEnd(node, caret?.offset ?? range.startOffset);
  const line = Number(text.closest("[data-line]").getAttribute("data-line"));
  return { line, column: before.toString().length };
}

/** The ranges that show a span of the source. @param {Element} root @param {number[] | null} at */
function rangesOf(root, at) {
  const found = [];
  for (let line = at?.[0] ?? 1; at && line <= at[2]; line += 1) {
    const text = root.querySelector(`[data-line="${line}"] .line-text`);
    const length = text?.textContent?.length ?? 0;
    const [from, to] = [line === at[0] ? at[1] : 0, line === at[2] ? at[3] : length];
    const range = text && textRange(text, from, Math.min(to, length));
    if (range) found.push(range);
  }
  return found;
}

/** @param {Element} element @param {number} from @param {number} to */
function textRange(element, from, to) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let passed = 0;
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = /** @type {globalThis.Text} */ (node);
    if (!begun && from < passed + length) {
      range.setStart(node, from - passed);
      begun = true;
    }
    if (begun && to <= passed + length) {
      range.setEnd(node, to - passed);
      return range;
    }
    passed += length;
  }
  return null;
}

/** The source span of the first of these that has one. @param {any} trace @param {string[]} ids */
const spanOf = (trace, ids) =>
  ids.map((id) => (trace.nodes[id] ?? trace.tensors[id])?.at ?? null).find((at) => at !== null) ?? null;

const round = (/** @type {number} */ x) => x.toFixed(2);

/** Mount the linking of a run's views. @param {Element} root @param {any} context */
export function mount(root, { trace, player, selection, signal }) {
  const highlights = /** @type {any} */ (CSS).highlights;
  const hints = h("div", { class: "hints", "aria-hidden": "true" });
  const code = root.querySelector("[data-slot=source]");
  const track = root.querySelector("[data-slot=timeline] .track");
  track?.append(hints);
  const point = (/** @type {string[]} */ ids) =>
    selection.hover(ids.length ? { kind: "element", ids } : null);
  const on = (/** @type {Element | null} */ element, /** @type {string} */ name, /** @type {any} */ run) =>
    element?.addEventListener(name, run, { signal });

  on(code, "pointermove", ({ clientX, clientY }) => {
    const place = placeAt(clientX, clientY);
    const node = place && nodeAt(trace, place.line, place.column, player.k);
    point(node ? [node, ...trace.nodes[node].outputs] : []);
  });
  on(track, "pointermove", (/** @type {PointerEvent} */ { clientX, buttons }) => {
    const box = track?.getBoundingClientRect();
    if (!box?.width || buttons) return;
    point(aboutRow(trace, Math.round(((clientX - box.left) / box.width) * trace.rows.length) - 1));
  });
  for (const place of [code, track]) on(place, "pointerleave", () => point([]));
  signal.addEventListener("abort", () => highlights?.delete(NAME), { once: true });

  let shown = "";
  return {
    show() {
      const ids = selection.hovered?.kind === "element" ? selection.hovered.ids : [];
      if (shown === ids.join(" ")) return;
      shown = ids.join(" ");
      const ranges = code ? rangesOf(code, spanOf(trace, ids)) : [];
      const { Highlight } = /** @type {any} */ (window);
      if (highlights && ranges.length) highlights.set(NAME, new Highlight(...ranges));
      else highlights?.delete(NAME);
      const rows = rowsAbout(trace, ids).slice(0, MOST);
      hints.replaceChildren(
        ...rows.map((k) => h("span", { style: `left: ${round(((k + 1) / trace.rows.length) * 100)}%` })),
      );
    },
  };
}
