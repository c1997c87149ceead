/** Everything that is kept for backward now: by which nodes, until when, and whether it was written since. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { queueLabel, tensorName } from "#js/panels/names.js";
import { inline } from "#js/panels/numbers.js";
import { termed } from "#js/panels/terms.js";
import { isWritten, keepers, versionAt } from "#js/trace/keepers.js";

const MOST = 8;

/** The version when it was saved against the one now: what backward compares. */
function versionText(trace, state, tensor, since) {
  const [saved, now] = [versionAt(trace, tensor, since), versionAt(trace, tensor, state.k)];
  if (saved === null || now === null)
    return word(isWritten(trace, tensor, since, state.k) ? "kept.written" : "kept.untouched");
  return termed(saved === now ? "kept.version" : "kept.versions", { saved, now });
}

function keeperLine({ trace, player }, state, tensor, { node, name, since, until }) {
  const isOld = isWritten(trace, tensor, since, state.k);
  const go =
    until === null
      ? null
      : h("button", { class: "link", type: "button" }, word("kept.until", { step: until + 1 }));
  go?.addEventListener("click", () => player.seek(until));
  return h(
    "li",
    { "data-written": isOld },
    h("code", null, queueLabel(trace, state, node)),
    ` ${word("kept.as", { name })} · `,
    versionText(trace, state, tensor, since),
    " · ",
    go ?? word("kept.open"),
  );
}

export const kept = {
  id: "kept",
  title: "panel.kept",
  slot: "inspector",
  render(ctx, state) {
    if (ctx.player?.level !== "engine") return null;
    const all = keepers(ctx.trace, state);
    const shown = all.slice(0, MOST).map(({ tensor, v, keepers: list }) =>
      h(
        "div",
        { class: "kept-tensor" },
        h(
          "p",
          { class: "pair" },
          h("code", null, tensorName(ctx.trace, state, tensor)),
          v ? inline(ctx.trace, v, "value", 16) : null,
        ),
        h(
          "ul",
          { class: "keepers" },
          list.map((keeper) => keeperLine(ctx, state, tensor, keeper)),
        ),
      ),
    );
    const more = all.length - shown.length;
    return [shown, more > 0 ? h("p", { class: "more" }, word("kept.more", { count: more })) : null];
  },
};
