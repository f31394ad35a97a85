"""A seccomp filter: the few system calls that pure computation needs; every other one fails with EPERM.

No call opens a file, a socket, a process or a signal, so none of these can be had, whatever the code is. New
executable memory cannot be mapped, so no native library can be loaded. Source: seccomp(2), linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Sequence

# The numbers, in this order, of read write close fstat lseek munmap brk mremap madvise sched_yield rt_sigprocmask
# rt_sigreturn sigaltstack futex clock_gettime clock_getres gettimeofday getrandom getpid gettid getuid geteuid
# getgid getegid rseq restart_syscall exit exit_group, and time (x86_64 only).
_ALLOWED = {
    "x86_64": (
        0, 1, 3, 5, 8, 11, 12, 25, 28, 24, 14, 15, 131, 202, 228, 229, 96, 318, 39, 186, 102, 107, 104, 108,
        334, 219, 60, 231, 201,
    ),
    "aarch64": (
        63, 64, 57, 80, 62, 215, 214, 216, 233, 124, 135, 139, 132, 98, 113, 114, 169, 278, 172, 178, 174, 175,
        176, 177, 293, 128, 93, 94,
    ),
}  # fmt: skip
_MAPPING = {"x86_64": (9, 10), "aarch64": (222, 226)}  # mmap, mprotect: allowed without PROT_EXEC
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_X32 = 0x40000000  # the other numbering of x86_64

_LOAD, _JEQ, _JGE, _JSET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_DENY = 0x00050000 | errno.EPERM
_NUMBER, _ARCH, _THIRD_ARGUMENT = 0, 4, 32  # offsets in struct seccomp_data; the low half of args[2]
_PROT_EXEC = 4
_SET_MODE_FILTER, _ALL_THREADS = 1, 1


def program(machine: str) -> bytes:
    """The filter as BPF instructions. Raises KeyError for a machine whose numbers are not listed."""
    allowed, mapping = _ALLOWED[machine], _MAPPING[machine]
    lines = [
        _line(_LOAD, 0, 0, _ARCH),
        _line(_JEQ, 1, 0, _AUDIT_ARCH[machine]),
        _line(_RETURN, 0, 0, _KILL),
        _line(_LOAD, 0, 0, _NUMBER),
        _line(_JGE, 0, 1, _X32),
        _line(_RETURN, 0, 0, _KILL),
    ]
    for number in mapping:
        lines += [
            _line(_JEQ, 0, 4, number),
            _line(_LOAD, 0, 0, _THIRD_ARGUMENT),
            _line(_JSET, 0, 1, _PROT_EXEC),
            _line(_RETURN, 0, 0, _DENY),
            _line(_RETURN, 0, 0, _ALLOW),
        ]
    for number in allowed:
        lines += [_line(_JEQ, 0, 1, number), _line(_RETURN, 0, 0, _ALLOW)]
    return b"".join([*lines, _line(_RETURN, 0, 0, _DENY)])


def _line(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def enter() -> None:
    """Put every thread of this process under the filter, for good. Raises OSError where that cannot be.

    `no_new_privs` must be set.
    """
    machine = platform.machine()
    if machine not in _ALLOWED:
        raise OSError(errno.ENOSYS, f"no filter for {machine}; there are: {', '.join(_ALLOWED)}")
    code = program(machine)
    lines = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(lines))
    _call(_SECCOMP[machine], (_SET_MODE_FILTER, _ALL_THREADS, ctypes.create_string_buffer(head, len(head))))


def _call(number: int, arguments: Sequence[object]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, str(code)))
