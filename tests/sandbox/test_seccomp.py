"""The filter's decisions on both architectures, by running its program as the kernel would."""

from __future__ import annotations

import struct

import pytest

from app.sandbox import seccomp

WRITABLE, PID = (7, 2), 4242
ANONYMOUS, PRIVATE = 0x20, 2


def decide(architecture: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """Run the filter on one system call and return its verdict."""
    code = list(struct.iter_unpack("HBBI", seccomp.program(architecture, WRITABLE, PID)))
    audit = seccomp.AUDIT[architecture] if audit is None else audit
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number, audit, 0, *words)
    value, here = 0, 0
    while True:
        operation, yes, no, k = code[here]
        here += 1
        match operation:
            case seccomp.LOAD:
                value = struct.unpack_from("<I", data, k)[0]
            case seccomp.RETURN:
                return k
            case seccomp.JUMP_EQUAL:
                here += yes if value == k else no
            case seccomp.JUMP_AT_LEAST:
                here += yes if value >= k else no
            case seccomp.JUMP_SET:
                here += yes if value & k else no


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> tuple[str, int]:
    return request.param, seccomp.COLUMN[request.param]


def test_listed_calls_are_allowed_denied_with_an_error_or_fatal(machine: tuple[str, int]):
    name, column = machine
    for table, verdict in ((seccomp.ALLOWED, seccomp.ALLOW), (seccomp.DENIED, seccomp.EPERM)):
        for call, numbers in table.items():
            if numbers[column] is not None:
                assert decide(name, numbers[column]) == verdict, call
    for number in (41 if column == 0 else 198, 59 if column == 0 else 221, 9999):  # socket, execve, none
        assert decide(name, number) == seccomp.KILL


def test_no_call_stands_in_two_tables():
    for column in (0, 1):
        numbers = [n[column] for table in (seccomp.ALLOWED, seccomp.DENIED) for n in table.values()]
        numbers += [n[column] for n in (seccomp.WRITE, seccomp.MMAP, seccomp.MPROTECT, seccomp.TGKILL)]
        known = [n for n in numbers if n is not None]
        assert len(known) == len(set(known))


def test_writing_goes_to_its_own_pipes_only(machine: tuple[str, int]):
    name, column = machine
    for fd in range(12):
        allowed = seccomp.ALLOW if fd in WRITABLE else seccomp.EPERM
        assert decide(name, seccomp.WRITE[column], fd) == allowed


def test_memory_is_never_executable_and_never_a_file(machine: tuple[str, int]):
    name, column = machine
    plain = PRIVATE | ANONYMOUS
    assert decide(name, seccomp.MMAP[column], 0, 4096, 3, plain) == seccomp.ALLOW
    assert decide(name, seccomp.MMAP[column], 0, 4096, 7, plain) == seccomp.EPERM
    assert decide(name, seccomp.MMAP[column], 0, 4096, 3, PRIVATE) == seccomp.EPERM
    assert decide(name, seccomp.MPROTECT[column], 0, 4096, 3) == seccomp.ALLOW
    assert decide(name, seccomp.MPROTECT[column], 0, 4096, 5) == seccomp.EPERM


def test_it_may_signal_only_itself(machine: tuple[str, int]):
    name, column = machine
    assert decide(name, seccomp.TGKILL[column], PID, PID, 11) == seccomp.ALLOW
    assert decide(name, seccomp.TGKILL[column], 1, 1, 9) == seccomp.EPERM


def test_another_architectures_calls_are_fatal(machine: tuple[str, int]):
    name, _ = machine
    assert decide(name, 1, audit=0x40000003) == seccomp.KILL  # 32-bit x86
    if name == "x86_64":
        assert decide(name, 0x40000000 | 1) == seccomp.KILL  # the x32 ABI
