"""A client whose loudspeaker and microphone stand in one room, against a live server."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.signal import oaconvolve

from antiphon.audio.aec import Aec3
from antiphon.audio.rooms import impulse_response
from antiphon.audio.vad import Vad
from antiphon.clock import RealClock
from antiphon.errors import UnavailableError
from antiphon.models.catalog import open_synthesizer
from antiphon.models.scripted import Line
from tests.realtime.serving import RATE_HZ, Client, append, served, stack

if TYPE_CHECKING:
    from antiphon.realtime.server.stack import Stack

ANSWER = "The library opens at nine in the morning on every weekday, and at ten on Saturdays."
FRAME = RATE_HZ // 50
FAR_FIELD = {
    "type": "session.update",
    "session": {"type": "realtime", "audio": {"input": {"noise_reduction": {"type": "far_field"}}}},
}


class Room:
    """Plays what arrives, one after the other; the microphone hears it 100 ms later, 10 dB softer, with the room."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self._played = np.zeros(RATE_HZ * 60)
        self._free_s = 0.0
        self._answer = impulse_response(0.3, 0.5, RATE_HZ)
        self.events: list[dict[str, Any]] = []

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]

    async def play(self) -> None:
        async for text in self._client.socket:
            event = json.loads(text)
            self.events.append(event)
            if event["type"] == "response.output_audio.delta":
                sound = np.frombuffer(base64.b64decode(event["delta"]), dtype="<i2") / 32768
                at_s = max(self._free_s, self._loop.time() - self._began_s)
                at = int(at_s * RATE_HZ)
                self._played[at : at + len(sound)] = sound
                self._free_s = at_s + len(sound) / RATE_HZ

    async def hear(self) -> None:
        noise = np.random.default_rng(1)
        due_s = self._loop.time()
        while True:
            end = max(FRAME, int((due_s - self._began_s - 0.1) * RATE_HZ))
            near = self._played[max(0, end - RATE_HZ // 2) : end]
            echo = 10 ** (-10 / 20) * oaconvolve(near, self._answer)[: len(near)][-FRAME:]
            samples = echo + 10 ** (-65 / 20) * noise.standard_normal(FRAME)
            await self._client.send(append((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()))
            due_s += 0.02
            await asyncio.sleep(max(0.0, due_s - self._loop.time()))


async def talked(made: Stack, *, far_field: bool) -> Room:
    """The room after one answer was over, or cut."""
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        if far_field:
            await client.send(FAR_FIELD)
        await client.type("When does it open?")
        room = Room(client)
        work = [asyncio.create_task(room.play()), asyncio.create_task(room.hear())]
        async with asyncio.timeout(30):
            while not room.of("duplex.said"):  # noqa: ASYNC110 - the events come in another task
                await asyncio.sleep(0.05)
        for task in work:
            task.cancel()
    return room


@pytest.mark.slow
@pytest.mark.parametrize("far_field", [False, True])
async def test_an_agent_that_hears_itself_interrupts_itself_unless_its_echo_is_cancelled(far_field):
    pytest.importorskip("livekit.rtc.apm", reason="pip install 'antiphon[echo]'")
    try:
        voice = open_synthesizer("espeak:en-us", RealClock())
    except UnavailableError as error:
        pytest.skip(str(error))
    made = stack([Line(text=ANSWER)], synthesizer=voice)
    room = await talked(
        replace(made, parts=replace(made.parts, detector=Vad, canceller=Aec3)), far_field=far_field
    )
    (said,) = room.of("duplex.said")
    assert said["finish"] == ("stop" if far_field else "interrupted")
    assert bool(room.of("duplex.speech")) is not far_field


async def test_input_that_clips_is_told_and_counted():
    async with served() as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.send(append(np.full(RATE_HZ * 2, 32767, "<i2").tobytes()))
        levels = [await client.until("duplex.level") for _ in range(3)]
        assert [(level["dbfs"], round(level["clipped"], 2), level["problem"]) for level in levels] == [
            (0.0, 1.0, "clipping"),
            (0.0, 1.0, None),
            (0.0, 1.0, None),
        ]
        assert server.hall.meter.counts["input_problems", "problem", "clipping"] == 1
        assert 'antiphon_input_problems_total{problem="clipping"} 1' in server.hall.meter.text()
