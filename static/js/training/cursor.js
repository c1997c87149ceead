/**
 * Which round the charts speak of: the one pointed at, else the one where the player stands. And the way from
 * a point of a curve to its row.
 */

/**
 * @typedef {ReturnType<typeof createCursor>} Cursor
 * @param {{count: number, now(): number, seek(k: number): void, changed(): void}} context
 *   `now`: the round where the player stands, -1 before the first
 */
export function createCursor({ count, now, seek, changed }) {
  /** @type {number | null} */
  let pointed = null;
  /** @type {number | null} */
  let row = null;
  const cursor = {
    isPointed: () => pointed !== null,
    i: () => pointed ?? now(),
    /**
     * Point at a round; `k` is the row to go to from there.
     * @param {number} i
     * @param {number | null} k
     */
    point(i, k) {
      const wanted = Math.max(0, Math.min(count - 1, i));
      if (wanted === pointed && k === row) return;
      [pointed, row] = [wanted, k];
      changed();
    },
    leave() {
      if (pointed === null) return;
      [pointed, row] = [null, null];
      changed();
    },
    go() {
      if (row !== null) seek(row);
    },
  };
  return cursor;
}
