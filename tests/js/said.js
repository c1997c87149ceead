/** The sentence of a row, as plain text. */

import { translator } from "../../static/js/i18n.js";
import { history } from "../../static/js/trace/history.js";
import { sentence } from "../../static/js/trace/words.js";
import { dictionary } from "./traces.js";

export const languages = { en: translator(dictionary("en")), zh: translator(dictionary("zh")) };

/** Parts of a sentence as plain text. */
export const plainText = (parts) => parts.map((part) => part.text).join("");

export function say(trace, k, language = "en") {
  const state = history(trace).at(k);
  return plainText(sentence(trace, state, state.row, languages[language]));
}

export const find = (trace, kind, test = () => true) =>
  trace.rows.findIndex((row) => row.kind === kind && test(row));

export const sayRow = (trace, kind, test, language) => say(trace, find(trace, kind, test), language);
