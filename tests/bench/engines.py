"""Who takes part: an engine's name leads to its runs. `run_of("floor", "layers")` prepares one piece of work.

Our own engine takes part four times: alone, with every fact kept in a list (`facts`), with the recorder
watching (`recorded`), and until all its rows are written as well (`told`). For these the programs are
compiled as a learner's snippet is, so that the recorder meets lines and names as it does in the application.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

OURS = ("gradstep", "facts", "recorded", "told")
INSTALLED = ("micrograd", "autograd", "torch")  # take part if they are installed
WORK = {
    "expression": "(a) scalar expression, 20 operations",
    "scalar_network": "(b) 2-16-16-1 on 100 points, scalars",
    "tensor_network": "(b) 2-16-16-1 on 100 points, tensors",
    "layers": "(c) 3 layers of width 128, batch 64",
    "chain_1000": "(d) chain of 1,000 on 10 values",
    "chain_10000": "(d) chain of 10,000 on 10 values",
    "convolutions": "(e) convolutional net, 8x1x12x12",
    "attention": "(f) attention block, 4x16x64, 4 heads",
}
LEFT_OUT = {
    "micrograd": set(WORK) - {"expression", "scalar_network", "tensor_network"},  # it knows scalars only
    "recorded": {"scalar_network"},  # 600,000 rows say nothing that (a) does not
    "told": {"scalar_network"},
    "facts": {"scalar_network"},
}
PROGRAMS = Path(__file__).with_name("programs.py")

Run = Callable[[], list]


def found() -> list[str]:
    """Return the engines that can take part in this interpreter, the floor first."""
    return ["floor", *OURS, *(name for name in INSTALLED if importlib.util.find_spec(name))]


def takes_part(engine: str, work: str) -> bool:
    """Say whether an engine does this piece of work."""
    return work not in LEFT_OUT.get(engine, ())


def run_of(engine: str, work: str) -> Run:
    """Prepare one piece of work: a function that does it once and returns the gradients."""
    if engine in OURS:
        return watched(engine, work)
    if engine == "torch":
        real = importlib.import_module("torch")
        real.set_num_threads(1)
        return getattr(importlib.import_module("tests.bench.programs"), work)(real)
    if engine == "floor":
        return getattr(importlib.import_module("tests.bench.floors"), work)()
    return getattr(getattr(importlib.import_module("tests.bench.tapes"), engine.title())(), work)()


def watched(engine: str, work: str) -> Run:
    """Prepare work for our engine, with nobody, a list or the recorder watching."""
    from engine import events, facade
    from engine.trace.recorder import Recorder
    from engine.trace.spans import SNIPPET

    text, names = snippet(work), {}
    exec(compile(text, SNIPPET, "exec", dont_inherit=True), names)
    run = names[work](facade.modules()["torch"])

    def kept():
        with events.observed_by(Kept()):
            grads = run()
        gc.unfreeze()
        return grads

    def recorded(told=False):
        recorder = Recorder(text, boundless())
        with events.observed_by(recorder):
            grads = run()
        if told:
            recorder.trace({"kind": "finished"})
        recorder.forget()  # it is part of cycles: what it keeps would stay until they are searched for
        return grads

    return {"gradstep": run, "facts": kept, "recorded": recorded, "told": lambda: recorded(True)}[engine]


class Kept(list):
    """A list of facts, kept as the recorder keeps them: several nodes of a backward pass in one, and out of
    the search for garbage.
    """

    folds = 512

    def __call__(self, fact):
        self.append(fact)
        if len(self) % self.folds == 0 or hasattr(fact, "steps"):
            gc.freeze()


def snippet(work: str) -> str:
    """Return the program of one piece of work as a text of its own: its function and those it calls."""
    text = PROGRAMS.read_text(encoding="utf-8")
    functions, rest = {}, []
    for node in ast.parse(text).body:
        part = ast.get_source_segment(text, node)
        if isinstance(node, ast.FunctionDef):
            called = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            functions[node.name] = (part, called)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            rest.append(part)
    needed = {work}
    while grown := {name for each in needed for name in functions[each][1] if name in functions} - needed:
        needed |= grown
    return "\n\n".join([*rest, *(functions[name][0] for name in functions if name in needed)]) + "\n"


def boundless():
    """Return the limits of a trace that may hold everything."""
    from engine.trace.limits import Limits

    return Limits(rows=10**9, made=10**12)
