/** The hooks that are registered by now: on what, for which moment, and when they ran. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { nodeSubject, tensorName } from "#js/panels/names.js";
import { hooks as read } from "#js/trace/hooks.js";

const MOST = 8;

function ownerName(trace, state, { owner }) {
  if (trace.tensors[owner]) return tensorName(trace, state, owner);
  return `${trace.nodes[owner]?.name ?? ""} ${nodeSubject(trace, state, owner)}`;
}

function line({ trace, player }, state, hook) {
  const ran = hook.ran.filter((k) => k <= state.k);
  const next = hook.ran.find((k) => k > state.k);
  const target = ran[ran.length - 1] ?? next;
  const key = ran.length === 0 ? (next === undefined ? "hooks.never" : "hooks.later") : "hooks.ran";
  const text = word(key, { count: ran.length });
  const go =
    target === undefined ? h("span", null, text) : h("button", { class: "link", type: "button" }, text);
  if (target !== undefined) go.addEventListener("click", () => player.seek(target));
  const times = hook.count > 1 ? ` × ${hook.count}` : "";
  return h(
    "li",
    { "data-now": ran.includes(state.k) },
    h("p", { class: "pair" }, h("code", null, `${hook.hook}${times}`), go),
    h(
      "p",
      { class: "queue-note" },
      `${ownerName(trace, state, hook)}: ${word(`hook.${hook.when.replace(/[^a-z]+/gi, "_")}`)}`,
    ),
  );
}

export const hooks = {
  id: "hooks",
  title: "panel.hooks",
  slot: "inspector",
  render(ctx, state) {
    if (ctx.player?.level !== "engine") return null;
    const there = read(ctx.trace).filter(({ k }) => k <= state.k);
    if (there.length === 0) return null;
    return h(
      "ul",
      { class: "hooks" },
      there.slice(-MOST).map((hook) => line(ctx, state, hook)),
    );
  },
};
