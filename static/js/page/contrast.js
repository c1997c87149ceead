/** What differs between two runs at this moment, with what each of them has. */

import { h } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { inline } from "#js/panels/numbers.js";

/** @typedef {import("#js/trace/differences.js").Difference} Difference */

const MOST = 12;
const SIDES = /** @type {const} */ (["left", "right"]);

/**
 * @param {Element} root
 * @param {{traces: any[], names: [string, string]}} context `names` of the two, as their columns are headed
 */
export function mountContrast(root, { traces, names }) {
  let last = "";
  return {
    /** @param {Difference[]} found @param {(number | null)[]} rows that the position has of each side */
    show(found, rows) {
      const alone = rows.indexOf(null);
      const key = JSON.stringify([found, alone]);
      if (key === last) return;
      last = key;
      const gap = alone >= 0 && rows.some((row) => row !== null);
      const note = gap && h("p", { class: "contrast-gap" }, t("compare.gap", { name: names[1 - alone] }));
      const none = found.length === 0 && h("p", { class: "contrast-none" }, t("compare.same"));
      const body = none || table(found, traces, names);
      const left = found.length - MOST;
      const more = left > 0 && h("p", { class: "more" }, t("compare.more", { count: left }));
      root.replaceChildren(...[note, body, more].filter((part) => part instanceof Node));
    },
  };
}

/** @param {Difference[]} found @param {any[]} traces @param {[string, string]} names */
function table(found, traces, names) {
  const head = [t("compare.what"), ...names].map((name) => h("th", { scope: "col" }, name));
  const rows = found.slice(0, MOST).map((each) =>
    h(
      "tr",
      { "data-difference": nameOf(each) },
      h("th", { scope: "row" }, h("code", null, nameOf(each))),
      SIDES.map((side, i) => h("td", { "data-of": side }, held(each, side, traces[i]))),
    ),
  );
  return h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows));
}

/** @param {Difference} each */
function nameOf(each) {
  if (each.kind === "output") return t("compare.output", { line: each.line });
  if (each.kind === "error") return t("compare.error");
  if (each.kind === "step") return t("compare.step");
  return each.kind === "grad" ? `${each.name}.grad` : each.name;
}

/** @param {Difference} each @param {"left" | "right"} side @param {any} trace */
function held(each, side, trace) {
  const value = each[side];
  if (each.kind === "output" || each.kind === "error") return value === null ? "–" : h("code", null, value);
  if (each.kind === "step") return each[side].map((v) => [inline(trace, v, "grad", 34, nameOf(each)), " "]);
  if (value === undefined) return "–";
  const tone = each.kind === "value" ? "value" : value === null ? "none" : "leaf";
  return inline(trace, value, tone, 34, nameOf(each));
}
