/** The choice of how elements are grouped, among the graph's tools. */
import { h, set } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

const ENOUGH = 8; // operations: fewer are not grouped

/**
 * Make the choice; `onChoose(fold)` is asked for another drawing and says whether it has come.
 * @param {any} trace @param {any} drawing
 * @param {{onChoose(fold: string): Promise<boolean>, signal: AbortSignal}} options
 */
export function foldMenu(trace, drawing, { onChoose, signal }) {
  const nodes = Object.values(trace.nodes).filter(({ variable }) => !variable);
  if (!drawing.folds?.length || nodes.length < ENOUGH) return null;
  const options = ["auto", ...drawing.folds, "none"].map((fold) =>
    h("option", { value: fold }, word(`graph.fold.${fold}`)),
  );
  const label = word("graph.fold");
  const select = h(
    "select",
    { class: "button small fold", "aria-label": label, title: label, "data-testid": "fold" },
    options,
  );
  let chosen = drawing.fold;
  select.value = chosen;
  select.addEventListener(
    "change",
    async () => {
      set(select, "aria-busy", "true");
      if (await onChoose(select.value)) chosen = select.value;
      select.value = chosen;
      set(select, "aria-busy", null);
    },
    { signal },
  );
  return select;
}
