"""The guards of a sandbox process: put on before generated code is read, and never taken off.

Each is a wall of its own. `LACKING` says which danger is left when some could not be put on.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from antiphon.envs.sandbox import landlock, seccomp
from antiphon.envs.sandbox.limits import Limits

# What each danger is kept out by: one wall is enough, the others stand behind it.
WALLS: Mapping[str, tuple[str, ...]] = {
    "files": ("seccomp", "landlock"),
    "network": ("seccomp", "namespaces"),
    "processes": ("seccomp",),
    "memory": ("limits",),
}
_OF_LINUX = ("privileges", "namespaces", "landlock", "seccomp")
_NEW_NAMESPACES = 0x10000000 | 0x40000000 | 0x08000000 | 0x04000000  # user, network, IPC, UTS
_NO_NEW_PRIVS, _PARENT_DIES, _DUMPABLE, _KILL = 38, 1, 4, 9
_AUDITED = (
    "open", "socket.", "subprocess.", "os.", "ctypes.", "shutil.", "signal.", "mmap.", "fcntl.", "urllib.", "ftplib.",
    "http.", "smtplib.", "sqlite3.", "webbrowser.", "pty.", "syslog.", "resource.", "marshal.", "gc.",
)  # fmt: skip


def lacking(on: Collection[str]) -> list[str]:
    """The dangers that no guard keeps out."""
    return [danger for danger, walls in WALLS.items() if not set(walls) & set(on)]


def in_words(guards: Mapping[str, str]) -> str:
    """Which guards are on, and why others are not, in one line."""
    on = ", ".join(name for name, why in guards.items() if not why) or "none"
    off = "; ".join(f"without {name}: {why}" for name, why in guards.items() if why)
    return f"{on}; {off}" if off else on


def lock_down(limits: Limits, without: Collection[str] = ()) -> dict[str, str]:
    """Put on every guard that this system has, but for those in `without`. Name → "" or why it is not on.

    Raises RuntimeError in a process that has threads: a guard would not hold them.
    """
    if _threads() > 1:
        raise RuntimeError("a process with threads cannot be locked down")
    steps: dict[str, Callable[[], object]] = {
        "privileges": _no_privileges,
        "limits": lambda: _limit(limits),
        "namespaces": _namespaces,
        "landlock": landlock.enter,
        "seccomp": seccomp.enter,  # after those that need calls which it forbids
        "audit": _audit,  # last: it forbids what the others are made with
    }
    found: dict[str, str] = {}
    for name, enter in steps.items():
        if name in without:
            found[name] = "left out"
            continue
        if name in _OF_LINUX and sys.platform != "linux":
            found[name] = "Linux only"
            continue
        try:
            enter()
            found[name] = ""
        except (OSError, ValueError, AttributeError) as error:  # AttributeError: no such call on this system
            found[name] = str(error) or type(error).__name__
    return found


def _threads() -> int:
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if (
        libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
        != 0
    ):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _no_privileges() -> None:
    _prctl(_PARENT_DIES, _KILL)
    _prctl(_NO_NEW_PRIVS, 1)
    _prctl(_DUMPABLE, 0)


def _limit(limits: Limits) -> None:
    bounds = {
        resource.RLIMIT_AS: limits.memory_mb << 20,
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for what, value in bounds.items():
        resource.setrlimit(what, (value, value))


def _namespaces() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NAMESPACES) != 0:
        raise OSError(ctypes.get_errno(), "unshare is not allowed here")


def _audit() -> None:
    """Defence in depth, and the words: "open is not allowed in the sandbox". A hook cannot be taken off, but
    it is Python, and code that corrupts the interpreter passes it; the kernel's guards do not depend on it."""

    def refuse(event: str, _: object) -> None:
        if event.startswith(_AUDITED):
            raise PermissionError(f"{event} is not allowed in the sandbox")

    sys.addaudithook(refuse)
