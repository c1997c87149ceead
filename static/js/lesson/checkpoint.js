/** A question: it is asked, answered (or its answer shown), and then explained. Stands in one element. */

import { h, set } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { judge } from "#js/lesson/answers.js";

/**
 * @typedef {import("#js/lesson/answers.js").Checkpoint} Checkpoint
 * @typedef {"right" | "wrong" | "shown"} Outcome
 */

/**
 * Words of a lesson are HTML that our server made from Markdown without HTML in it.
 * @param {string} tag
 * @param {Record<string, unknown> | null} attributes
 * @param {string} html
 */
function told(tag, attributes, html) {
  const element = h(tag, attributes);
  element.innerHTML = html;
  return element;
}

/**
 * Mount a question.
 * @param {Element} root
 * @param {Checkpoint} asked
 * @param {{before?: Outcome, clicks: (kind: string, take: (given: any) => void) => () => void,
 *   onAnswer(outcome: Outcome): void}} how
 *   `before`: how it was answered earlier; `clicks` listens to the graph or the code, and returns its end.
 */
export function mountCheckpoint(root, asked, { before, clicks, onAnswer }) {
  const verdict = h("div", { class: "verdict", role: "status", "data-testid": "verdict" });
  const form = h("form", { class: "checkpoint", "data-testid": `checkpoint-${asked.id}` });
  let over = false;
  let stop = () => {};

  /** @param {any} given */
  function answer(given) {
    if (over) return;
    const { right, reason } = judge(asked, given);
    say(right ? "right" : "wrong", reason);
    if (right) finish("right");
    else if (asked.kind === "choice" || asked.kind === "number") tried += 1;
  }
  let tried = 0;

  /** @param {Outcome} outcome @param {string} reason */
  function say(outcome, reason) {
    set(verdict, "data-outcome", outcome);
    verdict.replaceChildren(
      h("strong", null, t(`lesson.${outcome}`)),
      reason ? told("p", null, reason) : "",
      outcome === "wrong" ? "" : told("p", { class: "because" }, asked.because),
    );
  }

  /** @param {Outcome} outcome */
  function finish(outcome) {
    over = true;
    stop();
    for (const field of form.querySelectorAll("input, button")) set(field, "disabled", true);
    onAnswer(outcome === "right" && tried > 0 ? "wrong" : outcome);
  }

  const shows = { class: "button", type: "button", "data-testid": "show-answer" };
  const show = h("button", shows, t("lesson.show"));
  show.addEventListener("click", () => {
    say("shown", "");
    finish("shown");
  });
  const send = h("button", { class: "button primary", type: "submit" }, t("lesson.answer"));
  form.append(told("p", { class: "ask" }, asked.ask), fields(asked));
  form.append(h("div", { class: "actions" }, isClicked(asked) ? null : send, show), verdict);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = givenBy(/** @type {HTMLFormElement} */ (form), asked);
    if (given !== null) answer(given);
  });
  root.replaceChildren(form);
  if (before) {
    say(before === "wrong" ? "shown" : before, "");
    over = true;
    for (const field of form.querySelectorAll("input, button")) set(field, "disabled", true);
  } else if (isClicked(asked)) stop = clicks(asked.kind, answer);
  return { end: () => stop() };
}

/** @param {Checkpoint} asked */
const isClicked = ({ kind }) => kind === "node" || kind === "line";

/** @param {Checkpoint} asked */
function fields(asked) {
  if (asked.kind === "number") {
    const name = t("lesson.yours");
    const placeholder = Array.isArray(asked.answer) ? "[…, …]" : "…";
    return h("input", { name: "number", type: "text", autocomplete: "off", "aria-label": name, placeholder });
  }
  if (asked.kind !== "choice") return h("p", { class: "hint" }, t(`lesson.click.${asked.kind}`));
  const options = asked.choices.map(({ text }, i) =>
    h("label", null, h("input", { type: "radio", name: "choice", value: i }), told("span", null, text)),
  );
  return h("fieldset", null, h("legend", { class: "visually-hidden" }, t("lesson.choices")), options);
}

/**
 * @param {HTMLFormElement} form
 * @param {Checkpoint} asked
 */
function givenBy(form, { kind }) {
  const data = new FormData(form).get(kind);
  if (data === null || data === "") return null;
  return kind === "choice" ? Number(data) : String(data);
}
