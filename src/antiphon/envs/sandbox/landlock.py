"""Landlock: no file can be opened, made, moved or run below any folder. Source: landlock(7)."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_CREATE, _RESTRICT = 444, 446  # the same numbers on every machine
_VERSION = 1
# Every right on files that a version of the interface knows.
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_TCP = 0b11  # bind and connect, from version 4
_SCOPE = 0b11  # abstract sockets and signals to others, from version 6


def enter() -> int:
    """Deny this thread every right on files, and TCP where the kernel can; gives the interface's version.

    Raises OSError where the kernel has no Landlock. `no_new_privs` must be set.
    """
    version = _call(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    head = struct.pack("Q", _RIGHTS[min(version, max(_RIGHTS))])
    if version >= 4:
        head += struct.pack("Q", _TCP)
    if version >= 6:
        head += struct.pack("Q", _SCOPE)
    rules = _call(_CREATE, ctypes.create_string_buffer(head, len(head)), ctypes.c_size_t(len(head)), 0)
    try:
        _call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return version


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    found = int(libc.syscall(number, *arguments))
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, str(code)))
    return found
