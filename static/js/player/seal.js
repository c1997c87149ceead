/**
 * The seal of a run: how many of its numbers were derived again, and which were not. Asks nobody itself.
 *
 * It stands outside the player, for it is about the whole run; a run that contradicts itself gets a band.
 */

import { h, set, svg, write } from "#js/dom.js";
import { t } from "#js/i18n.js";

/** @typedef {{kind: string, reason: string, subject: string, count: number, row: number}} Gap */
/** @typedef {{row: number | null, claim: string, expected: string, found: string}} Contradiction */
/**
 * @typedef {{checked: number, of: number, rows: number, given: Gap[], problems: Contradiction[],
 *   stopped: string | null}} Report
 * @typedef {{report: Report} | {unchecked: string} | {checking: true}} Finding
 * @typedef {"checking" | "whole" | "partly" | "nothing" | "refused" | "stopped" | "unchecked"} Kind
 */

const ICONS = {
  good: "M8 1l6 2.5v4c0 3.6-2.5 6.3-6 7.5-3.5-1.2-6-3.9-6-7.5v-4zM4.9 8.1l2.2 2.2 4-4.3-1-1-3 3.2-1.2-1.2z",
  bad: "M8 1l7.5 13.5H.5zM7.2 5.5v5h1.6v-5zM7.2 11.5v1.6h1.6v-1.6z",
  open: "M8 1l6 2.5v4c0 3.6-2.5 6.3-6 7.5-3.5-1.2-6-3.9-6-7.5v-4zM7.2 4.5v5h1.6v-5zM7.2 10.5v1.6h1.6v-1.6z",
};

/**
 * @param {Element} root where the seal stands
 * @param {Element} band where a refused run is told
 * @param {(row: number) => void} seek
 */
export function mountSeal(root, band, seek) {
  const line = svg("path", { "fill-rule": "evenodd" });
  const [long, short] = [h("span", { class: "long" }), h("span", { class: "short" })];
  const button = h(
    "button",
    { class: "button small", type: "button", "data-testid": "seal", popovertarget: "seal-details" },
    svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, line),
    long,
    short,
  );
  const details = h("div", { id: "seal-details", class: "menu seal-details", popover: "auto" });
  root.replaceChildren(h("div", { role: "status", class: "seal" }, button), details);
  set(root, "hidden", true);
  const go = (/** @type {number} */ row) => {
    /** @type {any} */ (details).hidePopover?.();
    seek(row);
  };
  /** @param {string} key @param {number} row */
  const link = (key, row) => {
    const element = h("button", { class: "link", type: "button" }, t(key, { row }));
    element.addEventListener("click", () => go(row));
    return element;
  };
  return {
    /** @param {Finding} finding */
    show(finding) {
      const kind = kindOf(finding);
      const { text, brief } = words(finding, kind);
      set(root, "hidden", null);
      set(button, "data-state", kind);
      set(button, "aria-label", text);
      set(line, "d", ICONS[iconOf(kind)]);
      write(long, text);
      write(short, brief);
      details.replaceChildren(...explained(finding, kind, link));
      const contradiction = kind === "refused" && "report" in finding ? finding.report.problems[0] : null;
      set(band, "hidden", contradiction === null);
      band.replaceChildren(...(contradiction ? loudly(contradiction, link) : []));
    },
  };
}

/** @param {Finding} finding @returns {Kind} */
export function kindOf(finding) {
  if ("checking" in finding) return "checking";
  if ("unchecked" in finding) return "unchecked";
  const { problems, stopped, checked, of } = finding.report;
  if (problems.length > 0) return "refused";
  if (stopped) return "stopped";
  if (of === 0) return "nothing";
  return checked === of ? "whole" : "partly";
}

/** @param {Kind} kind */
function iconOf(kind) {
  if (kind === "refused") return "bad";
  return kind === "whole" || kind === "partly" ? "good" : "open";
}

/**
 * What the seal says, and the same where there is little room.
 * @param {Finding} finding
 * @param {Kind} kind
 */
function words(finding, kind) {
  if ("unchecked" in finding) {
    return { text: t(`seal.unchecked.${finding.unchecked}`), brief: t("seal.brief.unchecked") };
  }
  if ("checking" in finding) return { text: t("seal.checking"), brief: "…" };
  const { checked, of, stopped, problems } = finding.report;
  const row = problems[0]?.row ?? null;
  if (kind === "refused") {
    const text = row === null ? t("seal.refusedWhole") : t("seal.refused", { row });
    return { text, brief: t("seal.brief.refused") };
  }
  if (kind === "stopped") return { text: t(`seal.stopped.${stopped}`), brief: t("seal.brief.unchecked") };
  if (kind === "nothing") return { text: t("seal.nothing"), brief: "0/0" };
  return { text: t("seal.checked", { checked, of }), brief: `${checked}/${of}` };
}

/**
 * What opens when the seal is pressed.
 * @param {Finding} finding
 * @param {Kind} kind
 * @param {(key: string, row: number) => HTMLElement} link
 */
function explained(finding, kind, link) {
  const parts = [h("h2", null, words(finding, kind).text), h("p", null, t("seal.how"))];
  if (!("report" in finding)) return parts;
  const { report } = finding;
  const left = report.of - report.checked;
  if (kind === "whole" || kind === "partly") parts.push(h("p", null, t("seal.agree")));
  if (kind === "stopped") parts.push(h("p", null, t("seal.until", { ...report })));
  if (report.problems.length > 0) {
    parts.push(h("ul", null, report.problems.map((problem) => h("li", null, contradiction(problem, link)))));
  }
  if (left > 0) {
    parts.push(h("p", null, t(left === 1 ? "seal.leftOne" : "seal.left", { left })));
    parts.push(h("ul", null, report.given.map((gap) => h("li", null, gapLine(gap, link)))));
  }
  return parts;
}

/** @param {Gap} gap @param {(key: string, row: number) => HTMLElement} link */
function gapLine({ kind, reason, subject, count, row }, link) {
  const text = t("seal.gap", { count, kind, reason: t(`seal.reason.${reason}`) });
  return [subject ? [h("code", null, subject), " · "] : null, text, " ", link("seal.first", row)];
}

/** @param {Contradiction} problem @param {(key: string, row: number) => HTMLElement} link */
function contradiction({ row, claim, expected, found }, link) {
  const text = t("seal.contradiction", { expected, found });
  return [h("code", null, claim), " ", text, " ", row === null ? null : link("seal.go", row)];
}

/** @param {Contradiction} problem @param {(key: string, row: number) => HTMLElement} link */
function loudly(problem, link) {
  const { row } = problem;
  const text = row === null ? t("seal.loudWhole") : t("seal.loud", { row });
  return [h("p", null, h("strong", null, text), " ", ...contradiction(problem, link))];
}
