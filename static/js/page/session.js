/** One run on the page: its player, its views, its keys and its step in the address, all ended together. */

import { set } from "#js/dom.js";
import { keepInAddress, rowInHash } from "#js/player/address.js";
import { mountKeyboard } from "#js/player/keyboard.js";
import { createPlayer } from "#js/player/player.js";
import { createSelection } from "#js/player/selection.js";
import { mountViews } from "#js/page/views.js";

/** @typedef {ReturnType<typeof createPlayer>} Player */
/** @typedef {{level?: import("#js/trace/stops.js").Level, speed?: number}} Settings */
/** @typedef {{text: string, run(text: string): void, edit(text?: string): void}} Program */

/**
 * Mount the player and its views for one run. Everything ends with `signal`.
 * @param {Element} root
 * @param {import("#js/api.js").Run} answer
 * @param {{settings: Settings, program: Program, signal: AbortSignal}} context
 *   `settings` are those of the run before; they are kept up to date.
 * @returns {Player}
 */
export function openSession(root, { trace, drawing }, { settings, program, signal }) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const player = createPlayer(trace, { ...settings, still: () => still.matches, signal });
  const selection = createSelection({ signal });
  const views = mountViews(root, { trace, drawing, player, signal, selection, root, program });
  const keep = keepInAddress({ signal });
  const show = (/** @type {Player["state"]} */ state) => {
    set(root, "data-step", state.k + 1);
    views.show(state);
    keep(state.k);
  };
  set(root, "data-steps", trace.rows.length);
  player.onChange((state) => {
    Object.assign(settings, { level: player.level, speed: player.speed });
    show(state);
  });
  player.onDraw((row, t) => views.draw(row, t));
  selection.onChange(() => views.show(player.state));
  show(player.state);
  mountKeyboard(document, { player, edit: () => program.edit(), fit: () => views.fit(), signal });
  addEventListener("hashchange", () => player.seek(rowInHash(location.hash) ?? player.k), { signal });
  return player;
}
