"""Run random programs under real PyTorch and hold our engine against it; needs torch and ../shared/oracle.

python -m tests.oracle.record_programs FIRST LAST            compare these seeds, print what differs
python -m tests.oracle.record_programs FIRST LAST --keep     and write them to programs.jsonl.gz
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.observe import observe
from tests.engine.programs import program
from tests.oracle.agreement import differences

HERE = Path(__file__).parent
RECORDER = HERE.parents[2] / "shared" / "oracle" / "record.py"
UNCOMPARED = ("engine_order",), ("uid", "seq", "inputs"), ("stride",)


def recorded(path: Path) -> dict:
    """Return PyTorch's observation of one program, without what nobody compares."""
    done = subprocess.run(
        [sys.executable, str(RECORDER), str(path)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    for call in found["calls"]:
        drop(call, UNCOMPARED[0])
        for node in call.get("nodes", []):
            drop(node, UNCOMPARED[1])
    for variable in found["variables"].values():
        drop(variable, UNCOMPARED[2])
    return found


def drop(entry: dict, names: tuple[str, ...]) -> None:
    """Take keys out of a dict, if they are there."""
    for name in names:
        entry.pop(name, None)


def main(arguments: list[str]) -> int:
    """Compare the seeds; return 1 if any differs."""
    first, last = map(int, arguments[:2])
    if importlib.util.find_spec("torch") is None or not RECORDER.exists():
        print("this needs torch and ../shared/oracle/record.py")
        return 1
    rows, differing = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            path = Path(folder) / f"s{seed}.py"
            path.write_text(program(seed), encoding="utf-8")
            want = recorded(path)
            found = {k: v for k, v in differences(want, json.loads(json.dumps(observe(path)))).items() if v}
            differing += bool(found)
            rows.append({"seed": seed, "program": program(seed), "observation": want})
            if found:
                print(f"seed {seed}: {found}")
    print(f"{len(rows)} ran, {differing} differed")
    if "--keep" in arguments:
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        (HERE / "programs.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
