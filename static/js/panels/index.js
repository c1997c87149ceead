/**
 * The list of panels, in the order of the page. To add one: its file, a line here, its title in both
 * dictionaries.
 */
import { h, set } from "#js/dom.js";
import { buffers } from "#js/panels/buffers.js";
import { clipping } from "#js/panels/clipping.js";
import { doctor } from "#js/panels/doctor.js";
import { hooks } from "#js/panels/hooks.js";
import { kept } from "#js/panels/kept.js";
import { legend } from "#js/panels/legend.js";
import { held } from "#js/panels/memory.js";
import { next } from "#js/panels/next.js";
import { operation } from "#js/panels/operation.js";
import { output } from "#js/panels/output.js";
import { queue } from "#js/panels/queue.js";
import { rule } from "#js/panels/rule.js";
import { saved } from "#js/panels/saved.js";
import { say } from "#js/panels/say.js";
import { sums } from "#js/panels/sums.js";
import { termed } from "#js/panels/terms.js";
import { trouble } from "#js/panels/trouble.js";
import { update } from "#js/panels/update.js";
import { variables } from "#js/panels/variables.js";
import { warning } from "#js/panels/warning.js";
import { why } from "#js/panels/why.js";

/**
 * A panel {id, title, slot, mount}; one that is made anew at every step gives `render(ctx, state)` instead
 * of mount.
 */
const happened = [legend, doctor, trouble, warning, sums, clipping, operation, rule, update];
const standing = [saved, buffers, kept, hooks, next, held, variables];
const list = [say, output, queue, why, ...happened, ...standing];

function mountRender(panel, root, ctx) {
  return {
    show(state) {
      const children = [panel.render(ctx, state)].flat(Infinity).filter(Boolean);
      root.replaceChildren(...children);
      return children.length > 0;
    },
  };
}

function mountCard(panel, root, ctx) {
  const title = h("h3", null);
  const body = h("div", { class: "card-body" });
  const card = h("section", { class: "card", "data-panel": panel.id }, title, body);
  root.append(card);
  const inner = panel.mount ? panel.mount(body, ctx) : mountRender(panel, body, ctx);
  let called = "";
  return {
    show(state) {
      set(card, "hidden", !inner.show(state));
      const key = panel.heading?.(state) ?? panel.title;
      if (key !== called) title.replaceChildren(termed(key)); // else a link in it keeps the focus
      called = key;
    },
  };
}

/** The panels with one contract: {id, title, slot, mount(root, ctx) -> {show(state)}}. */
export const panels = list.map((panel) => ({
  ...panel,
  mount: (root, ctx) => (panel.slot === "inspector" ? mountCard(panel, root, ctx) : panel.mount(root, ctx)),
}));

/** Put every panel in its slot under root, where root has that slot and the address leaves it there. */
export function mountPanels(root, ctx) {
  const placeOf = ({ slot }) => root.querySelector(`[data-slot="${slot}"]`);
  const there = panels.filter((panel) => placeOf(panel) && !ctx.hidden?.has(panel.id));
  const shown = there.map((panel) => panel.mount(placeOf(panel), ctx));
  return { show: (state) => shown.forEach((panel) => panel.show(state)) };
}
