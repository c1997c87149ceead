"""Names that everybody means the same by, used and bound nowhere: their import is added on top."""

from __future__ import annotations

import ast

from app.sandbox.child.mending.draft import Draft, Line
from app.sandbox.child.mending.parsing import bound_names, parsed, used_names
from engine.star import STAR

_SELF = """torch math random time copy itertools functools collections typing dataclasses numpy sys io
argparse logging warnings""".split()
_FROM = {
    "torch": "nn optim autograd",
    "torch.autograd": "Variable Function",
    "torch.nn": "Parameter",
    "torch.utils.data": "Dataset DataLoader TensorDataset",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "dataclasses": "dataclass",
    "functools": "partial",
    "typing": "Any Callable Dict List Optional Sequence Tuple Union",
    "tqdm": "tqdm trange",
    "torchviz": "make_dot",
}
IMPORTS = (
    {name: f"import {name}" for name in _SELF}
    | {name: f"from {module} import {name}" for module, names in _FROM.items() for name in names.split()}
    | {
        "F": "import torch.nn.functional as F",
        "np": "import numpy as np",
        "plt": "import matplotlib.pyplot as plt",
        "nn": "import torch.nn as nn",
        "optim": "import torch.optim as optim",
    }
)
RENAMED = {"xrange": "range", "unicode": "str"}  # of Python 2


def names(draft: Draft) -> None:
    """Add the imports that a program needs and lacks; give built-ins of Python 2 their names of today."""
    text = draft.text()
    tree = parsed(text)
    if tree is None:
        return
    bound = bound_names(tree)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            bound |= set(STAR.get(node.module or "", ()))
    missing = [name for name in used_names(tree) if name not in bound]
    _rename(draft, tree, {name for name in missing if name in RENAMED})
    wanted = [IMPORTS[name] for name in missing if name in IMPORTS]
    at = _place(tree)
    for line in reversed(sorted(wanted, key=list(IMPORTS.values()).index)):
        draft.lines.insert(at, Line(line, 0))
    for line in sorted(wanted, key=list(IMPORTS.values()).index):
        draft.note("imports", 0, line)


def _place(tree: ast.Module) -> int:
    """Return after how many lines an import may stand: after documentation and `from __future__`."""
    at = 0
    for i, node in enumerate(tree.body):
        documents = i == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (documents and isinstance(node.value.value, str)) or (
            isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ):
            at = node.end_lineno
        else:
            break
    return at


def _rename(draft: Draft, tree: ast.Module, wanted: set[str]) -> None:
    """Replace names, from the end of the text to its beginning so that places stay true."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in wanted]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = draft.lines[node.lineno - 1].text.encode()
        new = line[: node.col_offset] + RENAMED[node.id].encode() + line[node.end_col_offset :]
        draft.put(node.lineno - 1, new.decode(), "python2")
