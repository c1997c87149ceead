"""Which warnings a program's console would show: Python's own filters decide, as they stand at the start."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Python's filters (the last one added is asked first), and one of ours: what NumPy warns of while the
# engine computes is not said by PyTorch.
FILTERS = (
    ("ignore", ResourceWarning, ""), ("ignore", ImportWarning, ""),
    ("ignore", PendingDeprecationWarning, ""), ("ignore", DeprecationWarning, ""),
    ("default", DeprecationWarning, "__main__"), ("ignore", RuntimeWarning, r"engine\.|numpy"),
)  # fmt: skip


@contextmanager
def shown_by(show: Callable[[Warning, str, int], None]) -> Iterator[None]:
    """Give `show` (warning, file, line) of what Python would print: each text once for each line.

    The program may change the filters, or catch warnings itself: both end with the block.
    """

    def showwarning(message: Warning, category: type, filename: str, lineno: int, *_: object) -> None:
        show(message, filename, lineno)

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for action, category, module in FILTERS:
            warnings.filterwarnings(action, category=category, module=module)
        warnings.showwarning = showwarning
        yield
