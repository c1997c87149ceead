"""Run a snippet under the recorder and return its trace. Whatever the learner's program does stays inside.

This is no sandbox: who runs strangers' programs gives the compiler, modules and built-ins of theirs.
"""

from __future__ import annotations

import ast
import builtins as python
import contextvars
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from engine import events, facade
from engine import random as randoms
from engine.autograd import begin_program
from engine.numeric import runs
from engine.trace.addresses import Addresses
from engine.trace.echo import ECHO, echoing, shown
from engine.trace.limits import LimitReached, Limits, sentence
from engine.trace.recorder import Recorder
from engine.trace.spans import SNIPPET
from engine.trace.stderr import shown_by

__all__ = ["LimitReached", "Limits", "Refused", "Run", "trace_source"]
LONGEST = 2_000  # characters of an error's message


class Refused(Exception):
    """A compiler's refusal of a text: `code` names the rule, `at` is the span."""

    def __init__(self, code: str, message: str, at: list[int] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at


def plain_compile(source: str) -> CodeType:
    """Compile a trusted text."""
    return compile(echoing(ast.parse(source, SNIPPET)), SNIPPET, "exec", dont_inherit=True)


class Run:
    """One run of one snippet. `trace()` runs it; `stop` may end it from a signal handler."""

    def __init__(
        self,
        source: str,
        *,
        compile_: Callable[[str], CodeType] | None = None,
        modules: Mapping[str, Any] | None = None,
        builtins: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        seed: int = 0,
        at_end: Callable[[], None] | None = None,
        recorder: Callable[[str, Limits | None], Recorder] = Recorder,
    ) -> None:
        self.recorder = recorder(source, limits)
        self.stop = self.recorder.stop
        self._compile = compile_ or plain_compile
        self._modules = modules
        self._builtins = builtins
        self._seed = seed
        self._at_end = at_end
        self._addresses = Addresses(source)

    def trace(self) -> dict:
        """Run the snippet, once, and return the whole trace."""
        return self.recorder.trace(contextvars.copy_context().run(self._outcome))

    def _outcome(self) -> dict:
        try:
            code = self._compile(self.recorder.source)
        except (SyntaxError, ValueError, MemoryError, RecursionError, Refused) as error:
            return self._refusal(error)
        begin_program((SNIPPET, self.recorder.source))
        randoms.start(self._seed, lambda: self.recorder(events.Seeded("torch", self._seed)))
        runs.start(self._seed)
        modules = facade.modules() if self._modules is None else self._modules
        names = dict(vars(python) if self._builtins is None else self._builtins)
        names["print"] = self._print
        names[ECHO] = self._echo
        if self._builtins is None:
            names["__import__"] = importer(modules)
        with shown_by(self._warned), events.observed_by(self.recorder):
            return self._execute(code, {"__name__": "__main__", "__builtins__": names})

    def _execute(self, code: CodeType, names: dict) -> dict:
        """Run compiled code; whatever it raises becomes the outcome."""
        recorder = self.recorder
        try:
            exec(code, names)
            if self._at_end is not None:
                self._at_end()
            recorder.finish()
        except LimitReached:
            pass
        except BaseException as error:  # a learner's exception is part of the trace, whatever it is
            return self._end(error)
        return recorder.over or {"kind": "finished"}

    def _end(self, error: BaseException) -> dict:
        """Write the exception that ended the run and return the outcome."""
        recorder, kind = self.recorder, type(error).__name__
        message = self._addresses.told(said(error))
        try:
            if recorder.over is None:
                recorder.finish(error)
                if isinstance(error, MemoryError):
                    return recorder.limit("memory", sentence("memory", recorder.limits))
                return recorder.failed(error, kind, message)
        except LimitReached:
            pass  # the rows ran out just before the last one
        return recorder.over

    def _refusal(self, error: Exception) -> dict:
        recorder = self.recorder
        if isinstance(error, SyntaxError):
            at = recorder.spans.line(error.lineno, error.offset)
            return recorder.refused("syntax", error.msg, at)
        if isinstance(error, Refused):
            return recorder.refused(error.code, error.message, error.at)
        if isinstance(error, ValueError):
            return recorder.refused("syntax", str(error), None)
        return recorder.refused("too-deep", "The program is nested too deeply to be compiled.", None)

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", **_: Any) -> None:
        """Stand in for print: what is written becomes a row."""
        for what, given in (("sep", sep), ("end", end)):
            if given is not None and type(given) is not str:
                raise TypeError(f"{what} must be None or a string, not {type(given).__name__}")
        text = (" " if sep is None else sep).join([str(value) for value in values])
        self.write(text + ("\n" if end is None else end))

    def write(self, text: str) -> None:
        """Make a row of a text that the program writes."""
        self.recorder.printed(self._addresses.told(text))

    def _echo(self, value: Any) -> None:
        """Show the value of a bare expression, as Python's prompt does: None says nothing."""
        if value is not None and shown(text := repr(value)):
            self.recorder.printed(self._addresses.told(text), "echo")

    def _warned(self, warning: Warning, file: str, line: int) -> None:
        """Make a row of a warning that Python shows: nothing hides it from a console."""
        where = line if file == SNIPPET else None
        self.recorder(events.WarningGiven(type(warning).__name__, said(warning), where))


def said(error: BaseException) -> str:
    """Return the message of an exception or warning; asking for it may run a learner's code."""
    try:
        return "".join((str(error),))[:LONGEST]
    except BaseException:  # nothing may leave a run, and a limit is already remembered
        return "<exception str() failed>"


def importer(modules: Mapping[str, Any]) -> Callable[..., Any]:
    """Return an `__import__` that finds `modules` first and Python's own after."""

    def import_(name: str, scope: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level or name not in modules:
            return python.__import__(name, scope, local, wanted, level)
        return modules[name if wanted else name.partition(".")[0]]

    return import_


def trace_source(source: str, **world: Any) -> dict:
    """Run a text and return its trace; keywords are those of `Run`."""
    return Run(source, **world).trace()
