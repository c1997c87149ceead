"""The process wall: a forked child gives up everything it does not need, for good. Linux; less elsewhere.

Resource limits, an unprivileged user, no new privileges, Landlock, seccomp: each through ctypes on the C
library, as root and as an ordinary user alike. `confine` must run before the program's text is even parsed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import sys

from app.sandbox import seccomp
from app.sandbox.limits import Limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

NOBODY = 65534
STACK = 8 << 20
NICENESS = 5  # the server and its workers come first

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 446
# highest access right of the file system that each version of Landlock knows; net from 4, scopes from 6
LANDLOCK_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}

LINUX = sys.platform == "linux"


def _library() -> ctypes.CDLL | None:
    if not LINUX:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    library.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return library


LIBC = _library()  # resolved before any child is locked down


class Filter(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def can_fork() -> bool:
    """Return whether runs are forked from a warm parent here; elsewhere each has a process of its own."""
    return LINUX


def confine(output: int, errors: int, parent: int, limits: Limits) -> None:
    """Lock the calling child down, in the order in which each step still may do what it needs.

    It keeps the pipe `output`, and the pipe `errors` as its standard error; nothing else it could write to.
    Raises OSError if a wall that this system has cannot be raised: such a child must not go on.
    """
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for standard, descriptor in enumerate((null, null, errors)):
        os.dup2(descriptor, standard)
    close_all_but({0, 1, 2, output})
    with contextlib.suppress(OSError):
        offer_to_the_killer()
        os.nice(NICENESS)
    restrict_resources(limits)
    become_nobody()
    if not LINUX:
        return
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    _prctl(PR_SET_DUMPABLE, 0)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    if landlock_version():
        deny_files()
    if has_seccomp():
        filter_calls((output, 2))


def close_all_but(kept: set[int]) -> None:
    """Close every descriptor that is not kept."""
    edges = [-1, *sorted(kept), 1 << 16]
    for left, right in zip(edges, edges[1:], strict=False):
        if right > left + 1:
            os.closerange(left + 1, right)


def offer_to_the_killer() -> None:
    """When memory runs out, let the kernel take this process and no other."""
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    try:
        os.write(fd, b"1000")
    finally:
        os.close(fd)


def restrict_resources(limits: Limits) -> None:
    """Set every resource limit this system knows; best effort where it refuses one."""
    if resource is None:
        return
    table = {
        "AS": (limits.memory, limits.memory),
        "CPU": (limits.cpu, limits.cpu + 1),
        "STACK": (STACK, STACK),
        "FSIZE": (0, 0),
        "NPROC": (0, 0),
        "CORE": (0, 0),
        "MEMLOCK": (0, 0),
        "MSGQUEUE": (0, 0),
        "NOFILE": (16, 16),
    }
    for name, bounds in table.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is not None:
            _set_limit(number, bounds)


def _set_limit(number: int, bounds: tuple[int, int]) -> None:
    """Set one limit, or as much of it as an inherited hard limit leaves."""
    try:
        resource.setrlimit(number, bounds)
    except ValueError:  # the hard limit is lower already
        hard = resource.getrlimit(number)[1]
        if not LINUX:
            return
        resource.setrlimit(number, (min(bounds[0], hard), hard))


def become_nobody() -> None:
    """Leave root for good; an ordinary user stays who they are."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def landlock_version() -> int:
    """Return the kernel's version of Landlock, 0 if it has none."""
    if LIBC is None:
        return 0
    return max(0, _syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def deny_files() -> None:
    """Deny the whole file system, the network and signals to others, by Landlock."""
    version = landlock_version()
    files = (1 << LANDLOCK_RIGHTS.get(version, 16)) - 1
    net, scopes = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = ctypes.create_string_buffer(struct.pack("QQQ", files, net, scopes)[:size], size)
    fd = _checked(_syscall(LANDLOCK_CREATE, rules, ctypes.c_size_t(size), ctypes.c_uint(0)), "landlock")
    _checked(_syscall(LANDLOCK_RESTRICT, ctypes.c_int(fd), ctypes.c_uint(0)), "landlock")
    os.close(fd)


def has_seccomp() -> bool:
    """Return whether system calls can be filtered: the kernel complains about a missing filter only if so."""
    if LIBC is None or platform.machine() not in seccomp.COLUMN:
        return False
    return LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0, 0, 0) < 0 and ctypes.get_errno() == errno.EFAULT


def filter_calls(writable: tuple[int, ...]) -> None:
    """Install the seccomp filter; what comes after is the program's, and needs no more than it allows."""
    program = seccomp.program(platform.machine(), writable, os.getpid())
    code = ctypes.create_string_buffer(program, len(program))
    header = Filter(len(program) // 8, ctypes.addressof(code))
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(header))


def _prctl(option: int, value: int, pointer: int = 0) -> None:
    _checked(LIBC.prctl(option, value, pointer, 0, 0), f"prctl {option}")


def _syscall(number: int, *arguments: object) -> int:
    return LIBC.syscall(ctypes.c_long(number), *arguments)


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result
