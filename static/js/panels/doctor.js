/**
 * What is wrong with the program, in this graph: told where it shows and at the end, with places to go to
 * and, where there is one, the change that mends it.
 */
import { h } from "#js/dom.js";
import { has, t as word } from "#js/i18n.js";
import { difference, edited, findingsAt, keysOf } from "#js/trace/findings.js";
import { short } from "#js/trace/values.js";

/** The words of one part of a finding, with its names and numbers in them. */
export function told(trace, finding, part) {
  const values = Object.entries(finding.values).map(([name, v]) => [name, short(trace, v)]);
  const key = keysOf(finding, part).find(has);
  return key ? word(key, { ...finding.terms, ...Object.fromEntries(values) }) : "";
}

/** What is to be said of a run as a whole: its findings that are not how it ended. */
export const noticed = (trace) =>
  (trace.findings ?? [])
    .filter(({ row }) => trace.rows[row].kind !== "error")
    .map((finding) => ({
      title: told(trace, finding, "title"),
      row: finding.row,
      line: finding.at?.[0] ?? null,
    }));

function goTo({ player, selection }, { row, at, node, tensor }, text) {
  const button = h("button", { class: "button small", type: "button" }, text);
  const ids = [node, tensor].filter(Boolean);
  const light = () => ids.length > 0 && selection.hover({ kind: "element", ids });
  const rest = () => selection.hover(null);
  button.addEventListener("click", () => player.seek(row));
  for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, light);
  for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, rest);
  if (at) button.dataset.line = at[0];
  return button;
}

function places(ctx, state, finding) {
  const shown = [finding, ...finding.links].filter(({ row }) => row !== state.k);
  const met = new Set();
  const buttons = [];
  for (const place of shown) {
    const line = place.at?.[0] ?? ctx.trace.rows[place.row]?.at?.[0];
    if (line === undefined || met.has(line)) continue;
    met.add(line);
    buttons.push(goTo(ctx, { ...finding, ...place }, word("trouble.go", { line })));
  }
  return buttons.length > 0 ? h("div", { class: "finding-places" }, buttons) : null;
}

const SIGNS = { "-": "−", "+": "+", " ": " " };

const indentOf = ({ text }) => (text.trim() === "" ? Infinity : text.length - text.trimStart().length);

/** A small list of the lines before and after, without the indent that all of them have. */
export function differenceList(before, after) {
  const rows = difference(before, after);
  const common = Math.min(...rows.map(indentOf));
  return h(
    "pre",
    { class: "difference", tabindex: "0", "aria-label": word("doctor.difference") },
    rows.map(({ sign, line, text }) =>
      h(
        "span",
        { class: "difference-line", "data-sign": sign === " " ? null : sign },
        h("span", { class: "difference-number" }, line),
        h("span", { class: "difference-sign" }, SIGNS[sign]),
        h("code", null, text.slice(common) || " "),
      ),
    ),
  );
}

function change({ program, trace, hidden }, finding) {
  if (!finding.fix || hidden?.has("edit")) return null;
  const after = edited(trace.source, finding.fix);
  const button = h(
    "button",
    { class: "button primary small", type: "button", "data-testid": "fix" },
    word("doctor.change"),
  );
  button.addEventListener("click", () => program.replace(after, true));
  return h("div", { class: "finding-fix" }, differenceList(trace.source, after), button);
}

function card(ctx, state, finding) {
  return h(
    "article",
    {
      class: "finding",
      "data-code": finding.code,
      "data-severity": finding.severity,
      "data-testid": "finding",
    },
    h("h4", null, told(ctx.trace, finding, "title")),
    h("p", null, told(ctx.trace, finding, "what")),
    places(ctx, state, finding),
    h("h4", null, word("trouble.usually")),
    h("p", null, told(ctx.trace, finding, "do")),
    change(ctx, finding),
  );
}

export const doctor = {
  id: "doctor",
  title: "panel.doctor",
  slot: "inspector",
  render: (ctx, state) => findingsAt(ctx.trace, state.k).map((finding) => card(ctx, state, finding)),
};
