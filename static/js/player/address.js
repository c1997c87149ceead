/** The step in the address: `#s=14` is fourteen rows in. */

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
  history.replaceState(null, "", location.pathname + withSeed(location.search, seed));
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
      link.hash = hashOf(position());
    });
  }
}

/**
 * Return a function that writes the hash of the latest k, at most twice a second: browsers allow no more.
 * @param {{signal: AbortSignal, every?: number, page?: Window}} options
 */
export function keepInAddress({ signal, every = 500, page = window }) {
  let latest = -1;
  let timer = 0;
  function write() {
    timer = 0;
    const { pathname, search, hash } = page.location;
    if (hash !== hashOf(latest)) page.history.replaceState(null, "", pathname + search + hashOf(latest));
  }
  signal.addEventListener("abort", () => page.clearTimeout(timer), { once: true });
  return (/** @type {number} */ k) => {
    latest = k;
    if (timer === 0) timer = page.setTimeout(write, every);
  };
}
