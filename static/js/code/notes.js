/** What has to be said about a run as a whole, above its code: how the pasted text was mended. */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

/** @typedef {{kind: string, lines: number[], texts: string[]}} Mend */

/**
 * Write sorted numbers as "1–3, 7".
 * @param {number[]} numbers
 */
export function ranges(numbers) {
  /** @type {[number, number][]} */
  const found = [];
  for (const n of numbers) {
    const last = found[found.length - 1];
    if (last && n === last[1] + 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/**
 * Say one mend.
 * @param {Mend} mend
 */
export function mendText({ kind, lines, texts }) {
  const n = ranges(lines);
  return word(`mended.${kind}`, {
    lines: word(lines.length === 1 ? "mended.line" : "mended.lines", { n }),
    texts: texts.join("; "),
  });
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @param {string} id
 */
function button(label, onClick, id) {
  const made = h("button", { class: "button small", type: "button", "data-testid": id }, label);
  made.addEventListener("click", onClick);
  return made;
}

/**
 * @param {Mend[]} mends
 * @param {() => void} onBack
 */
function mendedNote(mends, onBack) {
  return h(
    "details",
    { class: "note", "data-testid": "mended", open: mends.length <= 2 },
    h("summary", null, word("mended.title")),
    h(
      "ul",
      null,
      mends.map((mend) => h("li", null, mendText(mend))),
    ),
    button(word("mended.back"), onBack, "own-text"),
  );
}

/**
 * @param {{generator: string, seed: number}[]} seeded
 * @param {() => void} onRoll
 */
function seedNote(seeded, onRoll) {
  const generators = seeded.map(({ generator }) => generator).join(", ");
  return h(
    "p",
    { class: "note", "data-testid": "seed" },
    word("seed.note", { generators, seed: seeded[0].seed }),
    " ",
    button(word("seed.roll"), onRoll, "roll"),
  );
}

/** @param {{url: string, title: string, where: string}} error */
function errorNote({ url, title, where }) {
  const link = h("a", { href: url, "data-testid": "explained" }, title);
  return h("p", { class: "note" }, word(`errors.${where}`), " ", link);
}

/**
 * @param {{title: string, row: number, line: number | null}} finding
 * @param {(row: number) => void} onGo
 */
function findingNote({ title, row, line }, onGo) {
  const go = button(word(line === null ? "doctor.see" : "doctor.see.line", { line }), () => onGo(row), "see");
  return h("p", { class: "note", "data-testid": "finding-note" }, title, " ", go);
}

/** @param {() => void} onUndo */
function changedNote(onUndo) {
  return h(
    "p",
    { class: "note", role: "status", "data-testid": "changed-note" },
    word("doctor.changed"),
    " ",
    button(word("doctor.undo"), onUndo, "undo-fix"),
  );
}

/**
 * Say something about the request; null takes it away.
 * @param {{notice: Element}} page
 * @param {string | null} text
 * @param {"error" | "busy"} [kind]
 */
export function tell({ notice }, text, kind = "error") {
  set(notice, "data-kind", text === null ? null : kind);
  set(notice, "class", `notice ${kind}`);
  write(notice, text ?? "");
  set(notice, "hidden", text === null);
}

/**
 * Show the notes of a run in place of those before.
 * @param {Element} root
 * @param {{
 *   mends?: Mend[], errors: {url: string, title: string, where: string}[],
 *   findings?: {title: string, row: number, line: number | null}[], onGo?: (row: number) => void,
 *   onUndo?: (() => void) | false,
 *   seeded: {generator: string, seed: number}[], onBack: () => void, onRoll: () => void,
 * }} notes
 */
export function showNotes(root, notes) {
  const { mends = [], errors, findings = [], seeded, onBack, onRoll } = notes;
  const { onGo = () => {}, onUndo = false } = notes;
  const shown = [
    onUndo && changedNote(onUndo),
    ...findings.map((finding) => findingNote(finding, onGo)),
    ...errors.map(errorNote),
    mends.length > 0 && mendedNote(mends, onBack),
    seeded.length > 0 && seedNote(seeded, onRoll),
  ];
  root.replaceChildren(.../** @type {Node[]} */ (shown.filter(Boolean)));
}
