/** A field for one number: typed, stepped or dragged. Decides nothing about what the number is of. */

import { h, set, write } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { number } from "#js/trace/values.js";

const PX = 12; // px of a drag that are one step
const MOST = 1e30;
const NUMBER = /^[-+−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** A number as a program writes it. @param {number} x */
export const numberText = (x) => number(x, "float32").replace(/\.$/, ".0");

/** What is typed, as a number; null where it is none. @param {string} typed */
function valueOf(typed) {
  const value = NUMBER.test(typed) ? Number(typed.replace("−", "-")) : NaN;
  return Math.abs(value) <= MOST ? value : null;
}

/**
 * A number that is typed, stepped with the arrow keys, or dragged by its name.
 * @param {(value: number) => void} tell
 */
export function makeField(tell) {
  const name = h("span", { class: "scrub", "aria-hidden": "true", title: t("whatif.drag") });
  const input = /** @type {HTMLInputElement} */ (
    h("input", { type: "text", inputmode: "decimal", autocomplete: "off", "data-testid": "whatif" })
  );
  const read = () => valueOf(input.value.trim());
  let last = 0;
  const put = (/** @type {number} */ value) => {
    last = Math.max(-MOST, Math.min(MOST, Math.round(value * 1e6) / 1e6));
    input.value = numberText(last);
    set(input, "aria-invalid", null);
    tell(last);
  };
  input.addEventListener("input", () => {
    const value = read();
    set(input, "aria-invalid", value === null ? "true" : null);
    if (value !== null) tell((last = value));
  });
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    if (!by) return;
    event.preventDefault();
    put((read() ?? last) + by * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1));
  });
  let from = /** @type {{x: number, value: number} | null} */ (null);
  name.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, value: read() ?? last };
    name.setPointerCapture?.(event.pointerId);
    event.preventDefault();
  });
  name.addEventListener("pointermove", (event) => {
    if (from) put(from.value + Math.round((event.clientX - from.x) / PX) * (event.shiftKey ? 1 : 0.1));
  });
  for (const end of ["pointerup", "pointercancel"]) name.addEventListener(end, () => (from = null));
  return {
    box: h("label", { class: "whatif-field" }, name, input),
    focus: () => input.focus(),
    value: () => last,
    /** @param {string} label @param {number} value */
    show(label, value) {
      write(name, `${label} =`);
      set(input, "aria-label", t("whatif.value", { name: label }));
      if (document.activeElement === input && read() === value) return;
      if (!from) [last, input.value] = [value, numberText(value)];
    },
  };
}
