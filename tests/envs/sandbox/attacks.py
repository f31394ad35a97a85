"""A generated file with one tool that runs any code, for the tests of what such code can do."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from antiphon.envs.execute import Outcome, execute
from antiphon.envs.sandbox.limits import Limits
from antiphon.envs.sandbox.process import Sandbox

DB: dict[str, Any] = {"current_date": "2026-08-12", "notes": {"N1": "kept"}}
SOURCE = '''"""Anything."""
import sys
from typing import Any

seen = 0


def run(db: dict[str, Any], code: str) -> dict[str, Any]:
    """Run code; what it leaves in `result` comes back.

    Args:
        code: Python
    """
    scope = {"db": db, "result": None, "libc": _libc}
    exec(code, scope)
    return {"result": scope["result"]}


def _libc():
    """The C library, through a reference that was forgotten in a module."""
    return sys.modules["antiphon.envs.sandbox.seccomp"].ctypes.CDLL(None, use_errno=True)
'''
SMALL = Limits(memory_mb=256, call_s=1.0)


def attacks(
    folder: Path, *codes: str, without: Collection[str] = (), limits: Limits = SMALL
) -> list[Outcome]:
    """Run one code after the other in one sandbox, each on the same document."""
    path = folder / "tools.py"
    path.write_text(SOURCE, encoding="utf-8")
    with Sandbox(limits, without=without, allow_weak=bool(without)) as sandbox:
        tools = sandbox.read(path, {})
        return [execute(tools, DB, "run", {"code": code}) for code in codes]


def attack(folder: Path, code: str, *, without: Collection[str] = ()) -> Outcome:
    """Run one code in a sandbox of its own."""
    return attacks(folder, code, without=without)[0]
