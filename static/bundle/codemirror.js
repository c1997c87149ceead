// The editor as one module: what `#js/code/editor.js` may use of CodeMirror 6, and nothing else.
export {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, Decoration,
} from "@codemirror/view";
export { EditorState, Compartment, StateField, StateEffect } from "@codemirror/state";
export { history, historyKeymap, defaultKeymap, indentWithTab } from "@codemirror/commands";
export { python } from "@codemirror/lang-python";
export { syntaxHighlighting, HighlightStyle, indentOnInput, bracketMatching } from "@codemirror/language";
export { tags } from "@lezer/highlight";
export { linter, setDiagnostics, lintGutter } from "@codemirror/lint";
