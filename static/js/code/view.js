/**
 * The program being played: its lines, the expression that runs now, where an error or a warning stands. A
 * click on a line goes to its first step, again to its next. In backward the marked expression is the
 * forward one whose node runs.
 */
import { h, set, write } from "#js/dom.js";
import { oncePerFrame } from "#js/frame.js";
import { markedRuns, tokenLines } from "#js/code/tokens.js";
import { t as word } from "#js/i18n.js";
import { culprits } from "#js/trace/findings.js";
import { messageText } from "#js/trace/refusals.js";
import { warningLine } from "#js/trace/stderr.js";
import { lineStops, subject } from "#js/trace/stops.js";

const SHORT = 36; // characters of a line beside which there is room for a word

/**
 * What is marked at a moment: {at, tone} of the expression, {line, tone} of the statement that runs, the
 * error.
 */
export function marks(trace, state) {
  const row = trace.rows[subject(trace, state.k)] ?? null;
  if (!row) return { expression: null, statement: null, error: null };
  if (row.kind === "error" || row.kind === "limit")
    return { expression: null, statement: null, error: row };
  const running = state.backward || row.kind === "backward_ended";
  const at = running ? forwardSpan(trace, state, row) : row.at;
  return {
    expression: at && { at, tone: running ? "grad" : "value" },
    statement: running && row.at ? { line: row.at[0], tone: "grad" } : null,
    error: null,
  };
}

function forwardSpan(trace, state, row) {
  const node = row.node ?? state.backward?.running ?? null;
  if (!node || row.kind === "backward_began" || row.kind === "backward_ended") return row.at;
  const fact = trace.nodes[row.kind === "grad_summed" ? (state.backward?.running ?? node) : node];
  return fact?.at ?? trace.tensors[fact?.variable]?.at ?? row.at;
}

/** The part of a line that a span covers, as [from, to), or null. */
export function covered(span, line, length) {
  if (!span || line < span[0] || line > span[2]) return null;
  return [line === span[0] ? span[1] : 0, line === span[2] ? span[3] : length];
}

function piece({ text, kind }) {
  return kind ? h("span", { class: `tok-${kind}` }, text) : text;
}

function content(tokens, span, tone) {
  if (!span) return tokens.map(piece);
  return markedRuns(tokens, span[0], span[1]).map((run) => {
    const pieces = run.tokens.map(piece);
    return run.marked ? h("mark", { "data-tone": tone }, pieces) : pieces;
  });
}

function makeLine(tokens, number, stops) {
  const label = word("code.goTo", { line: number });
  const gutter = stops.length
    ? h("button", { class: "line-number", type: "button", "aria-label": label, title: label }, number)
    : h("span", { class: "line-number" }, number);
  const body = h("code", { class: "line-text" });
  const echo = h("samp", { class: "line-echo", hidden: true });
  const flag = h("span", { class: "line-flag", hidden: true });
  const warned = h("span", { class: "line-warned", hidden: true });
  const message = h("p", { class: "line-message", hidden: true });
  const attributes = { class: "line", "data-line": number, "data-steps": stops.length ? "true" : null };
  const line = h("div", attributes, gutter, h("div", { class: "line-body" }, flag, warned, body, echo));
  const length = tokens.reduce((sum, token) => sum + token.text.length, 0);
  return { line, body, echo, flag, warned, message, tokens, stops, length, shown: null };
}

/** Show one line; its text is made anew only when what is marked in it changes. */
function showLine(part, number, { expression, statement, error }, warnings, guilty) {
  const now = covered(error ? error.at : expression?.at, number, part.length);
  const guilt = guilty.map((at) => covered(at, number, part.length)).find(Boolean) ?? null;
  const span = guilt ?? now;
  const tone = error && !guilt ? "error" : guilt ? "culprit" : expression?.tone;
  const key = span ? `${span} ${tone}` : "";
  if (part.shown !== key) {
    part.body.replaceChildren(...content(part.tokens, span, tone).flat());
    part.shown = key;
  }
  const running = statement?.line === number;
  set(part.line, "data-tone", span ? tone : null);
  set(part.line, "data-running", running ? "true" : null);
  set(part.line, "aria-current", now ? "step" : null);
  set(part.flag, "hidden", !running || part.length > SHORT);
  showMessage(part, number, error, warnings);
}

/** The value that a bare expression has shown, below it; all of it stands in the output. */
function showEcho(part, text) {
  const [first = "", ...rest] = text?.split("\n") ?? [];
  set(part.echo, "hidden", text === undefined);
  set(part.echo, "title", rest.length > 0 ? text : null);
  write(part.echo, rest.length > 0 ? `${first} …` : first);
}

/** What is said beside a line: that it has brought a warning, its text at that moment, or an error. */
function showMessage(part, number, error, { past, now }) {
  const earlier = past.findLast(({ row }) => warningLine(row) === number)?.row;
  set(part.warned, "hidden", !earlier);
  write(part.warned, earlier ? (part.length > SHORT ? "⚠" : `⚠ ${earlier.category}`) : "");
  set(part.warned, "title", earlier ? `${earlier.category}: ${earlier.message}` : null);
  const last = error?.at && error.at[2] === number;
  const told = last ? error : now && warningLine(now) === number ? now : null;
  set(part.message, "hidden", !told);
  set(part.message, "data-tone", told && !last ? "warning" : null);
  const words = told ? [told.type ?? told.category, messageText(told, word)] : [];
  write(part.message, words.filter(Boolean).join(": "));
}

function bringIntoView(root, parts, { expression, statement, error }) {
  const line = (error?.at ?? expression?.at)?.[0] ?? statement?.line;
  const element = parts[line - 1]?.line;
  if (!element || !root.clientHeight) return;
  const top = element.offsetTop - root.scrollTop;
  if (top < 0 || top + element.offsetHeight > root.clientHeight) {
    root.scrollTop = element.offsetTop - root.clientHeight / 2 + element.offsetHeight / 2;
  }
}

/** Mount the source of a trace. */
export function mount(root, { trace, player, signal }) {
  const parts = tokenLines(trace.source.replace(/\n$/, "")).map((tokens, i) =>
    makeLine(tokens, i + 1, lineStops(trace, i + 1)),
  );
  const listing = h(
    "div",
    { class: "listing" },
    parts.map((part) => [part.line, part.message]),
  );
  const selecting = () => {
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && listing.contains(selection.anchorNode));
  };
  for (const part of parts) {
    write(part.flag, word("code.running"));
    part.line.addEventListener(
      "click",
      () => {
        const { stops } = part;
        if (stops.length && !selecting()) player.seek(stops.find((k) => k > player.state.k) ?? stops[0]);
      },
      { signal },
    );
  }
  root.append(listing);
  let marked = null;
  // reading where a line stands makes the browser lay the page out, which it does once a frame in any case
  const reveal = oncePerFrame(() => bringIntoView(listing, parts, marked), signal);
  return {
    show(state) {
      marked = marks(trace, state);
      const now = state.row?.kind === "warning" ? state.row : null;
      const warnings = { past: state.warnings, now };
      const guilty = culprits(trace, state.k).spans;
      parts.forEach((part, i) => {
        showLine(part, i + 1, marked, warnings, guilty);
        showEcho(part, state.echoes.get(i + 1));
      });
      reveal();
    },
  };
}
