from __future__ import annotations

import struct

import pytest

from antiphon.envs.sandbox import seccomp

ALLOW, KILL, DENY = 0x7FFF0000, 0x80000000, 0x00050001
X86, ARM = 0xC000003E, 0xC00000B7


def judged(machine: str, number: int, *, arch: int, third: int = 0) -> int:
    """The filter's answer, by a small interpreter of the instructions that it uses."""
    code = seccomp.program(machine)
    lines = [struct.unpack_from("HBBI", code, at) for at in range(0, len(code), 8)]
    data = struct.pack("IIQQQQQQQ", number, arch, 0, 0, 0, third, 0, 0, 0)
    at = value = 0
    while True:
        operation, if_true, if_false, k = lines[at]
        at += 1
        if operation == 0x06:
            return k
        if operation == 0x20:
            (value,) = struct.unpack_from("I", data, k)
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[operation]
            at += if_true if holds else if_false


@pytest.mark.parametrize(
    ("machine", "arch", "number"),
    [
        ("x86_64", X86, 0),
        ("x86_64", X86, 1),
        ("x86_64", X86, 202),
        ("aarch64", ARM, 63),
        ("aarch64", ARM, 94),
    ],
)
def test_computation_is_allowed(machine: str, arch: int, number: int):
    assert judged(machine, number, arch=arch) == ALLOW


# open, socket, clone, execve, kill, ptrace, prctl, openat, prlimit64, io_uring_setup; then those of aarch64.
@pytest.mark.parametrize("number", [2, 41, 56, 59, 62, 101, 157, 257, 302, 425, 16, 35, 4, 13, 262])
def test_everything_else_is_denied_on_x86_64(number: int):
    assert judged("x86_64", number, arch=X86) == DENY


@pytest.mark.parametrize("number", [56, 198, 220, 221, 129, 117, 167, 261, 425, 29, 115, 79])
def test_everything_else_is_denied_on_aarch64(number: int):
    assert judged("aarch64", number, arch=ARM) == DENY


@pytest.mark.parametrize(("machine", "arch", "number"), [("x86_64", X86, 9), ("aarch64", ARM, 226)])
def test_memory_can_be_mapped_but_not_to_run(machine: str, arch: int, number: int):
    assert judged(machine, number, arch=arch, third=3) == ALLOW
    assert judged(machine, number, arch=arch, third=7) == DENY


def test_another_numbering_ends_the_process():
    assert judged("x86_64", 0, arch=0x40000003) == KILL
    assert judged("x86_64", 0x40000000, arch=X86) == KILL
    assert judged("aarch64", 63, arch=X86) == KILL


def test_a_machine_without_numbers_has_no_filter(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(OSError, match="no filter for riscv64; there are: x86_64, aarch64"):
        seccomp.enter()
