"""One small program, with PyTorch or with ours: what it prints, how it ends, and what it warns of."""

from __future__ import annotations

import copy
import io
import pickle
import re
import warnings
from contextlib import redirect_stdout
from typing import Any

QUIET = re.compile(r" \(Triggered internally at .*", re.DOTALL)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
KERNELS = re.compile(r"(\]\.\n\n).*", re.DOTALL)  # the dispatcher goes on with the files of its kernels
MODULE = re.compile(r"<module '([\w.]+)' from '.*?'>")


def outcome(torch: Any, text: str) -> dict[str, Any]:
    """Run a program, or evaluate an expression and print its repr."""
    names = {"torch": torch, "nn": torch.nn, "copy": copy, "pickle": pickle}
    names |= {"x": torch.ones(2), "m": torch.nn.Linear(1, 1)}
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as said, redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            exec(program(text), names)
        except Exception as error:
            print(f"!{type(error).__name__}: {KERNELS.sub(chr(92) + '1', str(error))}")
    warned = [f"{each.category.__name__}: {QUIET.sub('', str(each.message))}" for each in said]
    shown = MODULE.sub(r"<module '\1'>", ADDRESS.sub("0x…", printed.getvalue()))
    return {"text": text, "prints": shown, "warned": warned}


def program(text: str) -> Any:
    """Return what is to run: an expression is printed."""
    try:
        compile(text, "<text>", "eval")
    except SyntaxError:
        return compile(text, "<text>", "exec")
    return compile(f"print(repr({text}))", "<text>", "exec")
