"""One case of one client, run with that client's own Python: `python CLIENT.py CASE URL PERSON OUT`.

CASE is text, audio, tool, interruption or cancel. URL is the server's, `ws://HOST:PORT/v1`. PERSON is a file of 24 kHz
int16 sound, what somebody says. The client writes the agent's sound to OUT.pcm and what it saw to OUT.json.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FRAME = 960  # bytes: 20 ms at 24 kHz
PATIENCE_S = 40
TOOL = {
    "type": "function", "name": "hours", "description": "Opening hours of one day",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
}  # fmt: skip
QUESTION = "When do you open?"
TOOL_QUESTION = "What are the hours on Monday?"
LONG_QUESTION = "Tell me everything."
RESULT = "from nine to five"


@dataclass
class Seen:
    """What a client's user gets to see. `ends` are pairs of a response's status and its reason."""

    texts: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    tools: list[dict[str, Any]] = field(default_factory=list)
    ends: list[list[str | None]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    interrupted: int = 0
    audio: bytearray = field(default_factory=bytearray)

    def ended(self, response: Any) -> None:
        details = response.status_details
        self.ends.append([response.status, details.reason if details is not None else None])

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for something to be seen."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # noqa: ASYNC110 - clients call back as they like
                await asyncio.sleep(0.02)


@dataclass(frozen=True)
class Case:
    name: str
    url: str
    person: bytes

    async def speech(self) -> AsyncGenerator[bytes, None]:
        """What somebody says, in real time and with silence around it, for as long as it is asked for."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        frames = [bytes(FRAME)] * 15 + [
            self.person[at : at + FRAME] for at in range(0, len(self.person), FRAME)
        ]
        at = 0
        while True:
            yield frames[at].ljust(FRAME, b"\0") if at < len(frames) else bytes(FRAME)
            at += 1
            due += 0.02
            await asyncio.sleep(max(0.0, due - loop.time()))


Step = Callable[[], Coroutine[Any, Any, None]]


async def converse(
    case: Case, seen: Seen, ask: Callable[[str], Coroutine[Any, Any, None]], speak: Step, stop: Step
) -> None:
    """The case in a client's own words: it writes a question, sends what somebody says, or stops the answer."""
    questions = {
        "text": QUESTION,
        "tool": TOOL_QUESTION,
        "interruption": LONG_QUESTION,
        "cancel": LONG_QUESTION,
    }
    if case.name in questions:
        await ask(questions[case.name])
    if case.name in ("interruption", "cancel"):
        await seen.until(lambda: len(seen.audio) > 0)
    speaking = asyncio.create_task(speak()) if case.name in ("audio", "interruption") else None
    if case.name == "cancel":
        await stop()
        await seen.until(lambda: len(seen.ends) == 1)
        await ask(QUESTION)
    await seen.until(lambda: len(seen.ends) == (1 if case.name in ("text", "audio") else 2))
    await asyncio.sleep(0.5)  # a client's history follows the events
    if speaking is not None:
        speaking.cancel()
        await asyncio.wait([speaking])


def main(run: Callable[[Case, Seen], Awaitable[None]]) -> None:
    """Run the case of the command line, and keep what was seen whatever happens."""
    name, url, person, out = sys.argv[1:]
    seen = Seen()
    try:
        asyncio.run(run(Case(name, url, Path(person).read_bytes()), seen))
    finally:
        kept = asdict(seen)
        Path(f"{out}.pcm").write_bytes(kept.pop("audio"))
        Path(f"{out}.json").write_text(json.dumps(kept), "utf-8")
