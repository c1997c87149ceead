/** One run on the page: its player, its views, its keys and its step in the address, all ended together. */

import { drawRun } from "#js/api.js";
import { set } from "#js/dom.js";
import { keepInAddress, rowInHash, viewIn } from "#js/player/address.js";
import { mountKeyboard } from "#js/player/keyboard.js";
import { createPlayer } from "#js/player/player.js";
import { createSelection } from "#js/player/selection.js";
import { mountAsking } from "#js/page/asking.js";
import { mountCopying } from "#js/page/copying.js";
import { createQuestions } from "#js/page/questions.js";
import { titleOf } from "#js/page/title.js";
import { mountViews } from "#js/page/views.js";

/** @typedef {ReturnType<typeof createPlayer>} Player */
/** @typedef {{level?: import("#js/trace/stops.js").Level, speed?: number, picked?: any}} Settings */
/**
 * @typedef {{
 *   text: string, run(text: string, more?: object): unknown,
 *   replace(text: string, offersBack?: boolean): unknown, edit(text?: string): void,
 * }} Program
 */

/**
 * Mount a player and its views for one run, without keys, address and title: those are the page's, which may
 * show two runs. `onShow` hears of every change. Everything ends with `signal`.
 * @param {Element} root
 * @param {import("#js/api.js").Run} answer
 * @param {{
 *   settings: Settings, program: Program, hidden: Set<string>, signal: AbortSignal,
 *   onShow?: (player: Player) => void, of?: string, within?: Element, alone?: boolean,
 *   whatif?: ReturnType<typeof import("#js/page/changes.js").mountChanges>,
 * }} context `settings` are those of the run before; they are kept up to date. `of`: see `copying.js`, which
 *   finds this run's values `within` that element, else in `root`. `alone`: there is no server to ask.
 */
export function openRun(root, { trace, drawing }, context) {
  const { settings, program, hidden, signal, onShow, of, within = root, whatif = null, alone } = context;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const player = createPlayer(trace, { ...settings, still: () => still.matches, signal });
  const selection = createSelection({ signal });
  const changed = () => {
    views.show(player.state);
    whatif?.draw();
  };
  const questions = program.ask ? createQuestions({ ask: program.ask, changed, signal }) : null;
  const redraw = alone ? null : (/** @type {string} */ fold) => drawRun(trace, fold, { signal });
  const more = { questions, redraw };
  const shared = { trace, drawing, player, signal, selection, root, program, hidden, of, ...more };
  const views = mountViews(root, shared);
  const asking = questions && mountAsking(root, { ...shared, move: whatif?.move });
  const copying = mountCopying(within, shared);
  const show = (/** @type {Player["state"]} */ state) => {
    set(root, "data-step", state.k + 1);
    set(root, "data-level", player.level);
    views.show(state);
    copying.show();
    onShow?.(player);
  };
  set(root, "data-steps", trace.rows.length);
  player.onChange((state) => {
    Object.assign(settings, { level: player.level, speed: player.speed });
    show(state);
  });
  player.onDraw((row, at) => views.draw(row, at));
  if (settings.picked) selection.pick(settings.picked);
  selection.onChange(() => {
    settings.picked = selection.picked;
    views.show(player.state);
  });
  show(player.state);
  whatif?.show(program.text, { trace, player, questions });
  return { player, views, copying, asking };
}

/**
 * Mount a run that has the page to itself: with keys, and with address and title.
 * @param {Element} root
 * @param {import("#js/api.js").Run} answer
 * @param {{
 *   settings: Settings, program: Program, name: string, signal: AbortSignal, address?: boolean,
 *   alone?: boolean,
 *   view: ReturnType<typeof import("#js/page/view.js").openView>,
 *   whatif?: ReturnType<typeof import("#js/page/changes.js").mountChanges>,
 * }} context `settings` are those of the run before; they are kept up to date. `name` is the program's.
 *   `address`: are the page's address and title those of the run?
 * @returns {Player}
 */
export function openSession(root, answer, context) {
  const { settings, program, name, view, whatif, signal, address = true, alone } = context;
  const onWritten = () => (document.title = titleOf(name, player));
  const keep = address ? keepInAddress({ signal, onWritten }) : () => {};
  const { player, views, copying, asking } = openRun(root, answer, {
    ...{ settings, program, hidden: view.hidden, signal, whatif, alone },
    onShow: ({ k, level }) => keep(k, level),
  });
  mountKeyboard(document, {
    ...{ player, has: view.has, signal, difference: () => {} },
    ...{ edit: () => program.edit(), fit: () => views.fit(), training: () => views.toggle() },
    search: () => views.search(),
    text: () => views.text(),
    ...{ copy: () => copying.copy(), present: () => view.present(() => views.fit()) },
    ...{ tour: () => view.tour.ask(), why: () => asking?.now() },
  });
  if (!address) return player;
  onWritten();
  const follow = () => {
    player.seek(rowInHash(location.hash) ?? player.k);
    player.setLevel(viewIn(location.hash).level ?? player.level);
  };
  addEventListener("hashchange", follow, { signal });
  view.tour.offer();
  return player;
}
