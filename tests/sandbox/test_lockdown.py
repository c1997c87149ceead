"""The process wall stands alone: with the language wall off, a program still reaches nothing."""

from __future__ import annotations

import os
import sys

import pytest

from app.sandbox import lockdown, selftest
from app.sandbox.pool import Pool, isolation
from tests.sandbox import cases

pytestmark = pytest.mark.skipif(not lockdown.can_fork(), reason="only Linux has this wall")
SECRET = "/etc/passwd"

# what a program that has left the language wall behind would try; each must raise, or be killed for it
REACHES = {
    "read a file": f"print('PWNED', open({SECRET!r}).read())",
    "read a file by number": f"import os\nprint('PWNED', os.open({SECRET!r}, os.O_RDONLY))",
    "write a file": "open('/tmp/pwned', 'w')\nprint('PWNED')",
    "list a directory": "import os\nprint('PWNED', os.listdir('/'))",
    "look at a file": f"import os\nprint('PWNED', os.stat({SECRET!r}))",
    "write an array": "import numpy\nnumpy.ones(3).tofile('/tmp/pwned')\nprint('PWNED')",
    "read its own memory": "print('PWNED', open('/proc/self/mem', 'rb'))",
    "open a socket": "import ctypes\nctypes.CDLL(None).socket(2, 1, 0)\nprint('PWNED')",
    "open a socket pair": (
        "import ctypes\nctypes.CDLL(None).socketpair(1, 1, 0, (ctypes.c_int * 2)())\nprint('PWNED')"
    ),
    "start a program": "import os\nos.execv('/bin/sh', ['sh', '-c', 'echo PWNED'])",
    "run a shell": "import ctypes\nassert ctypes.CDLL(None).system(b'true') == 0\nprint('PWNED')",
    "fork": "import os\nos.fork()\nprint('PWNED')",
    "start a thread": "import _thread\n_thread.start_new_thread(print, ('PWNED',))\nsum(range(10 ** 6))",
    "signal its parent": "import os\nos.kill(os.getppid(), 9)\nprint('PWNED')",
    "signal everybody": "import os\nos.kill(-1, 9)\nprint('PWNED')",
    "trace its parent": "import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)\nprint('PWNED')",
    "become root": "import os\nos.setuid(0)\nprint('PWNED')",
    "leave its limits": "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (99, 99))\nprint('PWNED')",
    "make a pipe": "import os\nos.pipe()\nprint('PWNED')",
    "make a memory file": "import os\nos.memfd_create('x')\nprint('PWNED')",
    "make memory executable": "import mmap\nmmap.mmap(-1, 4096, prot=7)\nprint('PWNED')",
    "load a library": "import ctypes\nctypes.CDLL('libresolv.so.2')\nprint('PWNED')",
    "import a file": "import sqlite3\nprint('PWNED')",
    "see other environments": "import os\nprint('PWNED' if {'HOME', 'USER'} & set(os.environ) else 'empty')",
    "find an open descriptor": (
        "import os\nfor fd in range(3, 1000):\n    try:\n        os.write(fd, b'PWNED')\n"
        "        print('wrote', fd)\n    except OSError:\n        pass\nraise SystemExit"
    ),
    "unshare its namespaces": "import ctypes\nctypes.CDLL(None).unshare(0x10000000)\nprint('PWNED')",
}


@pytest.fixture(scope="module")
def unguarded() -> dict[str, dict]:
    """Return the traces of programs that run with the language wall off."""
    return cases.run_all(Pool(size=2, waiting=99, guarded=False), REACHES)


@pytest.mark.parametrize("what", REACHES)
def test_without_the_language_wall_a_program_cannot(what: str, unguarded: dict[str, dict]):
    trace = unguarded[what]
    assert "PWNED" not in cases.printed(trace)
    if what == "see other environments":
        assert cases.printed(trace) == "empty\n"
    elif what != "find an open descriptor":
        assert trace["outcome"]["kind"] in ("error", "limit"), trace["outcome"]


def test_the_language_wall_really_was_off():
    trace = cases.run_one(
        Pool(size=1, guarded=False), "import sys\nprint(().__class__.__mro__, sys.platform)"
    )
    assert "object" in cases.printed(trace) and sys.platform in cases.printed(trace)


def test_reaching_outside_is_called_by_its_name():
    trace = cases.run_one(Pool(size=1, guarded=False), REACHES["open a socket"])
    assert trace["outcome"]["limit"] == "violation"


def test_this_system_gives_full_isolation():
    found = selftest.capabilities()
    assert (found.level, found.missing) == ("full", ())
    assert "seccomp" in found.walls and isolation() == "full"


def test_the_self_test_notices_a_missing_wall(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lockdown, "deny_files", lambda: None)
    monkeypatch.setattr(lockdown, "filter_calls", lambda writable: None)
    assert not selftest.held(selftest.PROBES["reading files"])
    assert not selftest.held(selftest.PROBES["sockets"])
    assert selftest.held(selftest.PROBES["a gigabyte of memory"])


def test_the_wall_holds_for_an_ordinary_user_too():
    child = os.fork()
    if child == 0:  # an ordinary user's process, which then forks the probes' children
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(12345, 12345, 12345)
            os.setresuid(12345, 12345, 12345)
        os._exit(sum(not selftest.held(probe) for probe in selftest.PROBES.values()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_every_other_descriptor_is_closed():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            lockdown.close_all_but({0, 1, 2, writer})
            os.write(writer, ",".join(os.listdir("/proc/self/fd")).encode())
        finally:
            os._exit(0)
    os.close(writer)
    found = {int(fd) for fd in os.read(reader, 4096).split(b",")}
    os.waitpid(child, 0)
    os.close(reader)
    assert len(found - {0, 1, 2, writer}) <= 1  # the one that lists them
