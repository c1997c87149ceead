"""One expression where tensors and arrays meet, with PyTorch and NumPy or with ours: what it says."""

from __future__ import annotations

import re
import warnings
from typing import Any

# the last of several statements is an expression, and the answer
START = """
t = torch.tensor([1., 2.])
t0 = torch.tensor(3.)
ti = torch.tensor([1, 2])
g = torch.tensor([1., 2.], requires_grad=True)
M = torch.ones(2, 2)
a = np.array([1., 2.])
a32 = np.array([1., 2.], dtype=np.float32)
"""
QUIET = re.compile(r" \(Triggered internally at .*", re.DOTALL)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def evaluate(torch: Any, np: Any, text: str) -> dict[str, Any]:
    """Return the type and repr of the answer, or the error, and the warnings."""
    names: dict[str, Any] = {"torch": torch, "np": np}
    exec(START, names)
    *before, last = text.split(";")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            exec(";".join(before), names)
            answer = eval(last.strip(), names)
            found = f"{type(answer).__name__}: {answer!r}"
        except Exception as error:
            found = f"!{type(error).__name__}: {error}"
    return {"text": text, "answer": ADDRESS.sub("0x…", found), "warned": [warned(each) for each in said]}


def warned(each: Any) -> str:
    """Return a warning in one line, without the place in PyTorch's sources."""
    return f"{each.category.__name__}: {QUIET.sub('', str(each.message))}"
