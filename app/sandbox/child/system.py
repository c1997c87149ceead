"""`sys`, `io`, `argparse`, `logging`, `warnings`, ...: what small programs ask of the system.

There is no file, no environment, no command line and no machine behind these names. Of the real modules
only pure functions are handed out.
"""

from __future__ import annotations

import abc
import contextlib
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from engine.trace.spans import SNIPPET

Write = Callable[[str], None]


def names(make: Callable[[str, dict], Any], write: Write, clock: Callable[[], str]) -> dict[str, Any]:
    """Return these modules by name, made by `make(title, names)`; `write` is where they print."""
    found = {
        "sys": sys_names(write),
        "io": {"BytesIO": BytesIO},
        "argparse": {"ArgumentParser": ArgumentParser, "Namespace": Options},
        "logging": Logs(write, clock).names(),
        "warnings": warning_names(),
        "gc": {"collect": lambda generation=2: 0, "enable": lambda: None, "disable": lambda: None},
        "contextlib": {
            "nullcontext": contextlib.nullcontext,
            "suppress": contextlib.suppress,
            "contextmanager": contextmanager,
        },
        "abc": {"ABC": abc.ABC, "abstractmethod": abstractmethod},
    }
    return {title: make(title, chosen) for title, chosen in found.items()}


# ----- sys, io -----
class Stream:
    """`sys.stdout`: what is written is printed."""

    __slots__ = ("_sg_write",)

    def __init__(self, write: Write) -> None:
        self._sg_write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if type(text) is not str:
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._sg_write(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: everything is out already."""


def sys_names(write: Write) -> dict[str, Any]:
    """Return the names of `sys`."""

    def leave(status: Any = None) -> None:
        raise SystemExit(status)

    return {
        "argv": ["main.py"],
        "path": [],
        "version": sys.version.partition(" ")[0],
        "version_info": sys.version_info,
        "platform": "linux",
        "byteorder": "little",
        "maxsize": sys.maxsize,
        "float_info": sys.float_info,
        "exit": leave,
        "stdout": Stream(write),
        "stderr": Stream(write),
        "getrecursionlimit": lambda: 1000,
    }


class BytesIO:
    """A buffer for `torch.save`, which keeps what was saved for `torch.load`: here are no bytes."""

    __slots__ = ()

    def __init__(self, initial: bytes = b"") -> None:
        if initial:
            raise ValueError(
                "io.BytesIO of given bytes is not available here; torch.save can fill an empty one"
            )

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place: what is held is always read from its beginning."""
        return offset

    def tell(self) -> int:
        """Return where it stands."""
        return 0

    def write(self, data: bytes) -> None:
        """Refuse: only torch.save writes into it."""
        raise ValueError("only torch.save writes into an io.BytesIO here")

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> BytesIO:
        return self

    def __exit__(self, *_: object) -> None:
        return None


# ----- argparse -----
class Options:
    """What `parse_args()` gives: a value for every option."""

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            if name.startswith("_") or not name.isidentifier():
                raise ValueError(f"an option cannot be named {name!r}")
            setattr(self, name, value)

    def __repr__(self) -> str:
        return "Namespace(" + ", ".join(f"{name}={value!r}" for name, value in vars(self).items()) + ")"


class ArgumentParser:
    """A parser of an empty command line: every option has its default."""

    __slots__ = ("_sg_values", "_sg_missing")

    def __init__(self, *_: Any, **__: Any) -> None:
        self._sg_values: dict[str, Any] = {}
        self._sg_missing: list[str] = []

    def add_argument(self, *flags: str, **options: Any) -> None:
        """Take an option or a positional argument."""
        flag = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
        name = options.get("dest") or flag.lstrip("-").replace("-", "_")
        if not name.isidentifier() or name.startswith("_"):
            raise ValueError(f"an option needs a name, not {flag!r}")
        action = options.get("action")
        default = options.get("default", {"store_true": False, "store_false": True}.get(action))
        if isinstance(default, str) and callable(options.get("type")):
            default = options["type"](default)
        needed = options.get("required") or not (flag.startswith("-") or options.get("nargs") in ("?", "*"))
        if needed:
            self._sg_missing.append("/".join(flags))
        self._sg_values[name] = default

    def set_defaults(self, **values: Any) -> None:
        """Give options other defaults."""
        self._sg_values.update(values)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Options:
        """Return the defaults: there is no command line."""
        if args:
            raise ValueError("there is no command line here: parse_args() gives every option its default")
        if self._sg_missing:
            raise SystemExit(f"error: the following arguments are required: {', '.join(self._sg_missing)}")
        return Options(**self._sg_values)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Options, list]:
        """Return the defaults, and that nothing was left over."""
        return self.parse_args(), []


# ----- logging -----
LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
PLAIN = "%(levelname)s:%(name)s:%(message)s"


class Logger:
    """Writes what is at least as grave as its level, or as the level of all."""

    __slots__ = ("_sg_logs", "name", "level")

    def __init__(self, logs: Logs, name: str) -> None:
        self._sg_logs, self.name, self.level = logs, name, 0

    def setLevel(self, level: Any) -> None:  # noqa: N802 - Python's own word
        """Set from which level on it writes."""
        self.level = LEVELS[level] if isinstance(level, str) else int(level)

    def log(self, level: int, message: Any, *values: Any, **_: Any) -> None:
        """Write a message with its values filled in."""
        self._sg_logs.write_one(self, int(level), str(message) % values if values else str(message))

    def addHandler(self, *_: Any) -> None:  # noqa: N802
        """Accept anything else."""

    addFilter = removeHandler = addHandler  # noqa: N815


def _at(level: int) -> Callable:
    return lambda self, message, *values, **_: self.log(level, message, *values)


for _name, _level in LEVELS.items():
    setattr(Logger, _name.lower(), _at(_level))
Logger.warn, Logger.exception = Logger.warning, Logger.error


class Handler:
    """A handler or a formatter: taken, and without effect."""

    __slots__ = ()

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def setLevel(self, *_: Any) -> None:  # noqa: N802
        """Accept anything."""

    setFormatter = setLevel  # noqa: N815


class Logs:
    """All loggers of one run."""

    def __init__(self, write: Write, clock: Callable[[], str]) -> None:
        self.write, self.clock = write, clock
        self.loggers: dict[str, Logger] = {}
        self.level, self.form, self.configured = LEVELS["WARNING"], "%(message)s", False

    def get(self, name: str | None = None) -> Logger:
        """Return the logger of a name, always the same one."""
        return self.loggers.setdefault(name or "root", Logger(self, name or "root"))

    def configure(self, *, level: Any = None, format: str = PLAIN, **_: Any) -> None:
        """Set level and form, the first time."""
        if not self.configured:
            self.configured, self.form = True, str(format)
            if level is not None:
                self.level = LEVELS[level] if isinstance(level, str) else int(level)

    def write_one(self, logger: Logger, level: int, message: str) -> None:
        """Write a line, if it is grave enough."""
        if level < (logger.level or self.level):
            return
        word = next((name for name, number in LEVELS.items() if number == level), f"Level {level}")
        told = {"levelname": word, "name": logger.name, "message": message, "asctime": self.clock()}
        try:
            line = self.form % {**told, "filename": "main.py", "module": "main", "lineno": 0, "funcName": ""}
        except (KeyError, ValueError, TypeError):
            line = message
        self.write(line + "\n")

    def names(self) -> dict[str, Any]:
        """Return the names of `logging`."""

        def of_root(name: str) -> Callable:
            def call(*values: Any, **named: Any) -> None:
                self.configure()
                getattr(self.get(), name)(*values, **named)

            call.__name__ = call.__qualname__ = name
            return call

        handlers = dict.fromkeys(("StreamHandler", "FileHandler", "Formatter", "NullHandler"), Handler)
        words = {name: of_root(name) for name in ("log", *(name.lower() for name in LEVELS))}
        return {**LEVELS, **handlers, **words, "getLogger": self.get, "basicConfig": self.configure}


# ----- warnings -----
class Caught:
    """A warning that `catch_warnings(record=True)` kept."""

    __slots__ = ("message", "category", "lineno", "filename")

    def __init__(self, message: Warning, line: int) -> None:
        self.message, self.category, self.lineno = message, type(message), line
        self.filename = "main.py"


class catch_warnings:  # noqa: N801 - Python's own word
    """Keeps the filters as they are; with `record=True` it gives a list of the warnings meanwhile."""

    __slots__ = ("_sg_real", "_sg_record")

    def __init__(self, *, record: bool = False, **_: Any) -> None:
        self._sg_real, self._sg_record = warnings.catch_warnings(), bool(record)

    def __enter__(self) -> list[Caught] | None:
        shown = warnings.showwarning
        self._sg_real.__enter__()
        warnings.showwarning = shown
        if not self._sg_record:
            return None
        kept: list[Caught] = []
        warnings.showwarning = lambda message, category, file, line, *_: kept.append(Caught(message, line))
        return kept

    def __exit__(self, *reason: Any) -> None:
        self._sg_real.__exit__(*reason)


def warning_names() -> dict[str, Any]:
    """Return the names of `warnings`: they act on what the page shows."""

    def simplefilter(action: str, category: Any = Warning, lineno: int = 0, append: bool = False) -> None:
        warnings.simplefilter(action, category, lineno, bool(append))
        _ours()

    def filterwarnings(
        action: str, message: str = "", category: Any = Warning, module: str = "",
        lineno: int = 0, append: bool = False,
    ) -> None:  # fmt: skip
        warnings.filterwarnings(action, message, category, module, lineno, bool(append))
        _ours()

    def resetwarnings() -> None:
        warnings.resetwarnings()
        _ours()

    def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
        warnings.warn(message, category, min(max(int(stacklevel), 1), 100) + 1)

    return {
        "filterwarnings": filterwarnings,
        "simplefilter": simplefilter,
        "resetwarnings": resetwarnings,
        "warn": warn,
        "catch_warnings": catch_warnings,
    }


def _ours() -> None:
    """Keep first what NumPy's warnings come to while the engine computes: PyTorch says nothing of them."""
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"engine\.|numpy")


# ----- contextlib, abc -----
def contextmanager(function: Callable) -> Callable:
    """Make a context manager of a generator function."""
    made = lambda *args, **named: contextlib._GeneratorContextManager(function, args, named)  # noqa: E731
    made.__name__ = made.__qualname__ = getattr(function, "__name__", "contextmanager")
    return made


def abstractmethod(function: Any) -> Any:
    """Mark a method as one that subclasses must define."""
    own = isinstance(function, types.FunctionType) and function.__code__.co_filename == SNIPPET
    return abc.abstractmethod(function) if own else function
