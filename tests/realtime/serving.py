"""A live server on the loopback, of scripted models and the real engine, and people who speak in bursts of noise."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from websockets.asyncio.client import connect

from antiphon.clock import RealClock
from antiphon.models.scripted import Line, Manner, ScriptedChat
from antiphon.models.scripted_instruments import ScriptedSynthesizer, ScriptedTranscriber
from antiphon.realtime.live.hearing import EnergyVad
from antiphon.realtime.live.ports import Parts
from antiphon.realtime.live.renderer import Renderer
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.server.gate import Gate
from antiphon.realtime.server.server import Hall, server_of
from antiphon.realtime.server.stack import GOING_AWAY, Limits, Stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    import uvicorn
    from websockets.asyncio.client import ClientConnection

    from antiphon.models.ports import Chat, Chunk, Request, Synthesizer, Transcriber

ANSWER = (
    "This is the first sentence of my answer. And this is the second one, which is longer. Here is a third."
)
RATE_HZ = 24_000
PATIENCE_S = 15


@dataclass
class Served:
    """A running server."""

    hall: Hall
    port: int
    server: uvicorn.Server

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1"

    def client(self, query: str = "", **more: Any) -> connect:
        return connect(f"{self.url}/realtime?model=m{query}", compression=None, close_timeout=0.5, **more)


class Noting(ScriptedChat):
    """A scripted model that keeps what it was asked for."""

    def __init__(self, *lines: Line, piece_chars: int = 12) -> None:
        super().__init__("noting", lines, RealClock(), Manner(piece_chars=piece_chars))
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        async for chunk in super().stream(request):
            yield chunk

    def asked(self, at: int = -1) -> list[tuple[str, str]]:
        """Who said what in one request."""
        return [(each.role, each.text) for each in self.requests[at].messages]


def stack(
    lines: Sequence[Line] = (Line(text=ANSWER),),
    *,
    transcriber: Transcriber | None = None,
    synthesizer: Synthesizer | None = None,
    chat: Chat | None = None,
    policy: str = "default",
) -> Stack:
    clock = RealClock()

    parts = Parts(
        transcriber or ScriptedTranscriber(clock, default="Please tell me about the library."),
        chat or ScriptedChat("script", lines, clock, Manner(piece_chars=12)),
        Renderer(synthesizer or ScriptedSynthesizer(clock)),
        EnergyVad,
    )
    return Stack("scripted: test", parts, policy_named(policy), lambda _: "", clock)


@asynccontextmanager
async def served(
    made: Stack | None = None, limits: Limits | None = None, gate: Gate | None = None
) -> AsyncGenerator[Served]:
    """A server while the block runs; on leaving it, no session of it is left over."""
    hall = Hall(made or stack(), gate or Gate(None), limits or Limits())
    listener = socket.create_server(("127.0.0.1", 0))
    server = server_of(hall)
    running = asyncio.create_task(server.serve([listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event to wait for
        await asyncio.sleep(0.01)
    try:
        yield Served(hall, listener.getsockname()[1], server)
    finally:
        for session in hall.sessions:
            if session.presence.token is not None:  # its client may have gone without a word
                session.end(GOING_AWAY, "the test is over")
        server.should_exit = True
        await asyncio.wait_for(running, PATIENCE_S)
    assert hall.sessions == set()


def noise(ms: int, rate_hz: int = RATE_HZ) -> bytes:
    """A burst that the energy detector takes for speech."""
    samples = np.random.default_rng(7).normal(0, 0.1, ms * rate_hz // 1000)
    return (samples * 32767).astype("<i2").tobytes()


def quiet(ms: int, rate_hz: int = RATE_HZ) -> bytes:
    return bytes(2 * ms * rate_hz // 1000)


def append(pcm: bytes) -> dict[str, Any]:
    return {"type": "input_audio_buffer.append", "audio": base64.b64encode(pcm).decode()}


def said(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """A message as an item."""
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return {"type": "message", "role": role, "content": [part], **more}


class Person:
    """A microphone that sends 20 ms frames in real time: quiet, unless told to `say` something."""

    def __init__(self, send: Any, rate_hz: int = RATE_HZ) -> None:
        self._send, self._size, self._rate_hz = send, 2 * rate_hz // 50, rate_hz
        self._words = bytearray()

    def say(self, ms: int) -> None:
        self._words += noise(ms, self._rate_hz)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            frame = bytes(self._words[: self._size]).ljust(self._size, b"\0")
            del self._words[: self._size]
            await self._send(append(frame))
            due += 0.02
            await asyncio.sleep(max(0.0, due - loop.time()))


class Client:
    """A raw client: events out, and those that came in kept in order."""

    def __init__(self, socket_: ClientConnection) -> None:
        self.socket = socket_
        self.events: list[dict[str, Any]] = []

    async def send(self, event: dict[str, Any]) -> None:
        await self.socket.send(json.dumps(event))

    async def until(self, kind: str, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The next event of this kind; what comes before it is kept too."""
        async with asyncio.timeout(patience_s):
            while True:
                event = await self.until_any()
                if event["type"] == kind:
                    return event

    async def until_any(self) -> dict[str, Any]:
        """The next event."""
        event = json.loads(await self.socket.recv())
        self.events.append(event)
        return event

    def kinds(self) -> list[str]:
        """The kinds of all events, repetitions once."""
        kinds = [event["type"] for event in self.events]
        return [kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] != kind]

    def sound(self) -> bytes:
        deltas = [event["delta"] for event in self.events if event["type"] == "response.output_audio.delta"]
        return b"".join(base64.b64decode(delta) for delta in deltas)

    async def create(self, item: dict[str, Any], **more: Any) -> None:
        await self.send({"type": "conversation.item.create", "item": item, **more})

    async def type(self, text: str) -> None:
        await self.create(said(text))
        await self.send({"type": "response.create"})

    async def set(self, **session: Any) -> None:
        """Change the session, and wait until the change holds."""
        await self.send({"type": "session.update", "session": {"type": "realtime", **session}})
        await self.until("session.updated")

    async def respond(self, **options: Any) -> dict[str, Any]:
        """Ask for a response, and wait until it is done."""
        await self.send({"type": "response.create", "response": options})
        return (await self.until("response.done"))["response"]

    async def error(self) -> tuple[str | None, str | None, str]:
        """The code, the field and the message of the next error."""
        error = (await self.until("error"))["error"]
        return error.get("code"), error.get("param"), error["message"]
