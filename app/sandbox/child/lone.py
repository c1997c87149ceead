"""A process for one run, where a warm parent cannot fork: the same gate, recorder and frames, fewer walls.

Started ahead of its run and idle until its job comes. The pool ends it when its time is over.
"""

from __future__ import annotations

import importlib
import json
import os

from app.sandbox import lockdown, protocol
from app.sandbox.limits import Limits
from engine.trace import schema


def main(argument: str) -> None:
    """Wait for one job, do it, leave: `argument` holds the limits and the module that does the work."""
    told = json.loads(argument)
    child, limits = importlib.import_module(f"{__package__}.{told['work']}"), Limits(**told["limits"])
    commands, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    child.warm_up()
    head = {"version": schema.VERSION, "engine": schema.ENGINE, "mirrors": schema.MIRRORS}
    protocol.write(answers, protocol.message(protocol.READY, head))
    received = protocol.read(commands)
    if received is None or received[0] != protocol.JOB:
        return
    os.close(commands)
    lockdown.restrict_resources(limits)

    def send(data: bytes) -> None:
        protocol.write(answers, protocol.frame(protocol.CHUNK, data))

    child.begin(received[1], send, limits)
