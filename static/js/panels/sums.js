/**
 * Numbers that are added or replaced: sums in a buffer, accumulation in `.grad`, slots emptied, shapes
 * reduced.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { inline, signOf, term, together } from "#js/panels/numbers.js";
import { gradName, nodeSubject, receiver, tensorName } from "#js/panels/names.js";

const equation = (...parts) => h("div", { class: "equation" }, parts);
const note = (text) => h("p", { class: "card-note" }, text);

/** The gradient of this very row. */
const here = (state) => ({ row: state.k });

const renders = {
  grad_accumulated(trace, state, row) {
    const name = gradName(trace, state, row.tensor);
    return [
      equation(
        term(trace, row.before, "leaf", word("sum.before", { name })),
        signOf("+"),
        term(trace, row.arriving, "grad", word("sum.arriving"), here(state)),
        together("=", term(trace, row.after, "leafResult", word("sum.after", { name }), here(state))),
      ),
      note(word(row.before === null ? "sum.first" : "sum.again")),
    ];
  },
  grad_retained(trace, state, row) {
    return renders.grad_accumulated(trace, state, row).slice(0, 1);
  },
  grad_summed(trace, state, row) {
    const name = nodeSubject(trace, state, row.node);
    return [
      equation(
        term(trace, row.before, "grad", word("sum.waiting")),
        signOf("+"),
        term(trace, row.added, "grad", word("sum.added")),
        together("=", term(trace, row.after, "result", word("sum.for", { name }), here(state))),
      ),
      note(word("sum.inside")),
    ];
  },
  reduced_to_shape(trace, state, row) {
    const target = trace.nodes[row.node]?.edges[row.slot]?.[0];
    const into = target ? word("rule.to", { name: receiver(trace, state, target) }) : null;
    return [
      equation(term(trace, row.before, "grad"), together("→", term(trace, row.after, "result", into))),
      note(word("sum.shape")),
    ];
  },
  hook_ran(trace, state, row) {
    if (row.before === row.after) return null;
    return equation(
      term(trace, row.before, "grad"),
      together("→", term(trace, row.after, "result", row.hook)),
    );
  },
  grad_captured(trace, state, row) {
    return equation(term(trace, row.grad, "result", nodeSubject(trace, state, row.node), here(state)));
  },
  grad_set(trace, state, row) {
    const name = gradName(trace, state, row.tensor);
    const now = term(trace, row.after, "leafResult", word("sum.after", { name }));
    return equation(term(trace, row.before, "leaf", word("sum.before", { name })), together("→", now));
  },
  zero_grad(trace, state, row) {
    return note(word(row.set_to_none ? "sum.toNone" : "sum.toZero"));
  },
  backward_began(trace, state, row) {
    const lines = row.roots.map((root, i) =>
      h(
        "p",
        { class: "pair" },
        h("span", null, word("sum.seed", { name: tensorName(trace, state, root) })),
        inline(trace, row.grads[i], "grad"),
      ),
    );
    return row.implicit ? [lines, note(word("sum.implicit"))] : lines;
  },
};

export const sums = {
  id: "sums",
  title: "panel.sums",
  slot: "inspector",
  heading: (state) => `panel.sums.${state.row?.kind}`,
  render({ trace }, state) {
    const row = state.row;
    return row && Object.hasOwn(renders, row.kind) ? renders[row.kind](trace, state, row) : null;
  },
};
