/**
 * The whole of a value beside what shows it in short, for the pointer, the focus and a tap; and its Python
 * text to be copied (key c). Whatever shows values says which, by label and value id, null for None; a label
 * alone is a heading: `data-values='[["MulBackward0 #1"], ["y", "v3"]]'`.
 */

import { h, set, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { python } from "#js/trace/python.js";
import { full, shapeText } from "#js/trace/values.js";

/** @typedef {[string, (string | null)?]} Shown */

const LONGEST = 1200; // characters of a value that are shown; all of them are copied
const SOON = 350; // milliseconds until the pointer has rested
const LATE = 300; // milliseconds in which it may wander from a value to its card
const GAP = 6; // px
const TARGET = "[data-values]";

/**
 * @param {Element} root
 * @param {{trace: any, player: any, signal: AbortSignal, of?: string | null}} context `of`: where two traces
 *   share a page, a selector of what shows this one's values
 */
export function mountCopying(root, { trace, player, signal, of = null }) {
  const find = (/** @type {any} */ node) => {
    const found = node?.closest?.(TARGET) ?? null;
    return found && (of === null || found.closest(of)) ? found : null;
  };
  const list = h("div", { class: "value-list" });
  const told = h("p", { class: "value-told", role: "status" });
  const card = h("div", { class: "value-card", "data-testid": "value", role: "dialog" }, list, told);
  set(card, "aria-label", t("value.title"));
  set(card, "popover", "manual");
  document.body.append(card);
  signal.addEventListener("abort", () => card.remove(), { once: true });
  /** @type {Element | null} */ let target = null;
  let timer = 0;
  const copy = (/** @type {string} */ text) => {
    copyText(text).then((done) => write(told, t(done ? "value.copied" : "value.notCopied", { text })));
  };
  /** @param {Element | null} next @param {Shown[]} shown */
  function open(next, shown) {
    target = next;
    write(told, "");
    list.replaceChildren(...shown.map((one) => line(trace, one, copy)));
    /** @type {any} */ (card).showPopover?.();
    place(card, next ?? root);
  }
  function close() {
    clearTimeout(timer);
    const within = card.contains(document.activeElement);
    if (within && target?.isConnected) /** @type {HTMLElement} */ (target).focus();
    target = null;
    /** @type {any} */ (card).hidePopover?.();
  }
  const later = (/** @type {() => void} */ run, /** @type {number} */ wait) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
  const begin = (/** @type {Element} */ next) => next !== target && open(next, valuesOf(next));
  listen(root, { card, find, signal, begin, close, later, isOpen: () => card.matches(":popover-open") });
  return {
    /** The step has changed: what the card says would be of another moment. */
    show() {
      const shown = target?.isConnected ? valuesOf(target) : [];
      if (shown.length > 0) list.replaceChildren(...shown.map((one) => line(trace, one, copy)));
      else if (card.matches?.(":popover-open")) close();
    },
    /** Is one of this trace's values pointed at? */
    isPointedAt: () => Boolean(target ?? find(document.activeElement)),
    /** Copy the value that is pointed at; where there are several, offer them; else all that have a name. */
    copy() {
      const at = target ?? find(document.activeElement) ?? find(root.querySelector(`${TARGET}:hover`));
      const shown = at ? valuesOf(at) : named(player.state);
      open(at ?? null, shown);
      const buttons = /** @type {HTMLButtonElement[]} */ ([...card.querySelectorAll("button.copy")]);
      if (buttons.length === 1) buttons[0].click();
      else buttons[0]?.focus();
    },
  };
}

/** @param {Element} element @returns {Shown[]} */
function valuesOf(element) {
  return JSON.parse(element.getAttribute("data-values") ?? "[]");
}

/**
 * What the step carries, and every variable of the moment with its gradient where it has one.
 * @param {any} state
 * @returns {Shown[]}
 */
function named(state) {
  const { grad, grads = [], values = [] } = state.row ?? {};
  const carried = [grad, ...grads, ...values].filter((v) => typeof v === "string");
  const ofStep = carried.map((v) => /** @type {Shown} */ ([t("value.ofStep"), v]));
  const held = [...state.names].filter(([, tensor]) => state.value.has(tensor));
  const variables = held.flatMap(([name, tensor]) => {
    const grad = state.grad.get(tensor) ?? null;
    const value = /** @type {Shown} */ ([name, state.value.get(tensor)]);
    return grad === null ? [value] : [value, /** @type {Shown} */ ([`${name}.grad`, grad])];
  });
  return [...ofStep, ...variables];
}

/**
 * @param {any} trace
 * @param {Shown} shown
 * @param {(text: string) => void} copy
 */
function line(trace, [label, v], copy) {
  if (v === undefined) return h("p", { class: "value-head" }, label);
  const value = v === null ? null : trace.values[v];
  const [whole, text] = [full(trace, v), python(trace, v)];
  const cut = whole.length > LONGEST ? `${whole.slice(0, LONGEST)} …` : whole;
  const kind = value ? `${value.dtype} ${shapeText(value.shape)}` : "";
  const name = label || t("value.this");
  const button = h(
    "button",
    { class: "button small copy", type: "button", "aria-label": t("value.copyLong", { name }) },
    t("value.copy"),
  );
  if (text === null) set(button, "disabled", true);
  else button.addEventListener("click", () => copy(text));
  const why = text === null && h("p", { class: "value-told" }, t("value.part"));
  const called = [label && h("code", null, label), h("small", null, kind)];
  const head = h("p", { class: "value-name" }, called, button);
  return h("div", { class: "value-line" }, head, h("code", { class: "value-whole" }, cut), why);
}

/**
 * Open beside what the pointer rests on, the focus comes to or a finger taps; close when it has gone.
 * @param {Element} root
 * @param {any} context
 */
function listen(root, { card, find, signal, begin, close, later, isOpen }) {
  const on = (/** @type {string} */ kind, /** @type {(event: any) => void} */ run) => {
    for (const place of [root, card]) place.addEventListener(kind, run, { signal });
  };
  const holds = (/** @type {any} */ node) => node instanceof Node && card.contains(node);
  on("pointerover", (event) => {
    const next = find(event.target);
    if (holds(event.target)) later(() => {}, 0);
    else if (next && event.buttons === 0 && event.pointerType !== "touch") later(() => begin(next), SOON);
    else if (isOpen() && !holds(document.activeElement)) later(close, LATE);
  });
  on("pointerleave", () => isOpen() && !holds(document.activeElement) && later(close, LATE));
  on("pointerdown", (event) => !holds(event.target) && later(close, 0));
  on("click", (event) => {
    const next = find(event.target);
    if (next instanceof HTMLElement) later(() => begin(next), 0);
  });
  on("focusin", (event) => {
    const next = find(event.target);
    if (next && event.target.matches(":focus-visible")) begin(next);
    else if (!holds(event.target) && isOpen()) later(close, 0);
  });
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !isOpen()) return;
      event.preventDefault();
      close();
    },
    { signal },
  );
}

/**
 * Put the card below what it is about, above where there is no room.
 * @param {HTMLElement} card
 * @param {Element} by
 */
function place(card, by) {
  const box = by.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const isBelow = box.bottom + GAP + height <= innerHeight;
  const top = isBelow ? box.bottom + GAP : Math.max(GAP, box.top - GAP - height);
  const left = Math.max(GAP, Math.min(box.left, innerWidth - width - GAP));
  card.style.setProperty("top", `${Math.round(Math.min(top, innerHeight - height - GAP))}px`);
  card.style.setProperty("left", `${Math.round(left)}px`);
}

/** @param {string} text @returns {Promise<boolean>} */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text); // no permission, or a page without TLS
  }
}

/** @param {string} text */
function copyByHand(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const area = /** @type {HTMLTextAreaElement} */ (h("textarea", { class: "visually-hidden" }));
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return done;
}
