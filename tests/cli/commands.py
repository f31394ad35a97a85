"""The command line as a user has it: in this process (fast), or in one of its own (to be killed)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

SCRIPTED = (
    "--transcriber", "scripted:", "--scorer", "scripted:?names=distillmos", "--synthesizer", "scripted:",
)  # fmt: skip


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The last line on standard error."""
        return self.err.splitlines()[-1]


def antiphon(*arguments: str | Path) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    assert isinstance(stopped.value.code, int)
    return Done(stopped.value.code, out.getvalue(), err.getvalue())


def start(*arguments: str | Path, before: str = "", **environment: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own; `before` is code that runs in it first."""
    code = f"{before}\nfrom antiphon.cli.main import main\nmain()"
    command = [sys.executable, "-c", code, *(str(argument) for argument in arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


def finish(process: subprocess.Popen[str]) -> Done:
    """Wait for a started command."""
    out, err = process.communicate()
    return Done(process.returncode, out, err)
