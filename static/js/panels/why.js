/**
 * Why this number: one element of a gradient taken apart. What it adds up from, the paths from the root, and
 * beside it the estimate by finite differences.
 */
import { h, set } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { gradName, nodeSubject, receiver } from "#js/panels/names.js";
import { matrix } from "#js/panels/numbers.js";
import { chip, elementText, parts, pathList } from "#js/panels/why_parts.js";
import { estimate } from "#js/panels/why_estimate.js";
import { callOf, flatOf, gradientOf, indexOf, real } from "#js/trace/gradients.js";

const MOST_CELLS = 36;

/** What a row's gradient is of, in words. */
function subjectOf(trace, state, row) {
  if (row.kind === "grad_accumulated" || row.kind === "grad_retained")
    return gradName(trace, state, row.tensor);
  if (row.kind === "edge_flowed") {
    const values = { from: nodeSubject(trace, state, row.node), to: receiver(trace, state, row.target) };
    return word("why.edge", values);
  }
  return word("why.at", { name: nodeSubject(trace, state, row.node) });
}

/** The cells to choose an element from; a large tensor has fields for its index. */
function chooser({ trace, selection }, picked, v) {
  const value = trace.values[v];
  if (value.shape.length === 0) return null;
  const pick = (element) => selection.pick({ ...picked, element });
  const size = value.shape.reduce((a, b) => a * b, 1);
  const move = (by) => {
    const flat = Math.min(size - 1, Math.max(0, flatOf(value.shape, picked.element) + by));
    pick(indexOf(value.shape, flat));
  };
  const box = h("div", {
    class: "why-cells",
    role: "group",
    tabindex: 0,
    "data-key": "chooser",
    "aria-label": word("why.choose", { element: elementText(picked.element) }),
  });
  box.addEventListener("keydown", (event) => {
    const wide = value.shape[value.shape.length - 1];
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide, ArrowUp: -wide }[event.key];
    if (by === undefined || event.target !== box) return;
    event.preventDefault();
    event.stopPropagation();
    move(by);
  });
  if (!value.summary && size <= MOST_CELLS) {
    const cells = matrix(trace, v, "grad", new Set([flatOf(value.shape, picked.element)]));
    cells.removeAttribute("tabindex");
    [...cells.children].forEach((cell, flat) =>
      cell.addEventListener("click", () => pick(indexOf(value.shape, flat))),
    );
    if (cells.matches(".cells")) return (box.append(cells), box);
  }
  box.removeAttribute("tabindex");
  value.shape.forEach((most, axis) => {
    const field = h("input", {
      ...{ type: "number", min: 0, max: most - 1, value: picked.element[axis], "data-key": `axis${axis}` },
      "aria-label": word("why.axis", { axis, most: most - 1 }),
    });
    field.addEventListener("change", () => {
      const at = Math.min(most - 1, Math.max(0, Math.round(Number(field.value) || 0)));
      pick(picked.element.map((each, i) => (i === axis ? at : each)));
    });
    box.append(field);
  });
  return box;
}

/** What else went into the number that is shown, beside what arrived in this call. */
function beside(trace, state, picked, answer) {
  const lines = [];
  if (answer.held !== null) {
    const [before, added] = [real(answer.held), real(answer.number)];
    lines.push(word("why.held", { before: chip(before), added: chip(added), after: chip(before + added) }));
  }
  for (const k of picked.since ?? []) {
    lines.push(k === null ? word("why.written") : word("why.since", { cause: trace.rows[k].cause }));
  }
  if (answer.of < answer.parts) {
    lines.push(word("why.part", { of: answer.of, parts: answer.parts, whole: chip(real(answer.whole)) }));
  }
  return lines.map((text) => h("p", { class: "card-note" }, text));
}

/** What the number is: a `.grad` that held something before is more than what this call added. */
function nameOf(trace, state, picked, answer) {
  const name = `${subjectOf(trace, state, trace.rows[picked.row])}${elementText(picked.element)}`;
  return (answer?.held ?? null) === null ? name : word("why.adds", { name });
}

function heading({ trace, selection, program }, state, picked, answer) {
  const row = trace.rows[picked.row];
  const close = h(
    "button",
    {
      class: "button small why-close",
      type: "button",
      "aria-label": word("why.close"),
      title: word("why.close"),
    },
    "×",
  );
  close.addEventListener("click", () => selection.pick(null));
  const number = answer?.found ? real(answer.number) : null;
  const name = nameOf(trace, state, picked, answer);
  const shown = number === null ? [] : [" = ", h("strong", { "data-testid": "why-number" }, chip(number))];
  const isLeaf = row.kind === "grad_accumulated" && Boolean(program?.move);
  const move = JSON.stringify({ tensor: row.tensor, element: picked.element });
  const more = { class: "button small", type: "button", title: word("why.move"), "data-move": move };
  const whatIf = isLeaf ? h("button", more, word("whatif.title")) : null;
  return h("div", { class: "why-head" }, h("p", { class: "why-name" }, name, ...shown), whatIf, close);
}

function body(ctx, state, picked, answer) {
  const { trace } = ctx;
  if (!answer.found) return h("p", { class: "card-note" }, word(answer.stopped ? "why.stopped" : "why.none"));
  const how = { ...ctx, state, answer, call: answer.call };
  return [
    beside(trace, state, picked, answer),
    answer.paths.length > 0 ? pathList(how) : parts(how),
    estimate(how, picked),
  ];
}

function questionOf(trace, picked) {
  return {
    row: picked.row,
    call: callOf(trace, picked.row) ?? 0,
    element: picked.element,
    input_nr: picked.input_nr ?? 0,
  };
}

/** What is drawn from: drawn anew only where something of it is other, so that focus and hover stay. */
function content(ctx, state) {
  const { trace, questions } = ctx;
  const picked = ctx.selection.picked;
  const known = questions.of("/api/gradients/why", questionOf(trace, picked));
  const told = known.answer
    ? body(ctx, state, picked, known.answer)
    : h("p", { class: "card-note", role: "status" }, known.message ?? word("why.waiting"));
  const v = gradientOf(trace, picked.row);
  return [heading(ctx, state, picked, known.answer), v ? chooser(ctx, picked, v) : null, told];
}

export const why = {
  id: "why",
  title: "panel.why",
  slot: "inspector",
  mount(root, ctx) {
    let last = "";
    return {
      show(state) {
        const picked = ctx.selection?.picked;
        if (picked?.kind !== "why" || !ctx.questions) {
          last = "";
          root.replaceChildren();
          return false;
        }
        const key = JSON.stringify([picked, ctx.questions.version()]);
        if (key === last) return true;
        last = key;
        const focus =
          root.contains(document.activeElement) && document.activeElement.getAttribute("data-key");
        root.replaceChildren(...content(ctx, state).flat(Infinity).filter(Boolean));
        set(root, "aria-busy", root.querySelector("[role=status]") ? "true" : null);
        if (focus) root.querySelector(`[data-key="${focus}"]`)?.focus();
        return true;
      },
    };
  },
};
