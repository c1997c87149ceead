/** Building elements. Sets attributes and text, never markup, never listeners. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * Make an HTML element: `h("p", {class: "x"}, "text")`.
 * @param {string} tag
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = null, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Make an SVG element: `svg("rect", {x: 1})`.
 * @param {string} tag
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = null, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  return fill(element, attributes, children);
}

/**
 * Set an attribute only if it changes: null and false take it away, true leaves it empty.
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.getAttribute(name) !== null) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/**
 * Set the text only if it changes.
 * @param {Node} element
 * @param {string | number} text
 */
export function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, unknown> | null} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined && value !== false) set(element, name, value);
  }
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) {
      element.append(typeof child === "number" ? String(child) : child);
    }
  }
}
