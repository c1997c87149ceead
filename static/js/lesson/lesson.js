/** The page of a lesson: sections of text, and the player at the step that each one talks about. */

import { askAbout } from "#js/api.js";
import { h, set, write } from "#js/dom.js";
import { t, use } from "#js/i18n.js";
import { mountCheckpoint } from "#js/lesson/checkpoint.js";
import { keepProgress, progressOf } from "#js/lesson/progress.js";
import { openSession } from "#js/page/session.js";
import { openView } from "#js/page/view.js";
import { lineStops } from "#js/trace/stops.js";

/** @param {string} id */
const island = (id) => JSON.parse(document.getElementById(id)?.textContent || "{}");
/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id) ?? h("div"));

const NARROW = "(max-width: 899.98px)"; // as in lesson.css: the text stands above the player
const TOLD = new Set(["printed", "error", "warning"]); // rows whose news stands beside the code
const NEAR = 12; // stops that are played on the way to an answer; from further away the player jumps first

class Lesson {
  /** @type {any} */ player = null;
  /** @type {any} */ question = null;
  /** @type {any} */ own = null; // the level of detail that the reader had before a section asked for its own
  /** @type {AbortController} */ session = new AbortController();
  /** Ends the way to an answer. */
  revealing = () => {};
  open = "";
  at = -1;

  /** @param {Element} root @param {any} boot */
  constructor(root, boot) {
    this.root = root;
    this.boot = boot;
    this.settings = {};
    this.view = openView(root);
    this.parts = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-section]")]);
    part("section-before").addEventListener("click", () => this.go(this.at - 1));
    part("section-after").addEventListener("click", () => this.go(this.at + 1));
    document.querySelector(".lesson-text")?.addEventListener("click", (event) => this.follow(event));
    addEventListener("hashchange", () => this.go(sectionInHash(location.hash) ?? this.at));
    this.dots = this.parts.map((_, i) => this.dot(i));
    part("dots").replaceChildren(...this.dots);
    this.go(sectionInHash(location.hash) ?? progressOf(boot.slug).section);
  }

  /** @param {number} i */
  dot(i) {
    const title = this.boot.sections[i].title.replace(/<[^>]*>/g, "");
    const label = t("lesson.section", { n: i + 1, title });
    const dot = h("button", { class: "dot", type: "button", "aria-label": label, title: label });
    dot.addEventListener("click", () => this.go(i));
    return dot;
  }

  /** Show a section: its text, its program, its step. @param {number} wanted */
  async go(wanted) {
    const at = Math.max(0, Math.min(wanted, this.parts.length - 1));
    if (at === this.at) return;
    const isFirst = this.at < 0;
    this.at = at;
    const section = this.boot.sections[at];
    this.revealing(); // the way to an answer of the section before leads no further
    this.parts.forEach((each, i) => set(each, "hidden", i !== at));
    this.dots.forEach((each, i) => set(each, "aria-current", i === at ? "step" : null));
    set(part("section-before"), "disabled", at === 0);
    set(part("section-after"), "hidden", at === this.parts.length - 1);
    set(part("lesson-next"), "hidden", at !== this.parts.length - 1);
    history.replaceState(null, "", `${location.pathname}${location.search}#p=${at + 1}`);
    keepProgress(this.boot.slug, { section: at, ...(at === this.parts.length - 1 && { done: true }) });
    if (!isFirst) this.beginReading();
    if (!(await this.load(section.program)) || this.at !== at) return;
    this.detail(section.level);
    this.player.seek(section.k);
    choosePane("graph");
    this.ask(section, this.parts[at]);
  }

  /** Show the detail that a section asks for; after it, what the reader had. @param {any} level */
  detail(level) {
    const own = this.own ?? this.player.level;
    this.player.setLevel(level ?? own);
    this.own = level ? own : null;
  }

  /** Go to the top of the section that is shown, with the eyes and with the keyboard. */
  beginReading() {
    const heading = /** @type {HTMLElement} */ (this.parts[this.at].querySelector("h2"));
    set(heading, "tabindex", -1);
    heading.focus({ preventScroll: true });
    part("lesson-text").scrollTop = 0;
    scrollTo(0, 0);
  }

  /** Play a program of the lesson. @param {string} name */
  async load(name) {
    if (this.open === name) return true;
    this.session.abort();
    const session = (this.session = new AbortController());
    const program = this.boot.programs.find((/** @type {any} */ each) => each.name === name);
    const answer = await fetched(program.run, session.signal);
    if (session.signal.aborted) return false;
    set(part("notice"), "hidden", Boolean(answer));
    write(part("notice"), answer ? "" : t("run.network"));
    if (!answer) return false;
    const leave = (text = program.code) => location.assign(`/sandbox?code=${encodeURIComponent(text)}`);
    const ask = (/** @type {string} */ path, /** @type {object} */ body, /** @type {AbortSignal} */ signal) =>
      askAbout(path, { code: program.code, ...body }, { t, signal });
    const inSandbox = { text: program.code, run: leave, edit: leave, replace: leave, ask };
    const { settings, view } = this;
    set(this.root, "data-mode", "play");
    set(part("own"), "href", program.sandbox);
    const context = { settings, view, program: inSandbox, name, signal: session.signal, address: false };
    this.player = openSession(this.root, answer, context);
    this.open = name;
    return true;
  }

  /** @param {any} section @param {HTMLElement} shown */
  ask({ checkpoint, k }, shown) {
    this.question?.end();
    const root = shown.querySelector("[data-slot=checkpoint]");
    const after = shown.querySelector(".after");
    if (!checkpoint || !root) return;
    const before = progressOf(this.boot.slug).answers[checkpoint.id];
    set(/** @type {Element} */ (after), "hidden", !before);
    this.question = mountCheckpoint(root, checkpoint, {
      before,
      clicks: (kind, take) => listenForClicks(this.root, kind, take),
      onAnswer: (outcome) => {
        keepProgress(this.boot.slug, { answers: { [checkpoint.id]: outcome } });
        set(/** @type {Element} */ (after), "hidden", false);
        this.watch(root, checkpoint.reveal);
        this.reveal(k, checkpoint.reveal);
      },
    });
  }

  /**
   * Bring the answer and what is going to move onto the screen together.
   * @param {Element} root
   * @param {number} to
   */
  watch(root, to) {
    choosePane(TOLD.has(this.player.trace.rows[to]?.kind) ? "code" : "graph");
    const verdict = root.querySelector(".verdict");
    if (matchMedia(NARROW).matches) verdict?.scrollIntoView({ block: "start" });
    else verdict?.scrollIntoView({ block: "nearest" });
    const isLast = this.at === this.parts.length - 1;
    const focus = isLast ? part("lesson-next").querySelector("a") : part("section-after");
    const had = document.activeElement ?? document.body; // a field of the question is disabled by now
    if (had === document.body || root.contains(had)) focus?.focus({ preventScroll: true });
  }

  /** Play on to the step that shows the answer. @param {number} from @param {number} to */
  reveal(from, to) {
    const { player } = this;
    this.revealing();
    if (to <= from) return player.seek(to);
    const between = player.stops.filter((/** @type {number} */ k) => k < to);
    const start = between.at(-NEAR) ?? from;
    if (player.k < start || player.k > to) player.seek(Math.max(from, start));
    const end = (this.revealing = player.onChange((/** @type {any} */ state) => {
      if (state.k < to && player.playing) return;
      end();
      if (state.k >= to) queueMicrotask(() => player.seek(to)); // after the step that is being told of
    }));
    player.play();
    return undefined;
  }

  /** A link to a step, a node or a line of the run. @param {Event} event */
  follow(event) {
    const link = /** @type {HTMLElement | null} */ (
      /** @type {Element} */ (event.target).closest("button.ref")
    );
    if (!link || !this.player) return;
    const { step, line, nodes } = link.dataset;
    if (step !== undefined) this.player.seek(Number(step));
    else if (line !== undefined) this.player.seek(lineStops(this.player.trace, +line)[0] ?? this.player.k);
    else this.flash((nodes ?? "").split(" "));
  }

  /** Light up an element of the graph. @param {string[]} nodes */
  flash(nodes) {
    choosePane("graph");
    for (const element of this.root.querySelectorAll("[data-ids]")) {
      const ids = (element.getAttribute("data-ids") ?? "").split(" ");
      if (!nodes.some((id) => ids.includes(id))) continue;
      element.classList.remove("pointed");
      void element.getBoundingClientRect(); // so that the same link lights it up again
      element.classList.add("pointed");
    }
  }
}

/** On a narrow screen: show one of the player's panes. @param {"graph" | "code"} name */
function choosePane(name) {
  const pane = /** @type {HTMLInputElement | null} */ (document.getElementById(`pane-${name}`));
  if (pane) pane.checked = true;
}

/** @param {string} hash */
function sectionInHash(hash) {
  const found = /(?:^#|[#&])p=(\d{1,3})(?:&|$)/.exec(hash);
  return found ? Number(found[1]) - 1 : null;
}

/** @param {string} url @param {AbortSignal} signal */
async function fetched(url, signal) {
  try {
    const response = await fetch(url, { signal });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/**
 * Take clicks on nodes or lines as answers instead of as ways to a step. Returns the end of it.
 * @param {Element} root
 * @param {string} kind
 * @param {(given: any) => void} take
 */
function listenForClicks(root, kind, take) {
  const over = new AbortController();
  const wanted = kind === "node" ? "[data-ids]" : "[data-line]";
  /** @param {Event} event */
  function onClick(event) {
    if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return;
    const element = /** @type {Element} */ (event.target).closest(wanted);
    if (!element) return;
    event.preventDefault();
    event.stopPropagation();
    if (kind === "node") take((element.getAttribute("data-ids") ?? "").split(" "));
    else take(Number(element.getAttribute("data-line")));
  }
  choosePane(kind === "node" ? "graph" : "code");
  set(root, "data-asks", kind);
  root.addEventListener("click", onClick, { capture: true, signal: over.signal });
  root.addEventListener("keydown", onClick, { capture: true, signal: over.signal });
  return () => {
    set(root, "data-asks", null);
    over.abort();
  };
}

use(island("i18n"));
const root = document.querySelector("[data-testid=player]");
if (root) new Lesson(root, island("boot"));
