"""Random programs: what our engine does with them is what PyTorch did when they were recorded.

`programs.jsonl.gz` holds one line per seed: the text that tests/engine/programs.py writes for it and
PyTorch's observation. `record_programs.py` makes the file where torch is installed, and can run more
seeds without keeping them.
"""

import gzip
import json
from pathlib import Path

import pytest

from engine.observe import observe
from tests.engine.programs import program
from tests.oracle.agreement import differences

FILE = Path(__file__).parent / "programs.jsonl.gz"
RECORDED = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).decode().splitlines()]


def test_there_are_many_programs_and_each_is_what_its_seed_makes():
    assert len(RECORDED) >= 290
    assert all(program(each["seed"]) == each["program"] for each in RECORDED)


def test_the_programs_use_what_they_are_meant_to_use():
    text = "\n".join(each["program"] for each in RECORDED)
    for word in (
        "retain_grad",
        "register_hook",
        "mul_(",
        "[0] = 0.5",
        "detach()",
        "@",
        "torch.cat",
        "retain_graph",
    ):
        assert text.count(word) > 20, word


@pytest.mark.parametrize("each", RECORDED, ids=lambda each: f"seed{each['seed']}")
def test_a_random_program_does_what_it_does_in_pytorch(each, tmp_path):
    path = tmp_path / f"s{each['seed']}.py"
    path.write_text(each["program"], encoding="utf-8")
    observed = json.loads(json.dumps(observe(path)))
    found = {group: where for group, where in differences(each["observation"], observed).items() if where}
    assert not found, f"{each['program']}\n{found}"
