/** The terms of the page: words that stand on it, by their key in the dictionaries, and what they lead to. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

/**
 * Key of a text -> the term's place in the glossary (app/lessons/glossary.json).
 * @type {Record<string, string>}
 */
export const TERMS = {
  "kept.version": "version-counter",
  "kept.versions": "version-counter",
  "legend.engine": "ready-queue",
  "legend.grad": "gradient",
  "legend.leaf": "leaf",
  "legend.value": "forward-pass",
  "panel.buffers": "input-buffer",
  "panel.clipping": "clipping",
  "panel.hooks": "hook",
  "panel.kept": "saved-tensor",
  "panel.next": "dependency-count",
  "panel.plan": "learning-rate",
  "panel.queue": "ready-queue",
  "panel.rule": "local-derivative",
  "panel.saved": "saved-tensor",
  "panel.sums.backward_began": "gradient-argument",
  "panel.sums.grad_accumulated": "accumulate-grad",
  "panel.sums.grad_retained": "retain-grad",
  "panel.sums.grad_summed": "accumulate",
  "panel.sums.hook_ran": "hook",
  "panel.sums.reduced_to_shape": "broadcasting",
  "panel.sums.zero_grad": "zero-grad",
  "panel.update": "optimizer",
};

/**
 * Return a text of the page; a term is a link to what it means, in a tab of its own: the run stays as it is.
 * @param {string} key
 * @param {Record<string, unknown>} [facts]
 */
export function termed(key, facts) {
  const text = word(key, facts);
  if (!TERMS[key]) return text;
  const tab = { href: `/glossary#${TERMS[key]}`, target: "_blank", rel: "noopener" };
  return h("a", { class: "termed", ...tab, title: word("glossary.open") }, text);
}
