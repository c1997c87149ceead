/** The little of a browser that the player's own elements need: a tree, attributes, events. No layout. */

class Text {
  constructor(data) {
    this.data = data;
  }
  get textContent() {
    return this.data;
  }
}

class Element extends EventTarget {
  constructor(tag) {
    super();
    this.localName = tag;
    this.attributes = new Map();
    this.childNodes = [];
    this.parent = null;
    this.value = "";
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name === "value") this.value = String(value);
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  append(...children) {
    for (const child of children) {
      const node = typeof child === "string" ? new Text(child) : child;
      node.parent = this;
      this.childNodes.push(node);
    }
  }
  replaceChildren(...children) {
    this.childNodes = [];
    this.append(...children);
  }
  remove() {
    this.parent.childNodes = this.parent.childNodes.filter((child) => child !== this);
  }
  get textContent() {
    return this.childNodes.map((child) => child.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  matches(selectors) {
    return selectors.split(",").some((selector) => fits(this, selector.trim()));
  }
  closest(selectors) {
    return this.matches(selectors) ? this : (this.parent?.closest(selectors) ?? null);
  }
  *all() {
    for (const child of this.childNodes) {
      if (!(child instanceof Element)) continue;
      yield child;
      yield* child.all();
    }
  }
  querySelectorAll(selectors) {
    return [...this.all()].filter((element) => element.matches(selectors));
  }
  querySelector(selectors) {
    return this.querySelectorAll(selectors)[0] ?? null;
  }
  showModal() {
    this.setAttribute("open", "");
  }
}

/** Understands tag, .class, [attribute], [attribute=value] and one :not(…). */
function fits(element, selector) {
  const [, plain, not] = /^(.*?)(?::not\((.*)\))?$/.exec(selector);
  if (not && fits(element, not)) return false;
  const pieces = plain.match(/^[\w-]+|\.[\w-]+|\[[^\]]+\]/g) ?? [];
  return pieces.every((piece) => {
    if (piece.startsWith("."))
      return (element.getAttribute("class") ?? "").split(" ").includes(piece.slice(1));
    if (!piece.startsWith("[")) return element.localName === piece;
    const [name, value] = piece.slice(1, -1).split("=");
    const found = element.getAttribute(name);
    return value === undefined ? found !== null : found === value.replace(/"/g, "");
  });
}

/** Put a document in place for modules that make elements; returns it. */
export function openPage() {
  const page = new Element("html");
  page.body = new Element("body");
  page.append(page.body);
  globalThis.document = {
    createElement: (tag) => new Element(tag),
    createElementNS: (_, tag) => new Element(tag),
  };
  return page;
}

/** Press a key on an element; returns the event. It bubbles as far as the page. */
export function press(target, page, key, more = {}) {
  const event = new Event("keydown", { cancelable: true });
  const fields = { key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more };
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(event, name, { value });
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
  return event;
}

/** A clock that stands still until it is told to go on. */
export function handClock() {
  let now = 0;
  let next = 1;
  const waiting = new Map();
  return {
    now: () => now,
    request(frame) {
      waiting.set(next, frame);
      next += 1;
      return next - 1;
    },
    cancel: (id) => waiting.delete(id),
    /** Let time pass, frame by frame. */
    pass(milliseconds, frame = 16) {
      for (const end = now + milliseconds; now < end;) {
        now += frame;
        const due = [...waiting.values()];
        waiting.clear();
        for (const run of due) run();
      }
    },
    get isIdle() {
      return waiting.size === 0;
    },
  };
}
