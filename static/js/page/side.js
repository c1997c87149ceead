/** One of two programs beside each other: its editor, its listing with a switch on each line, its marks. */

import { createEditor } from "#js/code/editor.js";
import { showNotes } from "#js/code/notes.js";
import { isOut, toggled } from "#js/code/toggles.js";
import { h, set } from "#js/dom.js";
import { t } from "#js/i18n.js";

/**
 * @param {HTMLElement} root
 * @param {{doc: string, onRun(): void, onChange(): void, onRoll(): void}} options `onChange` hears of what is
 *   typed, `onRun` of a wish to run what stands in both editors
 */
export function createSide(root, { doc, onRun, onChange, onRoll }) {
  const slot = (/** @type {string} */ name) =>
    root.querySelector(`[data-slot="${name}"]`) ?? document.createElement("div");
  let quiet = false;
  const editor = createEditor(slot("editor"), { doc, onRun, onChange: () => quiet || onChange() });
  const side = {
    root,
    text: () => editor.text(),
    /** Put a text into the editor without a word to anybody. @param {string} text */
    put(text) {
      quiet = true;
      editor.setText(text);
      quiet = false;
    },
    edit() {
      set(root, "data-mode", "edit");
      editor.focus();
    },
    /** Turn to a run of this side's program: its text as it was mended, its notes. @param {any} answer */
    show(answer) {
      const { source, mended, outcome, rows } = answer.trace;
      if (source !== editor.text()) side.put(source);
      editor.mark(outcome.at ?? null, outcome.message ?? null);
      set(root, "data-mode", "play");
      showNotes(slot("notes"), {
        ...{ mends: mended ?? undefined, errors: answer.errors ?? [], onRoll, onBack: () => side.edit() },
        seeded: rows.filter((/** @type {any} */ row) => row.kind === "seeded"),
      });
    },
    /**
     * Mark the lines that the other program has not, and give every line that can be left out, or was, its
     * switch; all of it goes with the listing.
     * @param {number[]} changed
     */
    decorate(changed) {
      for (const number of changed) set(lineOf(root, number) ?? root, "data-differs", true);
      addSwitches(root, editor.text(), (next) => {
        editor.setText(next);
        onRun();
      });
    },
    /**
     * Mark what differs now: the boxes of variables, by name.
     * @param {Set<string>} names
     */
    mark(names) {
      for (const box of root.querySelectorAll("[data-var], [data-tensor], [data-node]")) {
        const name = box.getAttribute("data-var") ?? box.getAttribute("data-tensor") ?? boundTo(box);
        set(box, "data-differs", name !== null && names.has(name) ? true : null);
      }
    },
  };
  root.querySelector("[data-do=edit]")?.addEventListener("click", () => side.edit());
  root.querySelector("[data-do=run]")?.addEventListener("click", () => onRun());
  return side;
}

/**
 * @param {Element} root
 * @param {string} text
 * @param {(next: string) => void} onSwitch hears of the text with a line in or out
 */
function addSwitches(root, text, onSwitch) {
  text.split("\n").forEach((line, i) => {
    const next = toggled(text, i + 1);
    const body = lineOf(root, i + 1)?.querySelector(".line-body");
    if (next !== null) body?.prepend(makeSwitch(i + 1, isOut(line) !== null, () => onSwitch(next)));
  });
}

/** The variable that an operation's result is bound to. @param {Element} box */
const boundTo = (box) => box.querySelector(".bound")?.textContent || null;

/** @param {Element} root @param {number} number */
const lineOf = (root, number) => root.querySelector(`[data-line="${number}"]`);

/** @param {number} line @param {boolean} isOut @param {() => void} press */
function makeSwitch(line, isOut, press) {
  const label = t(isOut ? "compare.lineIn" : "compare.lineOut", { line });
  const button = h(
    "button",
    { class: "line-switch", type: "button", "aria-pressed": isOut, title: label, "data-switch": line },
    "#",
  );
  set(button, "aria-pressed", String(isOut));
  set(button, "aria-label", label);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    press();
  });
  return button;
}
