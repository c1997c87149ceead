"""The process that lays out: DOT in, Graphviz's JSON out, each behind its length.

Graphviz is C code that neither stops nor yields while it works; so it never runs in the server's process.
Started as a file, not imported: it needs nothing of the app.
"""

from __future__ import annotations

import struct
import sys
import warnings
from typing import BinaryIO

LENGTH = struct.Struct(">I")
CPU_SECONDS = 30  # for one drawing, should the owner be gone


def answer(dot: str) -> bytes:
    """Return Graphviz's JSON for a DOT text, or nothing if it cannot draw it."""
    import pygraphviz

    graph = None
    try:
        with warnings.catch_warnings(action="ignore"):
            graph = pygraphviz.AGraph(string=dot)
            return graph.draw(format="json0", prog="dot")
    except (ValueError, pygraphviz.DotError):
        return b""
    finally:
        if graph is not None:
            graph.close()


def limit_cpu() -> None:
    """Allow the next drawing its share of processor time, where the system can count it."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(usage.ru_utime + usage.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request after the other until there are no more."""
    while len(head := requests.read(LENGTH.size)) == LENGTH.size:
        dot = requests.read(LENGTH.unpack(head)[0]).decode()
        limit_cpu()
        drawn = answer(dot)
        answers.write(LENGTH.pack(len(drawn)) + drawn)
        answers.flush()


if __name__ == "__main__":
    answer("digraph { a -> b }")  # loads Graphviz and its plugins before the first request
    serve(sys.stdin.buffer, sys.stdout.buffer)
