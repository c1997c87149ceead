"""Record what PyTorch makes of every expression in data/{operations,kinds,refusals}.json.

Run as `python -m tests.engine.record_operations`; needs torch, which the tests themselves do not. To add an
expression, add a row with its "text" (and "inputs") and run this.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.engine.expressions import evaluate, outcomes, refusal

DATA = Path(__file__).parent / "data"


def operation(row: dict) -> dict:
    """Return a row of operations.json with what PyTorch answers now."""
    asked = {"text": row["text"], "inputs": row["inputs"]}
    return {**asked, **evaluate(torch, **asked)}


def kind(row: dict) -> dict:
    """Return a row of kinds.json; dtypes that it leaves out stay out."""
    found = outcomes(torch, row["text"])
    return {"text": row["text"], "results": {name: found[name] for name in row["results"]}}


def refused(row: dict) -> dict:
    """Return a row of refusals.json."""
    return {"text": row["text"], "error": refusal(torch, row["text"])}


def main() -> None:
    """Record every row anew; a row a line, so that differences can be read."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for name, record in {"operations": operation, "kinds": kind, "refusals": refused}.items():
        path = DATA / f"{name}.json"
        lines = [json.dumps(record(row)) for row in json.loads(path.read_text())]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
        print(f"{name}: {len(lines)} rows")


if __name__ == "__main__":
    main()
