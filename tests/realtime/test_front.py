"""The audio front end at work in a driver."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.models.scripted_instruments import ScriptedSynthesizer, ScriptedTranscriber
from antiphon.realtime import events
from antiphon.realtime.driver import Driver
from antiphon.realtime.hearing import EnergyVad, Manner
from antiphon.realtime.ports import Manners, Parts
from antiphon.realtime.renderer import Renderer
from tests.realtime.serving import noise
from tests.realtime.test_driver import Listening, Notes, Told

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

HZ = 16_000


@asynccontextmanager
async def running(engine: Told, *, echo: bool = False, **more: Any) -> AsyncGenerator[tuple[Driver, Notes]]:
    clock, notes = RealClock(), Notes()
    parts = Parts(
        ScriptedTranscriber(clock, default="When?"),
        Listening(),
        Renderer(ScriptedSynthesizer(clock)),
        EnergyVad,
        **more,
    )
    driver = Driver(engine, parts, clock, notes, Manners(system=lambda _: "", echo=echo), Manner())
    work = asyncio.create_task(driver.run())
    try:
        yield driver, notes
    finally:
        driver.close()
        await work


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - the condition is the test's
            await asyncio.sleep(0.005)


class Nothing:
    """A canceller to whom all sound is echo; it keeps what was played."""

    def __init__(self) -> None:
        self.far = b""

    def cancel(self, near: bytes, far: bytes) -> bytes:
        self.far += far
        return bytes(len(near))


async def starts(*, echo: bool) -> tuple[int, bool]:
    """How often somebody began to speak while the agent did, and whether the canceller was given its voice."""
    nothing = Nothing()
    engine = Told(
        Typed=lambda _: [
            events.Render("r", 1, "item", "A rather long clause of many words."),
            events.Play("item"),
        ]
    )
    async with running(engine, echo=echo, canceller=lambda: nothing) as (driver, _):
        driver.desk.put(events.Typed, "hello")
        await until(lambda: engine.of(events.Sent))
        for _ in range(20):
            await asyncio.sleep(0.02)
            driver.hear(noise(20, HZ))
    return len(engine.of(events.SpeechStarted)), any(nothing.far)


async def test_an_echo_begins_no_utterance_where_it_is_cancelled():
    assert await starts(echo=True) == (0, True)
    assert await starts(echo=False) == (1, False)
