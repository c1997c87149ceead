/**
 * The editor: a plain textarea at once, CodeMirror in its place as soon as that has loaded. One contract
 * for both.
 */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

const STYLES = [
  ["comment", "comment"],
  ["string", "string"],
  ["number", "number"],
  ["keyword", "keyword"],
  ["bool", "keyword"],
  ["null", "keyword"],
  ["operatorKeyword", "keyword"],
  ["controlKeyword", "keyword"],
  ["definitionKeyword", "keyword"],
  ["moduleKeyword", "keyword"],
];

/** Turn a span [line, column, line, column] into offsets of a text, held inside it. */
export function offsets(text, [line, column, endLine, endColumn]) {
  const lines = text.split("\n");
  const offset = (row, at) => {
    const before = lines.slice(0, row - 1).reduce((sum, each) => sum + each.length + 1, 0);
    return Math.min(text.length, before + Math.min(at, lines[row - 1]?.length ?? 0));
  };
  const from = offset(line, column);
  return { from, to: Math.max(from, offset(endLine, endColumn)) };
}

/**
 * The least change that makes one text of another: what is the same at both ends stays, the caret with it.
 * @param {string} before
 * @param {string} after
 */
export function change(before, after) {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function plain(parent, { doc, onRun, onChange, signal }) {
  const message = h("p", { class: "line-message", hidden: true, role: "alert" });
  const area = h("textarea", {
    class: "plain-editor",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    "aria-label": word("code.editor"),
  });
  area.value = doc;
  area.addEventListener("input", () => onChange?.(area.value), { signal });
  area.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onRun?.(area.value);
    },
    { signal },
  );
  parent.replaceChildren(area, message);
  return {
    text: () => area.value,
    setText: (text) => {
      area.value = text;
    },
    focus: () => area.focus(),
    mark(span, words) {
      set(message, "hidden", !span && !words);
      write(message, words ?? "");
      if (!span) return;
      const { from, to } = offsets(area.value, span);
      area.setSelectionRange(from, to);
    },
  };
}

function highlighting({ HighlightStyle, tags }) {
  return HighlightStyle.define(
    STYLES.filter(([tag]) => tags[tag]).map(([tag, kind]) => ({ tag: tags[tag], class: `tok-${kind}` })),
  );
}

function extensions(cm, { onRun, onChange }) {
  const run = (view) => {
    onRun?.(view.state.doc.toString());
    return true;
  };
  return [
    cm.lineNumbers(),
    cm.highlightActiveLine(),
    cm.highlightActiveLineGutter(),
    cm.drawSelection(),
    cm.history(),
    cm.indentOnInput(),
    cm.bracketMatching(),
    cm.python(),
    cm.EditorState.tabSize.of(4),
    cm.syntaxHighlighting(highlighting(cm)),
    cm.EditorView.lineWrapping,
    cm.EditorView.contentAttributes.of({ "aria-label": word("code.editor") }),
    cm.EditorView.updateListener.of(
      (update) => update.docChanged && onChange?.(update.state.doc.toString()),
    ),
    cm.keymap.of([{ key: "Mod-Enter", run }, ...cm.defaultKeymap, ...cm.historyKeymap, cm.indentWithTab]),
  ];
}

function rich(cm, parent, options, doc) {
  const view = new cm.EditorView({ doc, extensions: extensions(cm, options) });
  parent.replaceChildren(view.dom);
  let isMarked = false;
  const diagnose = (list) => view.dispatch(cm.setDiagnostics(view.state, list));
  return {
    text: () => view.state.doc.toString(),
    /** A step of its own in the editor's history, whatever was typed just before. */
    setText(text) {
      const changes = change(view.state.doc.toString(), text);
      if (changes.insert || changes.to > changes.from) view.dispatch({ changes, userEvent: "set" });
    },
    focus: () => view.focus(),
    mark(span, words) {
      if (!span) {
        if (isMarked) diagnose([]);
        isMarked = false;
        return;
      }
      isMarked = true;
      const { from, to } = offsets(view.state.doc.toString(), span);
      diagnose([{ from, to, severity: "error", message: words }]);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    },
  };
}

/** Make an editor in `parent`; it can be used at once. Ctrl or Cmd + Enter runs. */
export function createEditor(parent, options) {
  let editor = plain(parent, options);
  const marked = { span: null, words: null };
  import("#vendor/codemirror.js")
    .then((cm) => {
      if (options.signal?.aborted) return;
      const focused = parent.contains(document.activeElement);
      editor = rich(cm, parent, options, editor.text());
      if (marked.span) editor.mark(marked.span, marked.words);
      if (focused) editor.focus();
    })
    .catch(() => set(parent, "data-plain", "true"));
  return {
    text: () => editor.text(),
    setText(text) {
      editor.mark(null, null);
      editor.setText(text);
    },
    focus: () => editor.focus(),
    mark(span, words) {
      Object.assign(marked, { span, words });
      editor.mark(span, words);
    },
  };
}
