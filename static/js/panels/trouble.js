/**
 * An error or a limit: the message as it came, what in the graph caused it, and what people usually do
 * about it.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { adviceFor } from "#js/panels/advice.js";
import { nodeSubject, tensorName } from "#js/panels/names.js";
import { findingsAt } from "#js/trace/findings.js";
import { messageText } from "#js/trace/refusals.js";

function goTo(player, k, line) {
  const button = h("button", { class: "button small", type: "button" }, word("trouble.go", { line }));
  button.addEventListener("click", () => player.seek(k));
  return button;
}

function causeWords(trace, state, row) {
  const { cause, node } = row;
  const values = { line: cause.at?.[0] ?? "?", node: trace.nodes[node]?.name ?? "", name: "" };
  if (cause.what === "changed") values.name = tensorName(trace, state, cause.tensor);
  else if (node) values.name = nodeSubject(trace, state, node);
  return word(`trouble.${cause.what}`, values);
}

/** What is known from the message alone. */
function byMessage({ message }) {
  const key = adviceFor(message);
  if (!key) return null;
  const name = /name '(\w+)'/.exec(message)?.[1] ?? "";
  return h(
    "div",
    { class: "because" },
    h("h4", null, word("trouble.causes")),
    h("p", null, word(`trouble.${key}`, { name })),
    h("h4", null, word("trouble.usually")),
    h("p", null, word(`trouble.advice.${key}`, { name })),
  );
}

function because({ trace, player }, state, row) {
  if (findingsAt(trace, state.k).some((finding) => finding.row === state.k)) return null; // it says more
  if (!row.cause) return byMessage(row);
  const line = row.cause.at?.[0] ?? "?";
  return h(
    "div",
    { class: "because" },
    h("h4", null, word("trouble.because")),
    h("p", null, causeWords(trace, state, row)),
    Number.isInteger(row.cause.by) ? goTo(player, row.cause.by, line) : null,
    h("h4", null, word("trouble.usually")),
    h("p", null, word(`trouble.advice.${row.cause.what}`)),
  );
}

export const trouble = {
  id: "trouble",
  title: "panel.error",
  slot: "inspector",
  heading: (state) => (state.row?.kind === "limit" ? "panel.limit" : "panel.error"),
  render(ctx, state) {
    const row = state.row;
    if (row?.kind === "limit") return h("p", { class: "error-message" }, messageText(row, word));
    if (row?.kind !== "error") return null;
    const where = row.at ? h("p", { class: "card-note" }, word("trouble.line", { line: row.at[0] })) : null;
    return [
      h("p", { class: "error-message" }, h("strong", null, row.type), ": ", messageText(row, word)),
      where,
      because(ctx, state, row),
    ];
  },
};
