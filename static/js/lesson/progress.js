/** How far the reader has come, kept on this device and nowhere else. */

const KEY = "gradstep.lessons";

/** @typedef {"right" | "wrong" | "shown"} Outcome */
/** @typedef {{section: number, answers: Record<string, Outcome>, done?: boolean}} Progress */

/** @param {Storage | undefined} store @returns {Record<string, Progress>} */
function all(store) {
  try {
    return JSON.parse(store?.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * Return what is kept of a lesson.
 * @param {string} slug
 * @param {Storage} [store]
 * @returns {Progress}
 */
export function progressOf(slug, store = globalThis.localStorage) {
  return { section: 0, answers: {}, ...all(store)[slug] };
}

/**
 * Keep something of a lesson. Where nothing can be stored, nothing is kept.
 * @param {string} slug
 * @param {Partial<Progress>} news
 * @param {Storage} [store]
 */
export function keepProgress(slug, news, store = globalThis.localStorage) {
  const kept = all(store);
  const before = progressOf(slug, store);
  kept[slug] = { ...before, ...news, answers: { ...before.answers, ...news.answers } };
  try {
    store?.setItem(KEY, JSON.stringify(kept));
  } catch {
    // a browser that stores nothing: the lesson works all the same
  }
}
