/** Which parts of the page are there: as the address says, and the presenter's view on top of that. */

import { viewIn, withPlace } from "#js/player/address.js";
import { leftOut, showWithout } from "#js/page/parts.js";
import { mountTour } from "#js/page/tour.js";

/**
 * @param {Element} root the player
 * @param {string[]} without parts that this page has no use for, whatever its address says
 */
export function openView(root, without = []) {
  const told = viewIn(location.hash);
  let { presents } = told;
  const names = [...without, ...told.hidden];
  const hidden = leftOut(names);
  const show = () => showWithout(root, leftOut(names, presents), presents);
  /** @param {boolean} wanted @param {() => void} [after] */
  function present(wanted, after) {
    presents = wanted;
    const hash = withPlace(location.hash, { presents });
    history.replaceState(null, "", location.pathname + location.search + hash);
    show();
    after?.();
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !presents) return;
    if (document.querySelector("dialog[open], :popover-open")) return; // Escape closes that first
    present(false);
  });
  show();
  document.getElementById("present")?.addEventListener("click", () => present(true));
  document.getElementById("leave")?.addEventListener("click", () => present(false));
  const tour = mountTour(root, () => !presents && !hidden.has("tour"));
  return {
    hidden,
    /** @param {string} part */
    has: (part) => !hidden.has(part) && part !== "compare",
    /** Enter or leave the presenter's view. @param {() => void} after */
    present: (after) => present(!presents, after),
    tour,
  };
}
