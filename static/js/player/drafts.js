/** What the browser keeps of the reader's: programs as last typed, by address, and what was being played. */

import { hreflangs, withoutProgram } from "#js/player/address.js";

const DRAFTS = "gradstep.drafts";
const PLAYED = "gradstep.played";
const VALUES = "gradstep.values";
const CHANGES = "gradstep.changes";
const LEFT = "gradstep.left";
const MOST = 20;

/**
 * Return the address that a draft belongs to: path and query without language and seed.
 * @param {{pathname: string, search: string}} location
 */
export function addressOf({ pathname, search }) {
  const query = new URLSearchParams(search);
  for (const name of ["lang", "seed"]) query.delete(name);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}

/**
 * Return what was last typed at an address, or null.
 * @param {string} address
 * @returns {string | null}
 */
export function draft(address) {
  const entry = drafts().find(([where]) => where === address);
  return entry ? entry[1] : null;
}

/**
 * Keep what is typed at an address; the oldest of many are forgotten.
 * @param {string} address
 * @param {string} code
 */
export function keepDraft(address, code) {
  const others = drafts().filter(([where]) => where !== address);
  write(() => localStorage, DRAFTS, JSON.stringify([[address, code], ...others].slice(0, MOST)));
}

/** Return the program that this tab was playing, or null. */
export const played = () => read(() => sessionStorage, PLAYED);

/**
 * Remember, for this tab, which program is being played: who comes back sees it played again.
 * @param {string} code
 */
export const keepPlayed = (code) => write(() => sessionStorage, PLAYED, code);

/**
 * Remember, for this tab, the values that the reader gave the names of a formula.
 * @param {string} code
 * @param {object} values
 */
export const keepValues = (code, values) =>
  write(() => sessionStorage, VALUES, JSON.stringify([code, values]));

/** Return the last formula with the values of its names, or null. @returns {[string, any] | null} */
export function keptValues() {
  try {
    const found = JSON.parse(read(() => sessionStorage, VALUES) ?? "null");
    return Array.isArray(found) && typeof found[0] === "string" ? [found[0], found[1] ?? {}] : null;
  } catch {
    return null;
  }
}

/**
 * The address names a program: once another one is played, it must not.
 * @param {string} code
 */
export function moveOn(code) {
  const search = withoutProgram(location.search);
  if (search === location.search) return;
  history.replaceState(null, "", location.pathname + search + location.hash);
  keepDraft(addressOf(location), code);
  for (const link of hreflangs()) link.search = withoutProgram(link.search);
}

/**
 * Remember, for this tab, which numbers of a program are to be others.
 * @param {string} code
 * @param {object[]} changes
 */
export const keepChanges = (code, changes) =>
  write(() => sessionStorage, CHANGES, JSON.stringify([code, changes]));

/** Return the last program with numbers changed, and which, or null. @returns {[string, any[]] | null} */
export function keptChanges() {
  try {
    const found = JSON.parse(read(() => sessionStorage, CHANGES) ?? "null");
    return Array.isArray(found) && typeof found[0] === "string" && Array.isArray(found[1])
      ? [found[0], found[1]]
      : null;
  } catch {
    return null;
  }
}

/** Remember, for this tab, that the reader is about to come back: the page changes its language. */
export const leave = () => write(() => sessionStorage, LEFT, "yes");

/** Did the reader come back (reload, history, another language), or did they open a link? */
export function isBack() {
  const left = read(() => sessionStorage, LEFT);
  write(() => sessionStorage, LEFT, "");
  const [entry] = performance.getEntriesByType("navigation");
  const type = /** @type {PerformanceNavigationTiming | undefined} */ (entry)?.type;
  return left === "yes" || type === "reload" || type === "back_forward";
}

/** @returns {[string, string][]} */
function drafts() {
  try {
    const found = JSON.parse(read(() => localStorage, DRAFTS) ?? "[]");
    return Array.isArray(found)
      ? found.filter((entry) => Array.isArray(entry) && typeof entry[1] === "string")
      : [];
  } catch {
    return [];
  }
}

/**
 * A browser that keeps nothing (a private window, a full store) is no reason to stop.
 * @param {() => Storage} store
 * @param {string} key
 */
function read(store, key) {
  try {
    return store().getItem(key);
  } catch {
    return null;
  }
}

/** @param {() => Storage} store @param {string} key @param {string} text */
function write(store, key, text) {
  try {
    store().setItem(key, text);
  } catch {
    // see `read`
  }
}
