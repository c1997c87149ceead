"""How much one run may take: every limit with its default, and the sentence that says it was reached."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run. All of them end the run; what was recorded until then is kept."""

    wall: float = 5.0  # seconds until the run is ended from inside, at the line where it is
    grace: float = 0.5  # seconds more until its process is killed from outside (a loop inside C code)
    cpu: int = 6  # seconds of processor time; the kernel's own backstop, whole seconds
    memory: int = 512 * MIB  # bytes of address space, of which the warm interpreter takes about 150 MiB
    rows: int = 20_000  # rows of the trace
    tensor_elements: int = 1_000_000  # elements of one tensor
    run_elements: int = 50_000_000  # elements of all the tensors that a run makes
    output: int = 65_536  # characters printed
    recursion: int = 1_000  # calls inside calls, ours included; one more raises Python's RecursionError
    trace: int = 32 * MIB  # bytes that a run may send
    source: int = 65_536  # bytes of source text
    lines: int = 2_000  # lines of source text
    nodes: int = 20_000  # nodes of the syntax tree
    depth: int = 200  # nesting of the syntax tree; an elif is not deeper than its if
    blocks: int = 10  # nested blocks (for, if, def, class, with, try, match)
    finals: int = 3  # nested try/finally: each level doubles the compiled code

    @property
    def hard(self) -> float:
        """Return the seconds after which a run is killed from outside."""
        return self.wall + self.grace


# What only the processes around a run can tell. The recorder says the others: rows, output, elements, memory.
SENTENCES = {
    "time": "Stopped after {wall:g} s: a run may take at most that long.",
    "stuck": "Stopped after {wall:g} s inside one long operation: a run may take at most that long.",
    "memory": "Stopped: the program needed more than {memory_mib} MiB of memory.",
    "trace": "Stopped: the trace grew larger than {trace_mib} MiB.",
    "crash": "Stopped: the run ended unexpectedly.",
    "violation": "Stopped by the sandbox: the program tried to reach outside.",
}


def sentence(limit: str, limits: Limits) -> str:
    """Return the plain sentence that names a limit that was reached."""
    sizes = {"memory_mib": limits.memory // MIB, "trace_mib": limits.trace // MIB}
    return SENTENCES[limit].format(wall=limits.wall, **sizes)
