"""The house rules as tables: what stands at the top, who may import whom, sizes, words that stay out."""

from __future__ import annotations

import ast
import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "app",
    "engine",
    "templates",
    "static",
    "tests",  # the seven fixed entries
    "LICENSE",
    ".gitignore",
    ".gitattributes",
    ".ci",
}  # what git, CI and the licence need

WEB = {"fastapi", "starlette", "pydantic", "jinja2", "markupsafe", "orjson"}

# The single files of app/, lowest first: each may import those before it, never those after it.
APP_LAYERS = (
    (
        "assets",
        "comparisons",
        "examples",
        "explain",
        "headers",
        "metrics",
        "models",
        "settings",
        "values_table",
        "version",
    ),
    ("i18n",),
    ("templating",),
    ("problems",),
    ("reference",),
    ("documented", "export", "gradients", "intake"),
    ("questions", "seal", "visualise"),
    ("takeaway",),
    ("export_command", "lesson_command", "main"),
    ("cli",),
    ("__main__",),
)

# room: (rooms it may import besides itself, packages it may import). A module's room is the longest name.
PYTHON_ROOMS: dict[str, tuple[set[str], set[str]]] = {
    "engine": ({"engine.ops"}, {"numpy"}),
    "engine.ops": ({"engine"}, {"numpy"}),
    "engine.nn": ({"engine", "engine.nn.errors", "engine.ops"}, {"numpy"}),
    "engine.nn.errors": ({"engine"}, set()),
    "engine.optim": ({"engine", "engine.nn", "engine.nn.errors"}, {"numpy"}),
    "engine.distributions": ({"engine", "engine.ops"}, {"numpy"}),
    "engine.facade": (
        {"engine", "engine.distributions", "engine.nn", "engine.ops", "engine.optim"},
        {"numpy"},
    ),
    "engine.trace": (
        {"engine", "engine.facade", "engine.nn", "engine.ops", "engine.trace.schema"},
        {"numpy"},
    ),
    "engine.trace.schema": ({"engine"}, set()),
    "engine.explain": ({"engine", "engine.ops", "engine.trace"}, {"numpy"}),
    "engine.verify": (set(), {"numpy"}),  # shares nothing with what it checks
    "engine.observation": ({"engine", "engine.nn"}, {"numpy"}),
    "engine.observe": ({"engine", "engine.facade", "engine.observation", "engine.trace"}, {"numpy"}),
    "app": (set(), set()),
    "app.layout": ({"engine.trace.schema"}, {"graphviz", "pygraphviz", "orjson"}),
    "app.sandbox": (set(), {"orjson"}),
    "app.sandbox.child": (
        {
            "app.sandbox",
            "engine",
            "engine.explain",
            "engine.facade",
            "engine.ops",
            "engine.trace",
            "engine.trace.schema",
            "engine.verify",
        },
        {"numpy", "orjson"},
    ),
    "app.lessons": (set(), {"orjson", "markdown_it", "mdit_py_plugins", "latex2mathml"}),
    "app.routes": ({"app.lessons"}, WEB),
}
for k, layer in enumerate(APP_LAYERS):
    below = {f"app.{name}" for names in APP_LAYERS[:k] for name in names}
    PYTHON_ROOMS |= {f"app.{name}": (below | {"app.sandbox"}, WEB) for name in layer}
PYTHON_ROOMS["app.routes"][0].update(f"app.{name}" for names in APP_LAYERS[:-3] for name in names)
PYTHON_ROOMS["app.takeaway"][0].add("app.layout")
PYTHON_ROOMS["app.visualise"][0].update({"app.layout", "engine.trace.schema"})
PYTHON_ROOMS["app.main"][0].update({"app.routes", "app.layout", "app.lessons"})
PYTHON_ROOMS["app.lesson_command"][0].add("app.lessons")
PYTHON_ROOMS["app.export_command"][0].add("app.layout")
PYTHON_ROOMS["app.metrics"][1].add("prometheus_client")
PYTHON_ROOMS["app.cli"][0].add("engine.verify")
PYTHON_ROOMS["app.cli"][1].add("uvicorn")
RECORDERS = "tests/engine/record_"  # run by hand under PyTorch, to write down what it does
NEVER_IMPORTED = {"torch", "jax", "tensorflow"}

# folder or file under static/js: what it may import besides itself
SCRIPT_ROOMS: dict[str, set[str]] = {
    "trace": set(),
    "player": {"trace", "dom.js", "i18n.js"},
    "graph": {"trace", "dom.js", "i18n.js"},
    "code": {"trace", "dom.js", "frame.js", "i18n.js", "#vendor/codemirror.js"},
    "panels": {"trace", "dom.js", "frame.js", "i18n.js"},
    "training": {"trace", "dom.js", "i18n.js"},
    "dom.js": set(),
    "frame.js": set(),
    "i18n.js": set(),
    "api.js": set(),
    "theme.js": set(),
    "unpack.js": set(),
    "page": {"trace", "player", "graph", "training", "code", "panels", "dom.js", "i18n.js", "api.js"},
    "lesson": {"trace", "player", "page", "dom.js", "i18n.js", "api.js"},
    "main.js": {"trace", "player", "page", "graph", "code", "panels", "dom.js", "i18n.js", "api.js"},
}

# ending: (lines of a file, lines of a function, width of a line); None = not measured
SIZES = {".py": (400, 60, 110), ".js": (300, 60, 110), ".html": (150, None, None), ".css": (250, None, 110)}
RECORDED = "tests/oracle/cases/"  # snippets as people type them, and what PyTorch said
MESSAGES = re.compile(r"engine/.*\berrors\b")  # one function per message: the message is its sentence
NAMED_BY_OTHERS = {"tests/helpers.py", "engine/nn/utils.py"}  # PyTorch's word for it is torch.nn.utils
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

# Written in halves, so that this file does not contain them.
FORBIDDEN = [
    a + b
    for a, b in (
        ("npm", "js."),
        ("pypi", ".org"),
        ("python", "hosted"),
        ("deb.", "debian"),
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/ho", "me/"),
    )
]
MAY_NAME_PATHS = ("tests/sandbox/", "app/sandbox/")  # attacks reach for such places, and the wall names them


def tracked() -> list[str]:
    """List the project's files as git sees them, committed or not yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(name for name in set(done.stdout.splitlines()) if (ROOT / name).is_file())


FILES = tracked()
SNIPPETS = (
    "app/lessons/content/",
    "app/lessons/programs/",
    "app/lessons/pages/example/",
)  # as learners write them
PRODUCT = [
    name
    for name in FILES
    if name.startswith(("app/", "engine/")) and name.endswith(".py") and not name.startswith(SNIPPETS)
]
SCRIPTS = [name for name in FILES if name.startswith("static/js/") and name.endswith(".js")]
MEASURED = [
    name for name in FILES if Path(name).suffix in SIZES and not name.startswith((RECORDED, *SNIPPETS))
]


def text(name: str) -> str:
    """Read a file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def module(name: str) -> str:
    """Turn app/routes/api.py into app.routes.api."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


MODULES = {module(name) for name in PRODUCT}


def room(of: str, rooms) -> str:
    """Find the room with the longest name that fits a module."""
    return max((name for name in rooms if of == name or of.startswith(name + ".")), key=len)


def imports(name: str) -> set[str]:
    """Return every module that a Python file imports, wherever in the file it does."""
    found = set()
    for node in ast.walk(ast.parse(text(name))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: imports are absolute, from the package root"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in MODULES else node.module for each in whole}
    return found


def script_imports(name: str) -> list[str]:
    """Return what a JavaScript module imports, statically or not."""
    return re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""", text(name))


def test_only_the_fixed_entries_stand_at_the_top():
    extra = {name.split("/")[0] for name in FILES} - TOP_LEVEL
    assert not extra, (
        f"{sorted(extra)} must move into a room of house.md: app, engine, templates, static or tests"
    )


def test_the_app_package_is_empty_so_that_a_child_loads_no_web_code():
    assert (ROOT / "app" / "__init__.py").read_bytes() == b""


@pytest.mark.parametrize("name", PRODUCT)
def test_python_imports_only_go_as_the_house_draws_them(name: str):
    here = room(module(name), PYTHON_ROOMS)
    rooms, packages = PYTHON_ROOMS[here]
    for target in sorted(imports(name)):
        top = target.split(".")[0]
        if top in ("app", "engine"):
            there = room(target, PYTHON_ROOMS)
            assert there == here or there in rooms, (
                f"{name} may not import {target}: {here} must not know {there}"
            )
        elif top not in sys.stdlib_module_names:
            assert top in packages, (
                f"{name} may not import {top}: {here} may use {sorted(packages) or 'no package'}"
            )


def test_routes_never_import_each_other():
    routes = {module(name) for name in PRODUCT if name.startswith("app/routes/")} - {"app.routes"}
    for name in PRODUCT:
        if module(name) in routes:
            assert not imports(name) & routes, (
                f"{name} imports another route; move what they share out of app/routes"
            )


def test_the_engine_never_sees_json():
    for name in PRODUCT:
        if room(module(name), PYTHON_ROOMS) == "engine":
            assert "json" not in imports(name), (
                f"{name} imports json; what is written down is engine/trace's business"
            )


def test_no_module_imports_itself_in_a_circle():
    graph = {
        module(name): {target for target in imports_at_the_top(name) if target in MODULES} for name in PRODUCT
    }
    done: set[str] = set()

    def visit(here: str, path: tuple[str, ...]) -> None:
        assert here not in path, f"a circle of imports: {' → '.join((*path[path.index(here) :], here))}"
        if here not in done:
            for there in sorted(graph[here]):
                visit(there, (*path, here))
            done.add(here)

    for name in sorted(graph):
        visit(name, ())


def imports_at_the_top(name: str) -> set[str]:
    """Return the modules a file imports while it is loaded itself."""
    found = set()
    for node in ast.parse(text(name)).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} & MODULES or {node.module}
    return found


def test_pytorch_itself_is_never_imported():
    for name in FILES:
        if name.endswith(".py") and not name.startswith((RECORDED, *SNIPPETS, "tests/sandbox/", RECORDERS)):
            found = {target.split(".")[0] for target in imports(name)} & NEVER_IMPORTED
            assert not found, f"{name} imports {sorted(found)}; the engine imitates, it does not borrow"


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_imports_only_go_as_the_house_draws_them(name: str):
    here = name.removeprefix("static/js/").split("/")[0]
    assert here in SCRIPT_ROOMS, f"{name} is in no room: add {here} to SCRIPT_ROOMS with what it may import"
    for target in script_imports(name):
        assert target.startswith(("#js/", "#vendor/")), (
            f"{name} imports {target}; say #js/… (the export needs names)"
        )
        there = target if target.startswith("#vendor/") else target.removeprefix("#js/").split("/")[0]
        assert there == here or there in SCRIPT_ROOMS[here], (
            f"{name} may not import {target}: {here} must not know {there}"
        )


@pytest.mark.parametrize("name", MEASURED)
def test_sizes_stay_under_the_caps(name: str):
    file_cap, function_cap, width_cap = SIZES[Path(name).suffix]
    lines = text(name).splitlines()
    assert len(lines) <= file_cap, (
        f"{name} has {len(lines)} lines, the cap is {file_cap}: split it by what has a name"
    )
    wide = [number for number, line in enumerate(lines, 1) if len(line) > (width_cap or sys.maxsize)]
    assert not wide, f"{name}: lines wider than {width_cap}: {wide}"
    long = [
        f"{what} (line {number}): {length} lines"
        for what, number, length in functions(name, lines)
        if function_cap and length > function_cap
    ]
    assert not long, f"{name}: functions longer than {function_cap} lines: {'; '.join(long)}"


def functions(name: str, lines: list[str]):
    """Yield (name, line, length) of every function of a file."""
    if name.endswith(".py"):
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, node.lineno, node.end_lineno - node.lineno + 1
        return
    opening = re.compile(r".*\bfunction\b.*\{$|.*=> \{$|\s*(?!if|for|while|switch|catch)[\w# ]+\(.*\) \{$")
    for number, line in enumerate(lines, 1):
        if opening.match(line):
            closing = line[: -len(line.lstrip())] + "}"
            later = enumerate(lines[number:], number + 1)
            last = next((n for n, text in later if text.startswith(closing)), len(lines))
            yield line.strip()[:40], number, last - number + 1


@pytest.mark.parametrize(
    "name", [name for name in FILES if name.endswith(".py") and not name.startswith((RECORDED, *SNIPPETS))]
)
def test_a_module_says_what_it_is_and_its_name_says_something(name: str):
    path = Path(name)
    assert path.stem not in VAGUE_NAMES or name in NAMED_BY_OTHERS, f"{name}: name it after what it holds"
    if path.name != "__init__.py":
        assert ast.get_docstring(ast.parse(text(name))), (
            f"{name} opens without saying what it is and what it is not"
        )


@pytest.mark.parametrize("name", [name for name in PRODUCT if not MESSAGES.match(name)])
def test_public_classes_and_functions_have_docstrings(name: str):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = [node for node in ast.parse(text(name)).body if isinstance(node, kinds) and node.name[0] != "_"]
    silent = [f"{node.name} (line {node.lineno})" for node in public if not ast.get_docstring(node)]
    assert not silent, f"{name}: a sentence each for {', '.join(silent)}"


def test_no_file_names_a_machines_paths_or_a_registry():
    for name in FILES:
        if Path(name).suffix in (".png", ".ico"):
            continue
        packed = (ROOT / name).read_bytes() if name.endswith(".gz") else None
        words = (
            FORBIDDEN
            if not name.startswith(MAY_NAME_PATHS)
            else [w for w in FORBIDDEN if not w.startswith("/")]
        )
        words_of = text(name) if packed is None else gzip.decompress(packed).decode("utf-8")
        for number, line in enumerate(words_of.splitlines(), 1):
            found = [word for word in words if word in line]
            assert not found, f"{name}:{number} says {found[0]}, which means nothing on another machine"


def test_ci_runs_the_command_that_the_readme_gives():
    command = "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/python -m tests"
    assert command in text("README.md").splitlines()
    assert command in text(".ci/run").splitlines()


def test_the_lock_file_holds_hashes_and_no_addresses():
    lock = text("static/bundle/package-lock.json")
    assert '"resolved"' not in lock and "://" not in lock
    assert lock.count('"integrity"') == lock.count('    "node_modules/')
