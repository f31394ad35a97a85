"""The audio front end at work in a driver."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.models.scripted_instruments import ScriptedSynthesizer, ScriptedTranscriber
from antiphon.realtime import events
from antiphon.realtime.live.driver import Driver
from antiphon.realtime.live.hearing import EnergyVad, Manner
from antiphon.realtime.live.ports import Manners, Parts
from antiphon.realtime.live.renderer import Renderer
from antiphon.realtime.live.speakers import Known
from tests.realtime.live.test_driver import Listening, Notes, Told
from tests.realtime.serving import noise, quiet

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from antiphon.audio.clip import Clip

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
    await asyncio.sleep(0.01)
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


class Says:
    """A speaker model or an end-of-turn model that says what a test wants, and keeps what it was given."""

    def __init__(self, *known: Known, score: float = 0.9) -> None:
        self.left, self.value = list(known), score
        self.given: list[float] = []
        self.learned: list[int] = []

    async def known(self, pcm: bytes) -> Known:
        self.given.append(len(pcm) / 2 / HZ)
        return self.left.pop(0) if self.left else Known()

    async def learn(self, pcm: bytes) -> None:
        self.learned.append(len(pcm))

    async def score(self, turn: Clip) -> float:
        self.given.append(turn.duration_s)
        return self.value


async def test_another_voice_is_told_to_the_engine_and_the_persons_is_left_as_it_was():
    other, person = Known("other", False, 0.3), Known("person", True, 0.9)
    model = Says(person, other, other)
    engine = Told()
    async with running(engine, speakers=lambda: model) as (driver, notes):
        for number in range(3):
            driver.hear(quiet(500, HZ) + noise(1200, HZ) + quiet(500, HZ))
            await until(lambda number=number: len(model.learned) == number + 1)
    assert [(given.utterance, given.speaker, given.enrolled) for given in engine.of(events.SpeakerKnown)] == [
        ("u2", "other", False),
        ("u3", "other", False),
    ]
    assert [fields for kind, *fields in notes.of("observed") if kind == "speaker"] == [
        ["u1", "person", 0.9],
        ["u2", "other", 0.3],
        ["u3", "other", 0.3],
    ]


async def test_a_voice_is_looked_at_while_it_speaks_and_a_verdict_is_taken_back():
    model = Says(Known("other", False, 0.5), Known(None, None, 0.6))
    engine = Told()
    async with running(engine, speakers=lambda: model) as (driver, _):
        driver.hear(quiet(500, HZ))
        while not model.given:
            driver.hear(noise(20, HZ))
            await asyncio.sleep(0.02)
        driver.hear(quiet(500, HZ))
        await until(lambda: len(engine.of(events.SpeakerKnown)) == 2)
    assert model.given[0] >= 1
    assert [given.enrolled for given in engine.of(events.SpeakerKnown)] == [False, None]


async def test_a_turn_is_scored_when_it_pauses_with_what_came_before_it():
    model = Says(score=0.25)
    engine = Told()
    async with running(engine, end_of_turn=model) as (driver, notes):
        for number in (1, 2):
            driver.hear(quiet(300, HZ) + noise(1000, HZ) + quiet(300, HZ))
            await until(lambda number=number: len(engine.of(events.Score)) == number)
    scores = [(given.name, given.value, given.utterance) for given in engine.of(events.Score)]
    assert scores == [("end_of_turn", 0.25, "u1"), ("end_of_turn", 0.25, "u2")]
    assert 1.2 < model.given[0] < 1.8
    assert model.given[1] > 2 * model.given[0] - 0.1
    assert [fields for kind, *fields in notes.of("observed") if kind == "end_of_turn"] == [
        ["u1", 0.25],
        ["u2", 0.25],
    ]


async def test_the_level_of_the_input_is_told():
    async with running(Told()) as (driver, notes):
        driver.hear(noise(1000, HZ))
    levels = [fields for kind, *fields in notes.of("observed") if kind == "level"]
    assert [(dbfs, clipped, problem) for dbfs, clipped, _, problem in levels] == [
        (-20.1, 0.0, None),
        (-20.0, 0.0, None),
    ]
