/**
 * The variables that hold tensors now, each with its value and, for a leaf, its `.grad`. Shown between
 * backward passes.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { asked, inline, moved } from "#js/panels/numbers.js";

const MOST = 8;

function line(trace, state, [name, tensor]) {
  const grad = state.grad.get(tensor) ?? null;
  const wants = trace.tensors[tensor].kind === "leaf" || grad !== null;
  return h(
    "li",
    { class: "variable" },
    h("code", { class: "variable-name", "data-kind": trace.tensors[tensor].kind }, name),
    moved(inline(trace, state.value.get(tensor) ?? null, "value", 20, name), trace, tensor),
    wants
      ? h(
          "span",
          { class: "variable-grad" },
          ".grad ",
          grad === null
            ? inline(trace, grad, "none", 16, `${name}.grad`)
            : asked(inline(trace, grad, "leaf", 16, `${name}.grad`), { tensor }),
        )
      : null,
  );
}

export const variables = {
  id: "variables",
  title: "panel.variables",
  slot: "inspector",
  render({ trace }, state) {
    const named = [...state.names].filter(([, tensor]) => trace.tensors[tensor] && state.value.has(tensor));
    if (state.backward || state.error || !named.length) return null;
    const more = named.length - MOST;
    return [
      h(
        "ul",
        { class: "variables" },
        named.slice(-MOST).map((entry) => line(trace, state, entry)),
      ),
      more > 0 ? h("p", { class: "more" }, word("variables.more", { count: more })) : null,
    ];
  },
};
