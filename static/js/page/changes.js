/**
 * What if a number were another: a field for one number of a leaf, dragged, stepped or typed, and the list of
 * what was changed. It outlives the runs that it asks for, so that a drag and the focus go on.
 */

import { h, set } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { keepChanges, keptChanges } from "#js/player/drafts.js";
import { curve } from "#js/page/curve.js";
import { makeField, numberText as text } from "#js/page/field.js";
import { arrivedAt, flatOf, indexOf, nearestCall, real, verdict } from "#js/trace/gradients.js";
import { firstValue, isMovable, makingAt, makingOf } from "#js/trace/makings.js";
import { shortNumber } from "#js/trace/values.js";

/**
 * @typedef {{made: number, output: number, element: number[]}} Target
 * @typedef {Target & {value: number, was: number, name: string}} Change
 * @typedef {{trace: any, player: any, questions: any}} Shown
 */

const PAUSE = 250; // milliseconds after the last movement until the program runs
const MOST_CELLS = 36;
const MOST_CHANGES = 16;
const POINTS = 13;

const sameNumber = (/** @type {Target} */ a, /** @type {Target} */ b) =>
  a.made === b.made && a.output === b.output && String(a.element) === String(b.element);
const elementText = (/** @type {number[]} */ element) =>
  element.length > 0 ? `[${element.join(", ")}]` : "";

/**
 * Mount the place of changed numbers; it is hidden until one is chosen.
 * @param {Element} root
 * @param {(code: string) => void} onChange the program is to run again
 */
export const mountChanges = (root, onChange) => new Changes(root, onChange);

class Changes {
  /** @type {Change[]} */ #changes;
  /** @type {string} */ #code;
  /** @type {Target | null} */ #target = null;
  /** @type {Shown | null} */ #shown = null;
  #timer = 0;
  #chips = h("ul", { class: "whatif-chips", "data-testid": "changes" });
  #cells = h("div", { class: "whatif-cells", role: "group" });
  #plot = h("div", { class: "whatif-plot" });
  #field = makeField((value) => this.#change(value));

  /** @param {Element} root @param {(code: string) => void} onChange */
  constructor(root, onChange) {
    [this.#code, this.#changes] = keptChanges() ?? ["", []];
    this.root = root;
    this.onChange = onChange;
    const close = button("×", t("whatif.close"), () => this.#choose(null));
    const parts = [this.#field.box, close, this.#cells, this.#plot];
    this.chosen = h("div", { class: "whatif-chosen" }, parts);
    root.replaceChildren(h("h3", null, t("whatif.title")), this.#chips, this.chosen);
  }

  /** What a program is run with besides its text. @param {string} code */
  of(code) {
    const wanted = code === this.#code ? this.#changes : [];
    const sent = wanted.map(({ made, output, element, value }) => ({ made, output, element, value }));
    return sent.length > 0 ? { changes: sent } : {};
  }

  /** A run is shown. @param {string} code @param {Shown} shown */
  show(code, shown) {
    if (code !== this.#code) [this.#code, this.#changes, this.#target] = [code, [], null];
    this.#shown = shown;
    this.#draw();
  }

  /** Something of the run has been answered. */
  draw() {
    if (this.#target) this.#draw();
  }

  /** Choose a number of a tensor. @param {string} tensor @param {number[]} element */
  move = (tensor, element) => {
    const { trace, player } = this.#shown ?? {};
    const making = trace && isMovable(trace, tensor) ? makingOf(trace, tensor) : null;
    if (!making || numberAt(trace, making.value, element) === null) return;
    player.pause();
    this.#choose({ made: making.made, output: making.output, element });
    this.#field.focus();
  };

  /** @param {Target | null} target */
  #choose(target) {
    this.#target = target;
    this.#draw();
  }

  #making() {
    const { trace } = this.#shown ?? {};
    return trace && this.#target ? makingAt(trace, this.#target.made, this.#target.output) : null;
  }

  /** @param {number} value */
  #change(value) {
    const [making, target, trace] = [this.#making(), this.#target, this.#shown?.trace];
    if (!making || !target) return;
    const was = numberAt(trace, making.value, target.element) ?? 0;
    const name = `${nameOf(trace, making.tensor)}${elementText(target.element)}`;
    const others = this.#changes.filter((each) => !sameNumber(each, target));
    this.#again(value === was ? others : [...others, { ...target, value, was, name }]);
  }

  /** @param {Change[]} changes */
  #again(changes, soon = false) {
    this.#changes = changes.slice(-MOST_CHANGES);
    keepChanges(this.#code, this.#changes);
    this.#drawChips();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.onChange(this.#code), soon ? 0 : PAUSE);
  }

  #drawChips() {
    const items = this.#changes.map((each) => {
      const label = t("whatif.instead", { name: each.name, value: text(each.value), was: text(each.was) });
      const reset = () =>
        this.#again(
          this.#changes.filter((other) => other !== each),
          true,
        );
      const back = button(t("whatif.reset"), t("whatif.resetOne", { name: each.name }), reset);
      return h("li", { class: "whatif-chip" }, h("span", null, label), back);
    });
    const all = button(t("whatif.resetAll"), null, () => this.#again([], true));
    this.#chips.replaceChildren(...items, ...(items.length > 1 ? [h("li", null, all)] : []));
    set(this.root, "hidden", items.length === 0 && this.#target === null);
  }

  /** Show the field and the curve of the chosen number. */
  #draw() {
    this.#drawChips();
    const [making, target, trace] = [this.#making(), this.#target, this.#shown?.trace];
    set(this.chosen, "hidden", !making);
    if (!making || !target) return;
    const v = firstValue(trace, making);
    const asked = this.#changes.find((each) => sameNumber(each, target))?.value;
    const label = `${nameOf(trace, making.tensor)}${elementText(target.element)}`;
    this.#field.show(label, asked ?? numberAt(trace, v, target.element) ?? 0);
    this.#drawCells(trace.values[v], target);
    this.#drawPlot(label, making.tensor, target);
  }

  /** The other numbers of the tensor, to be chosen. @param {any} value @param {Target} target */
  #drawCells({ shape, data, summary }, target) {
    const size = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const isShown = shape.length > 0 && !summary && size <= MOST_CELLS;
    const flat = isShown ? [data].flat(/** @type {any} */ (Infinity)) : [];
    const buttons = flat.map((x, i) => {
      const element = indexOf(shape, i);
      const one = button(shortNumber(x, "float32"), null, () => this.#choose({ ...target, element }));
      set(one, "aria-label", `${elementText(element)} ${text(real(x))}`);
      set(one, "aria-pressed", String(flatOf(shape, target.element) === i));
      return one;
    });
    const had = [...this.#cells.children].indexOf(/** @type {Element} */ (document.activeElement));
    this.#cells.setAttribute("style", `--columns: ${shape[shape.length - 1] ?? 1}`);
    this.#cells.replaceChildren(...buttons);
    buttons[had]?.focus();
  }

  /** @param {string} label @param {string} tensor @param {Target} target */
  #drawPlot(label, tensor, target) {
    const { trace, player, questions } = /** @type {Shown} */ (this.#shown);
    const call = nearestCall(trace, player.k);
    if (!questions || call === null) return this.#plot.replaceChildren();
    const reach = Math.min(1e6, Math.max(1, Math.abs(this.#field.value())));
    const known = questions.of("/api/gradients/slope", { call, ...target, points: POINTS, reach });
    set(this.#plot, "aria-busy", known.waiting ? "true" : null);
    if (known.waiting) return undefined; // the curve of before stays until the new one is there
    const arrived = arrivedAt(trace, tensor, call, target.element);
    const isIt = arrived !== null && known.answer && verdict(arrived, known.answer).kind === "agrees";
    const gradient = isIt ? arrived : null; // where the number is written on its way, the tangent is another
    const drawn = known.answer?.found ? curve(known.answer, label, gradient) : null;
    const said = h("p", { class: "card-note" }, known.message ?? t("whatif.noCurve"));
    return this.#plot.replaceChildren(drawn ?? said);
  }
}

/** @param {any} trace @param {string} tensor */
const nameOf = (trace, tensor) => trace.tensors[tensor]?.names[0] ?? t("whatif.number");

/**
 * One number of a value, or null where it is not written out.
 * @param {any} trace
 * @param {string} v
 * @param {number[]} element
 */
function numberAt(trace, v, element) {
  let data = trace.values[v]?.data;
  for (const i of element) data = data?.[i];
  return data === undefined || Array.isArray(data) || typeof data === "boolean" ? null : real(data);
}

/** @param {string} label @param {string | null} name @param {() => void} act */
function button(label, name, act) {
  const made = h("button", { class: "button small", type: "button", "aria-label": name, title: name }, label);
  made.addEventListener("click", act);
  return made;
}
