/** The graph in words: a table of the same elements for those who read it without the picture. */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

const COLUMNS = ["name", "value", "grad", "state"];

function words({ part, seen }) {
  const { data, texts } = seen;
  const name =
    data["data-var"] ??
    data["data-tensor"] ??
    data["data-group"] ??
    [texts.name.text, texts.bound?.text].filter(Boolean).join(" → ");
  const node = data["data-node"] ? `${data["data-node"]}: ` : "";
  return {
    name: `${word(`graph.kind.${part.kind}`)} ${name}`,
    value: texts.value.text,
    grad: data["data-grad"] ?? "",
    state: `${node}${word(`phase.${data["data-phase"]}`)}`,
  };
}

function makeRow() {
  const cells = Object.fromEntries(
    COLUMNS.map((column) => [column, h(column === "name" ? "th" : "td", null)]),
  );
  set(cells.name, "scope", "row");
  return { row: h("tr", null, Object.values(cells)), cells };
}

/** Add the table, folded, to the graph's place; it is made when opened. `show` takes what is shown now. */
export function createTable(root, { signal, redraw }) {
  const body = h("tbody", null);
  const head = h(
    "tr",
    null,
    COLUMNS.map((column) => h("th", { scope: "col" }, word(`graph.column.${column}`))),
  );
  const rows = [];
  const details = h(
    "details",
    { class: "graph-words" },
    h("summary", null, word("graph.words")),
    h("div", { class: "scroll" }, h("table", null, h("thead", null, head), body)),
  );
  root.append(details);
  details.addEventListener("toggle", () => details.open && redraw(), { signal });
  return {
    show(shown) {
      if (!details.open) return;
      while (rows.length < shown.length) rows.push(makeRow());
      shown.forEach((each, i) => {
        for (const [column, text] of Object.entries(words(each))) write(rows[i].cells[column], text);
      });
      if (body.children.length !== shown.length) {
        body.replaceChildren(...rows.slice(0, shown.length).map(({ row }) => row));
      }
    },
  };
}
