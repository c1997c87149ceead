"""The editor's module: what the install step made, that it is current, and how that step fails."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

HOOK = Path(__file__).resolve().parents[2] / "static" / "bundle" / "hook.py"
EXPORTS = """
    EditorView keymap lineNumbers highlightActiveLine highlightActiveLineGutter drawSelection
    EditorState Compartment StateField StateEffect Decoration history historyKeymap defaultKeymap
    indentWithTab python syntaxHighlighting HighlightStyle indentOnInput bracketMatching tags linter
    setDiagnostics lintGutter
""".split()


@pytest.fixture(scope="module")
def hook():
    """The build hook as a module."""
    spec = importlib.util.spec_from_file_location("bundle_hook", HOOK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_module_is_built_from_the_present_inputs(hook):
    assert hook.is_current(hook.fingerprint()), "run `pip install -e .` or `python static/bundle/hook.py`"


def test_a_current_module_is_not_built_again(hook, monkeypatch):
    monkeypatch.setattr(hook, "node", lambda *_, doing: pytest.fail(f"{doing}, although nothing changed"))
    assert hook.ensure_bundle() is False


def test_it_exports_what_the_editor_imports(hook):
    bundle = (hook.VENDOR / hook.BUNDLE).read_text(encoding="utf-8")
    exported = re.search(r"export\s*\{([^}]*)\};?\s*$", bundle).group(1)
    assert {part.split(" as ")[-1].strip() for part in exported.split(",")} == set(EXPORTS)


def test_it_imports_nothing_at_run_time(hook):
    bundle = (hook.VENDOR / hook.BUNDLE).read_text(encoding="utf-8")
    assert not re.search(r"(^|[;}])import[\s{\"']", bundle)


def test_the_licence_of_every_bundled_package_is_kept(hook):
    said = (hook.VENDOR / hook.LICENCES).read_text(encoding="utf-8")
    for name in (
        "@codemirror/view",
        "@codemirror/state",
        "@codemirror/lang-python",
        "@lezer/highlight",
        "style-mod",
    ):
        assert re.search(rf"^{re.escape(name)} \d+\.\d+\.\d+ \(MIT\)$", said, re.MULTILINE)
    assert said.count("Permission is hereby granted") == len(
        re.findall(r"^\S+ \d+\.\d+\.\d+ \(", said, re.MULTILINE)
    )


def test_a_bundled_file_is_traced_to_its_package(hook):
    assert hook.package_name("node_modules/@codemirror/view/dist/index.js") == "@codemirror/view"
    assert hook.package_name("node_modules/a/node_modules/crelt/index.js") == "crelt"
    assert hook.package_name("codemirror.js") is None


def test_a_failing_step_says_what_failed_and_what_to_do(hook, tmp_path: Path):
    script = tmp_path / "fails.js"
    script.write_text("console.error('no route to the registry'); process.exit(3)")
    with pytest.raises(RuntimeError, match=r"(?s)bundling for the editor failed \(exit code 3\).*no route"):
        hook.node(tmp_path, script, doing="bundling")
