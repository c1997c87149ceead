/**
 * The tour: five sentences, each beside the place it speaks of. It comes once, by itself, when the first run
 * stands on the page; it never takes the focus unless it was asked for (key T), and nothing waits for it.
 */

import { h, set, write } from "#js/dom.js";
import { t } from "#js/i18n.js";

const KEY = "gradstep.toured";
const GAP = 10; // px
const STOPS = [
  { text: "tour.code", pane: "code", selector: ".pane.code" },
  { text: "tour.graph", pane: "graph", selector: ".pane.graph" },
  { text: "tour.say", pane: null, selector: ".say" },
  { text: "tour.timeline", pane: null, selector: ".pane.timeline" },
  { text: "tour.keys", pane: null, selector: "[data-slot=graph]" },
];

/** Has this browser shown the tour before? One that keeps nothing is not asked again and again. */
export function isToured() {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return true;
  }
}

function keepToured() {
  try {
    localStorage.setItem(KEY, "yes");
  } catch {
    // see `isToured`
  }
}

/** @param {string} label @param {string} id */
const button = (label, id) =>
  h("button", { class: "button small", type: "button", "data-testid": id }, label);

/** The card, its texts and its buttons. */
function makeCard() {
  const text = h("p", { class: "tour-text" });
  const count = h("span", { class: "tour-count" });
  const [back, next, close] = [
    button(t("tour.back"), "tour-back"),
    button(t("tour.next"), "tour-next"),
    button("×", "tour-close"),
  ];
  for (const name of ["aria-label", "title"]) set(close, name, t("tour.close"));
  const card = h(
    "section",
    { class: "tour", "data-testid": "tour", "aria-label": t("tour.title"), hidden: true },
    h("div", { role: "status" }, text),
    h("div", { class: "tour-foot" }, count, back, next, close),
  );
  return { card, text, count, back, next, close };
}

/**
 * @param {Element} root the player
 * @param {() => boolean} isThere may the tour be shown at all?
 */
export function mountTour(root, isThere) {
  const { card, text, count, back, next, close } = makeCard();
  root.after(card);
  /** @type {{stop: typeof STOPS[number], place: Element}[]} */ let stops = [];
  let at = 0;
  /** @type {AbortController | null} */ let showing = null;

  function show() {
    const { stop, place } = stops[at];
    for (const other of root.querySelectorAll("[data-toured]")) set(other, "data-toured", null);
    const tab = /** @type {HTMLInputElement | null} */ (root.querySelector(`#pane-${stop.pane}`));
    if (tab) tab.checked = true;
    set(place, "data-toured", true);
    write(text, t(stop.text));
    write(count, t("tour.of", { n: at + 1, total: stops.length }));
    set(back, "hidden", at === 0);
    write(next, t(at === stops.length - 1 ? "tour.done" : "tour.next"));
    set(card, "hidden", null);
    beside(card, place);
  }
  function end() {
    showing?.abort();
    showing = null;
    const held = card.contains(document.activeElement);
    set(card, "hidden", true);
    for (const place of root.querySelectorAll("[data-toured]")) set(place, "data-toured", null);
    if (held) /** @type {HTMLElement | null} */ (root.querySelector("[data-testid=next]"))?.focus();
  }
  function go(/** @type {number} */ by) {
    at += by;
    if (at >= stops.length) end();
    else show();
  }
  back.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));
  close.addEventListener("click", end);

  function begin() {
    stops = STOPS.map((stop) => ({ stop, place: root.querySelector(stop.selector) }))
      .filter(({ stop, place }) => place && (stop.pane !== null || isSeen(place)))
      .filter(({ stop, place }) => isSeen(place) || isSeen(root.querySelector(`[for=pane-${stop.pane}]`)));
    if (stops.length === 0 || !isThere()) return false;
    at = 0;
    keepToured();
    showing = new AbortController();
    addEventListener("resize", () => beside(card, stops[at].place), { signal: showing.signal });
    addEventListener("keydown", (event) => isEscape(event) && end(), { signal: showing.signal });
    show();
    return true;
  }
  return {
    /** The first run stands: show the tour to who has not seen it. */
    offer: () => void (showing === null && !isToured() && begin()),
    /** The reader asks for it. */
    ask: () => void ((showing !== null || begin()) && next.focus()),
  };
}

/** @param {KeyboardEvent} event */
const isEscape = (event) => event.key === "Escape" && !event.defaultPrevented;

/** @param {Element | null} element */
const isSeen = (element) => (element?.getClientRects().length ?? 0) > 0;

/** @param {number} x @param {number} most */
const held = (x, most) => Math.round(Math.max(GAP, Math.min(x, most - GAP)));

/**
 * Put the card into the free corner of its place, or just above a low one: it never leaves the window.
 * @param {HTMLElement} card
 * @param {Element} place
 */
function beside(card, place) {
  const box = place.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const isLow = box.height < 2 * height + 4 * GAP;
  const above = box.top - height - GAP;
  const inside = box.bottom - height - 2 * GAP;
  const top = isLow ? (above > 0 ? above : box.bottom + GAP) : inside;
  const left = box.left + (box.width - width) / 2;
  card.style.setProperty("top", `${held(top, innerHeight - height)}px`);
  card.style.setProperty("left", `${held(left, innerWidth - width)}px`);
}
