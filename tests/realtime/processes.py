"""`antiphon serve` as a process of its own, of scripted models: what only a real end, or a kill, can show."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import connect

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncGenerator

PATIENCE_S = 60
SCRIPTED = ("--transcriber", "scripted:?text=Hello there.", "--synthesizer", "scripted:")


@dataclass
class Server:
    """A running one."""

    process: Process
    url: str  # ws://…/v1/

    def client(self, query: str = "", **more: Any) -> connect:
        return connect(f"{self.url}realtime?model=m{query}", compression=None, close_timeout=0.5, **more)

    async def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; how the process ended, and what it said to its operator."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE_S):
            _, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, errors.decode()


@asynccontextmanager
async def process(*options: str, system: str = "scripted:echo") -> AsyncGenerator[Server]:
    """`antiphon serve` with these options while the block runs; killed after it, if it still lives."""
    main = "from antiphon.cli.main import main; main()"
    command = [sys.executable, "-c", main, "serve", "--system", system, *SCRIPTED, "--port", "0"]
    run = await asyncio.create_subprocess_exec(
        *command, *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert run.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await run.stdout.readline()).decode()
        assert line, (await run.communicate())[1].decode()
        yield Server(run, line.partition("Realtime clients: ")[2].partition("realtime;")[0])
    finally:
        if run.returncode is None:
            run.kill()
            await run.wait()
