/**
 * What a look was made from: every value that it read of a moment is written down, so that it is made again
 * only when one of them is another. States are copied by Map and hold values that are replaced, never
 * changed; so identity tells. Pure, no DOM.
 */

/** A running backward, of which a look may ask only whether there is one. */
const PASS = new Proxy(
  {},
  {
    get(_, name) {
      throw new TypeError(`a look reads backward.${String(name)}, which nobody watches`);
    },
  },
);

const NAMES = "moment.names"; // beside the fields of a state, one of which is called names too
const LEVEL = "moment.level";

/** A Map whose reads are noted; `has` is watched as what `get` answers. */
function watchedMap(map, field, note) {
  const get = (key) => {
    const found = map.get(key);
    note(field, key, found);
    return found;
  };
  return { get, has: (key) => (get(key), map.has(key)) };
}

function watchedState(state, note) {
  const view = {};
  for (const [field, value] of Object.entries(state)) {
    if (value instanceof Map) view[field] = watchedMap(value, field, note);
    else {
      const get = () => (note(field, undefined, field === "backward" ? value !== null : value), value);
      Object.defineProperty(view, field, { get: field === "backward" ? () => get() && PASS : get });
    }
  }
  return view;
}

/**
 * A moment as `momentOf` makes it, watched: `look(row, make)` returns {made, reads} of `make(moment)`, where
 * the moment's row is `row`. Reads are by field: the keys that were asked for and the answers, in turn.
 */
export function watch({ trace, state, names, level }) {
  let reads = new Map();
  const note = (field, key, value) => {
    if (!reads.has(field)) reads.set(field, []);
    reads.get(field).push(key, value);
  };
  const view = { trace, state: watchedState(state, note), names: watchedMap(names, NAMES, note) };
  Object.defineProperty(view, "level", { get: () => (note(LEVEL, undefined, level), level) });
  return (row, make) => {
    reads = new Map();
    view.row = row;
    return { made: make(view), reads };
  };
}

function fieldOf({ state, names, level }, field) {
  if (field === NAMES) return names;
  if (field === LEVEL) return level;
  return field === "backward" ? state.backward !== null : state[field];
}

/** Would a look read the same at this moment? */
export function isSame(reads, moment) {
  for (const [field, noted] of reads) {
    const now = fieldOf(moment, field);
    if (now instanceof Map) {
      for (let i = 0; i < noted.length; i += 2) if (now.get(noted[i]) !== noted[i + 1]) return false;
    } else if (now !== noted[1]) return false;
  }
  return true;
}
