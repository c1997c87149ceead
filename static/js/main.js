/** Where the page's script begins: its words, then the page that its address asked for. */

import { use } from "#js/i18n.js";
import { openCompare } from "#js/page/compare.js";
import { openSandbox } from "#js/page/sandbox.js";

/** @param {string} id */
const island = (id) => JSON.parse(document.getElementById(id)?.textContent || "{}");

use(island("i18n"));
const root = document.querySelector("[data-testid=player]");
if (root) openSandbox(root, island("boot"));
const both = document.querySelector("[data-testid=compare]");
if (both) openCompare(both, island("boot"));
