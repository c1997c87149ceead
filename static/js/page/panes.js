/** The panes that share a phone's screen; on a wide one all of them are shown and this changes nothing. */

/**
 * Bring a pane to the front; an unknown one leaves everything as it was.
 * @param {string} id
 */
export function choose(id) {
  const pane = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
  if (pane) pane.checked = true;
}
