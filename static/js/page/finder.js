/**
 * Search, opened by `/`: variables, nodes and lines; the arrows choose, Enter goes to the step where it runs,
 * and the graph shows where it stands.
 */

import { h, set, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { find, rowsAbout } from "#js/trace/find.js";
import { lineStops } from "#js/trace/stops.js";

/** @typedef {import("#js/trace/find.js").Found} Found */

/**
 * Where to go for what was found: the next step that is about it, else the first.
 * @param {any} trace
 * @param {Found} found
 * @param {number} k
 */
export function stepOf(trace, { kind, line, ids }, k) {
  const rows = kind === "line" ? lineStops(trace, line ?? 0) : rowsAbout(trace, ids);
  return rows.find((row) => row > k) ?? rows[0] ?? null;
}

function makeDialog() {
  const here = document.querySelectorAll("dialog.finder").length; // a page may show two runs
  const id = `found${here + 1}`;
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      ...{ type: "search", class: "finder-text", role: "combobox", autocomplete: "off", spellcheck: "false" },
      ...{ "aria-controls": id, "aria-expanded": "true", "aria-label": t("find.label") },
      ...{ placeholder: t("find.label"), "data-testid": "find" },
    })
  );
  const list = h("ul", { id, class: "found", role: "listbox", "aria-label": t("find.title") });
  const none = h("p", { class: "found-none", role: "status" });
  const hint = h("p", { class: "found-hint" }, t("find.hint"));
  const dialog = /** @type {HTMLDialogElement} */ (
    h("dialog", { class: "finder", "aria-label": t("find.title") }, input, list, none, hint)
  );
  return { dialog, input, list, none };
}

/** @param {Found} found @param {string} id @param {boolean} chosen */
function option(found, id, chosen) {
  const where = found.line ? t("graph.line", { line: found.line }) : "";
  return h(
    "li",
    { id, role: "option", "aria-selected": String(chosen), "data-found": found.kind },
    h("span", { class: "found-kind" }, t(`find.${found.kind}`)),
    h("code", null, found.label),
    h("span", { class: "found-note" }, [found.note, where].filter(Boolean).join(" · ")),
  );
}

/** What keys do in the dialog. @param {any} to @returns {Record<string, () => void>} */
const makeKeys = ({ go, choose, now }) => ({
  ArrowDown: () => choose(now() + 1),
  ArrowUp: () => choose(now() - 1),
  Enter: go,
});

/** @param {Record<string, () => void>} keys @param {any} parts */
function listen(keys, { dialog, input, list, choose, go, signal }) {
  const on = (/** @type {Element} */ element, /** @type {string} */ name, /** @type {any} */ run) =>
    element.addEventListener(name, run, { signal });
  on(input, "input", () => choose(0));
  on(dialog, "keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  on(list, "click", (/** @type {Event} */ event) => {
    const item = /** @type {Element} */ (event.target).closest("li");
    if (!item) return;
    choose([...list.children].indexOf(item));
    go();
  });
  on(dialog, "click", (/** @type {Event} */ { target }) => target === dialog && dialog.close());
}

/** Mount the search of a run. @param {Element} root @param {any} context */
export function mount(root, { trace, player, selection, signal }) {
  const { dialog, input, list, none } = makeDialog();
  root.append(dialog);
  signal.addEventListener("abort", () => dialog.remove(), { once: true });
  /** @type {Found[]} */ let found = [];
  let chosen = 0;
  /** @type {number | null} the step at which something was sought */ let picked = null;

  function draw() {
    found = find(trace, input.value);
    chosen = Math.min(chosen, Math.max(0, found.length - 1));
    const idOf = (/** @type {number} */ i) => `${list.id}_${i}`;
    list.replaceChildren(...found.map((each, i) => option(each, idOf(i), i === chosen)));
    set(input, "aria-activedescendant", found.length ? idOf(chosen) : null);
    write(none, input.value.trim() && !found.length ? t("find.none") : "");
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    point();
  }

  /** The graph shows where the chosen one stands. */
  function point() {
    const ids = found[chosen]?.ids ?? [];
    picked = ids.length ? player.k : null;
    selection.pick(ids.length ? { kind: "element", ids } : null);
  }

  function release() {
    picked = null;
    selection.pick(null);
  }

  function go() {
    const target = found[chosen];
    const k = target ? stepOf(trace, target, player.k) : null;
    dialog.close();
    if (k === null) return;
    release();
    player.seek(k);
  }

  const choose = (/** @type {number} */ i) => {
    chosen = found.length ? (i + found.length) % found.length : 0;
    draw();
  };
  listen(makeKeys({ go, choose, now: () => chosen }), { dialog, input, list, choose, go, signal });

  return {
    /** What was sought stays lit until the next step. */
    show({ k }) {
      if (picked !== null && picked !== k) release();
    },
    search() {
      input.value = "";
      chosen = 0;
      draw();
      dialog.showModal();
    },
  };
}
