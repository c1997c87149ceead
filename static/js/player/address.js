/**
 * The view in the address: `#s=14&level=story&hide=edit,engine&present=1` is fourteen rows in, with little
 * detail, and without some parts of the page.
 */

import { levels } from "#js/trace/stops.js";

/** @typedef {import("#js/trace/stops.js").Level} Level */

const USUAL = "chain";

/**
 * Return the row position that a hash names, or null.
 * @param {string} hash
 * @returns {number | null}
 */
export function rowInHash(hash) {
  const found = /(?:^#|[#&])s=(\d{1,7})(?:&|$)/.exec(hash);
  return found ? Number(found[1]) - 1 : null;
}

/**
 * Return the hash of a row position; none before the first row.
 * @param {number} k
 */
export const hashOf = (k) => (k < 0 ? "" : `#s=${k + 1}`);

/**
 * Return what a hash says of the view besides the step.
 * @param {string} hash
 * @returns {{level: Level | null, hidden: string[], presents: boolean}}
 */
export function viewIn(hash) {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  const level = /** @type {Level} */ (told.get("level"));
  return {
    level: levels.includes(level) ? level : null,
    hidden: (told.get("hide") ?? "").split(",").filter((name) => /^[a-z_-]{1,30}$/i.test(name)),
    presents: told.get("present") === "1",
  };
}

/**
 * Return a hash with another place in it; what it says besides stays, letter by letter.
 * @param {string} hash
 * @param {{k?: number, level?: Level, presents?: boolean}} place
 */
export function withPlace(hash, { k, level, presents }) {
  /** @type {Record<string, string | null>} */
  const told = {};
  if (k !== undefined) told.s = k < 0 ? null : String(k + 1);
  if (level !== undefined) told.level = level === USUAL ? null : level;
  if (presents !== undefined) told.present = presents ? "1" : null;
  const kept = hash.replace(/^#/, "").split("&").filter((part) => part && !(part.split("=")[0] in told));
  const [step, ...others] = Object.entries(told).map(([name, text]) => text !== null && `${name}=${text}`);
  const parts = "s" in told ? [step, ...kept, ...others] : [...kept, step, ...others];
  const shown = parts.filter(Boolean).join("&");
  return shown && `#${shown}`;
}

/**
 * Return a query without the program it named: another one is played now. The language stays.
 * @param {string} search
 */
export function withoutProgram(search) {
  const query = new URLSearchParams(search);
  for (const name of ["code", "example"]) query.delete(name);
  return query.size > 0 ? `?${query}` : "";
}

/**
 * Return a query with the seed that random numbers start from; 0 goes without saying.
 * @param {string} search
 * @param {number} seed
 */
export function withSeed(search, seed) {
  const query = new URLSearchParams(search);
  if (seed) query.set("seed", String(seed));
  else query.delete("seed");
  return query.size > 0 ? `?${query}` : "";
}

/**
 * Keep the seed in the page's address, and in links to the same page.
 * @param {number} seed
 * @param {HTMLAnchorElement[]} links
 */
export function keepSeed(seed, links) {
  const hash = withPlace(location.hash, { k: -1 });
  history.replaceState(null, "", location.pathname + withSeed(location.search, seed) + hash);
  for (const link of links) link.search = withSeed(link.search, seed);
}

/** Return the links to this page in other languages. */
export const hreflangs = () =>
  /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("a[hreflang]")]);

/**
 * Let the links to other languages lead to the same step of the same program.
 * @param {() => number} position
 * @param {() => void} onLeave
 */
export function keepPlace(position, onLeave) {
  for (const link of hreflangs()) {
    link.addEventListener("click", () => {
      onLeave();
      link.hash = withPlace(location.hash, { k: position() });
    });
  }
}

const LATEST = 4; // times `every` that a step may wait to be written

/**
 * Return a function that writes the latest k and level, and says so: once the reader rests, else every few
 * seconds; browsers allow no more than two a second, and writing is slow.
 * @param {{signal: AbortSignal, every?: number, page?: Window, onWritten?: () => void}} options
 */
export function keepInAddress({ signal, every = 500, page = window, onWritten = () => {} }) {
  /** @type {{k: number, level?: Level}} */
  let latest = { k: -1 };
  let timer = 0;
  let [asked, since] = [0, 0]; // when the timer was set last; since when something waits to be written
  function write() {
    timer = 0;
    const { pathname, search, hash } = page.location;
    const wanted = withPlace(hash, latest);
    if (hash !== wanted) page.history.replaceState(null, "", pathname + search + wanted);
    onWritten();
  }
  signal.addEventListener("abort", () => page.clearTimeout(timer), { once: true });
  return (/** @type {number} */ k, /** @type {Level} */ level) => {
    latest = { k, level };
    const now = Date.now();
    if (timer === 0) since = now;
    else if (now - asked < every / 2 || now - since > every * LATEST) return;
    page.clearTimeout(timer);
    asked = now;
    timer = page.setTimeout(write, every);
  };
}
