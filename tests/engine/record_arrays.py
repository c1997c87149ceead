"""Record what PyTorch and NumPy make of every expression in data/arrays.json.

Run as `python -m tests.engine.record_arrays`; needs torch, which the tests themselves do not. To add an
expression, add a row with its "text" and run this.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import torch

from tests.engine.boundary import evaluate

PATH = Path(__file__).parent / "data" / "arrays.json"


def main() -> None:
    """Record every row anew; a row a line, so that differences can be read."""
    torch.set_num_threads(1)
    rows = [evaluate(torch, numpy, row["text"]) for row in json.loads(PATH.read_text())]
    PATH.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
