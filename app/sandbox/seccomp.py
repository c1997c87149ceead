"""The list of system calls a locked-down child may still make, as a BPF program. Pure: numbers in, bytes out.

Unlisted calls kill the process, so that the parent sees an attempt to reach outside; calls that an innocent
interpreter may try are answered with EPERM instead. Numbers are the kernel's ABI (x86-64, arm64).
"""

from __future__ import annotations

import struct

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}

# name: (x86-64, arm64); None where the architecture has no such call
ALLOWED = {
    "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216), "madvise": (28, 233),
    "rt_sigreturn": (15, 139), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "futex": (202, 98), "clock_gettime": (228, 113), "gettimeofday": (96, 169), "setitimer": (38, 103),
    "sched_yield": (24, 124), "getpid": (39, 172), "gettid": (186, 178), "getrandom": (318, 278),
    "exit": (60, 93), "exit_group": (231, 94), "restart_syscall": (219, 128), "sigaltstack": (131, 132),
    "get_robust_list": (274, 100), "rseq": (334, 293), "getrusage": (98, 165), "close": (3, 57),
}  # fmt: skip
DENIED = {
    "open": (2, None), "openat": (257, 56), "openat2": (437, 437), "stat": (4, None),
    "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, None),
    "readlinkat": (267, 78), "getcwd": (79, 17), "ioctl": (16, 29), "lseek": (8, 62),
    "fcntl": (72, 25), "getdents64": (217, 61), "uname": (63, 160), "sysinfo": (99, 179),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getppid": (110, 173), "sched_getaffinity": (204, 123), "clone": (56, 220),
    "clone3": (435, 435), "fork": (57, None), "vfork": (58, None), "prlimit64": (302, 261),
    "prctl": (157, 167), "dup": (32, 23), "pipe2": (293, 59), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "read": (0, 63), "pread64": (17, 67), "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115), "kill": (62, 129), "set_robust_list": (273, 99),
    "membarrier": (324, 283),
}  # fmt: skip
WRITE, MMAP, MPROTECT, TGKILL = (1, 64), (9, 222), (10, 226), (234, 131)

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
KILL, ALLOW, EPERM = 0x80000000, 0x7FFF0000, 0x00050001
NUMBER, ARCHITECTURE = 0, 4  # offsets in the kernel's struct seccomp_data
PROT_EXEC, MAP_ANONYMOUS = 4, 0x20
X32 = 0x40000000

Instruction = tuple[int, int, int, int]


def argument(index: int) -> int:
    """Return the offset of the low half of a system call's argument (little-endian)."""
    return 16 + 8 * index


def program(architecture: str, writable: tuple[int, ...], pid: int) -> bytes:
    """Return the filter for one child: it may write to these descriptors, and signal only itself."""
    column = COLUMN[architecture]
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, AUDIT[architecture]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if architecture == "x86_64":
        code += [(JUMP_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    code += _one_of(WRITE[column], 0, writable)
    code += _no_new_code(MMAP[column], anonymous=True)
    code += _no_new_code(MPROTECT[column], anonymous=False)
    code += _one_of(TGKILL[column], 0, (pid,))
    for table, answer in ((ALLOWED, ALLOW), (DENIED, EPERM)):
        for numbers in table.values():
            if numbers[column] is not None:
                code += [(JUMP_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, answer)]
    code.append((RETURN, 0, 0, KILL))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _one_of(number: int, index: int, values: tuple[int, ...]) -> list[Instruction]:
    """Allow a call whose argument is one of a few values, answer EPERM to the rest."""
    tests = [(JUMP_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    body = [(LOAD, 0, 0, argument(index)), *tests, (RETURN, 0, 0, EPERM), (RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _no_new_code(number: int, anonymous: bool) -> list[Instruction]:
    """Allow memory that is not executable (and, for mmap, no file)."""
    body: list[Instruction] = [(LOAD, 0, 0, argument(2)), (JUMP_SET, 0, 1, PROT_EXEC), (RETURN, 0, 0, EPERM)]
    if anonymous:
        body += [(LOAD, 0, 0, argument(3)), (JUMP_SET, 1, 0, MAP_ANONYMOUS), (RETURN, 0, 0, EPERM)]
    body.append((RETURN, 0, 0, ALLOW))
    return [(JUMP_EQUAL, 0, len(body), number), *body]
