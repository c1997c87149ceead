"""Record what a PyTorch for the CPU alone makes of every program in data/devices.json.

Run as `python -m tests.engine.record_devices`; needs torch, which the tests themselves do not. To add a
program, add a row with its "text" and run this.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.engine.printed import outcome

PATH = Path(__file__).parent / "data" / "devices.json"


def main() -> None:
    """Record every row anew; a row a line, so that differences can be read."""
    rows = []
    for row in json.loads(PATH.read_text(encoding="utf-8")):
        torch.set_default_device(None)
        rows.append(outcome(torch, row["text"]))
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    PATH.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
