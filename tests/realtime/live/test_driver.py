from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.messages import Speech, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.ports import Done, Request, SpeechContext, TextDelta, Transcript
from antiphon.models.scripted_instruments import ScriptedSynthesizer, ScriptedTranscriber
from antiphon.realtime import events
from antiphon.realtime.events import Effect, Input
from antiphon.realtime.live.driver import Driver
from antiphon.realtime.live.hearing import EnergyVad, Manner
from antiphon.realtime.live.playout import Playout
from antiphon.realtime.live.ports import Manners, Parts
from antiphon.realtime.live.renderer import Renderer, Spoken
from antiphon.realtime.live.speaking import Speaker
from tests.realtime.serving import noise, quiet

START = events.StartAnswer("answer", 1, "item", (says("user", "When?"),), ("u1",), "asked")


class Told:
    """An engine that does what a test says at each kind of input, and remembers all inputs."""

    def __init__(self, **at: Callable[[Any], list[Effect]]) -> None:
        self.at = at
        self.inputs: list[Input] = []

    def step(self, now_us: int, inputs: Sequence[Input]) -> list[Effect]:
        self.inputs += inputs
        effects: list[Effect] = []
        for given in inputs:
            assert given.t_us <= now_us
            effects += self.at.get(type(given).__name__, lambda _: [])(given)
        return effects

    def of(self, kind: type[Any]) -> list[Any]:
        return [given for given in self.inputs if isinstance(given, kind)]


class Notes:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        def tell(*what: Any, **more: Any) -> None:
            self.told.append((name, (*what, *more.values())))

        return tell

    def of(self, name: str) -> list[Any]:
        return [what for kind, what in self.told if kind == name]


class Listening:
    """A model that hears, and keeps the requests."""

    name = "scripted: listening"
    accepts = frozenset({"text", "speech"})
    gives = frozenset({"text"})

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> Any:
        self.requests.append(request)
        yield TextDelta("At nine.", 0)
        yield Done("stop", 0)


class Deaf:
    """A recogniser that breaks."""

    name = "scripted: deaf"

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        raise RuntimeError("no ears")


def ask(driver: Driver) -> None:
    driver.desk.put(events.Asked)


async def driven(
    engine: Told, until: Callable[[], bool], act: Callable[[Driver], None], *, transcriber: Any = None, chat: Any = None,
    manners: Manners | None = None,
) -> tuple[Driver, Notes]:  # fmt: skip
    """Run a driver until something is true."""
    clock, notes = RealClock(), Notes()
    parts = Parts(
        transcriber or ScriptedTranscriber(clock, default="When?"), chat or Listening(),
        Renderer(ScriptedSynthesizer(clock)), EnergyVad,
    )  # fmt: skip
    driver = Driver(engine, parts, clock, notes, manners or Manners(system=lambda _: "Be brief."), Manner())
    running = asyncio.create_task(driver.run())
    act(driver)
    async with asyncio.timeout(10):
        while not until():  # noqa: ASYNC110 - the condition is the test's
            await asyncio.sleep(0.005)
    driver.close()
    await running
    return driver, notes


async def test_speech_becomes_edges_and_words():
    engine = Told()
    pcm = quiet(640, 16_000) + noise(800, 16_000) + quiet(640, 16_000)
    await driven(engine, lambda: bool(engine.of(events.Words)), lambda driver: driver.hear(pcm))
    assert [type(given) for given in engine.inputs] == [
        events.SpeechStarted,
        events.SpeechStopped,
        events.Words,
    ]
    began, ended, words = engine.inputs
    assert (began.utterance, words.utterance, words.text, words.final) == ("u1", "u1", "When?", True)
    assert 700_000 < ended.offset_us - began.onset_us < 900_000
    assert words.end_us == ended.offset_us


async def test_a_recogniser_that_breaks_is_told_and_the_engine_does_not_wait_for_it():
    engine = Told()
    pcm = quiet(640, 16_000) + noise(800, 16_000) + quiet(640, 16_000)
    _, notes = await driven(
        engine, lambda: bool(engine.of(events.Words)), lambda driver: driver.hear(pcm), transcriber=Deaf()
    )
    assert engine.of(events.Words)[0].text == ""
    assert "no ears" in notes.of("trouble")[0][0]


async def test_a_model_that_listens_gets_the_persons_voice_and_the_instructions():
    engine, chat = Told(Words=lambda _: [START]), Listening()
    pcm = quiet(640, 16_000) + noise(800, 16_000) + quiet(640, 16_000)
    await driven(
        engine, lambda: bool(engine.of(events.AnswerDone)), lambda driver: driver.hear(pcm), chat=chat
    )
    system, asked = chat.requests[0].messages
    assert system == says("system", "Be brief.")
    speech = asked.parts[0]
    assert isinstance(speech, Speech)
    assert speech.transcript == "When?"
    assert 1.0 < speech.clip.duration_s < 1.5
    assert [given.text for given in engine.of(events.AnswerText)] == ["At nine."]


async def test_an_item_is_rendered_sent_ahead_and_played_to_its_end():
    text = "It opens at nine in the morning."

    def asked(_: Any) -> list[Effect]:
        return [events.Render("r", 1, "item", text)]

    def rendered(given: events.Rendered) -> list[Effect]:
        return [events.Play("item")] if given.last else []

    engine = Told(Asked=asked, Rendered=rendered)
    made = lambda: sum(given.ms for given in engine.of(events.Rendered))  # noqa: E731
    driver, notes = await driven(
        engine, lambda: any(given.ms == made() > 0 for given in engine.of(events.Played)), ask
    )
    assert sum(given.chars for given in engine.of(events.Rendered)) == len(text)
    assert made() == driver.playout.made_ms("item") == sum(frame.ms for (frame,) in notes.of("sound"))
    played = [given.ms for given in engine.of(events.Played)]
    assert played == sorted(played)
    assert engine.of(events.Sent)[0].ms >= 180


async def test_receipts_are_believed_over_the_estimate_while_they_come():
    def asked(_: Any) -> list[Effect]:
        return [events.Render("r", 1, "item", "It opens at nine in the morning.")]

    def rendered(given: events.Rendered) -> list[Effect]:
        return [events.Play("item")] if given.last else []

    engine = Told(Asked=asked, Rendered=rendered)

    def act(driver: Driver) -> None:
        driver.desk.put(events.Asked)

        async def slow() -> None:
            while not driver.playout.got_ms("item"):  # noqa: ASYNC110 - frames have no event to wait for
                await asyncio.sleep(0.01)
            driver.acknowledged("item", 20)

        act.task = asyncio.create_task(slow())  # type: ignore[attr-defined]

    await driven(engine, lambda: len(engine.of(events.Sent)) > 20, act)
    assert max(given.ms for given in engine.of(events.Played)) <= 40


async def test_a_clients_tool_is_asked_once_and_its_result_carries_the_effects_name():
    call = ToolCall("call_1", "hours", {})
    engine = Told(Asked=lambda _: [events.StartTool("tool", 3, call)])
    manners = Manners(system=lambda _: "")
    manners.tools = (ToolSpec("hours", "", {}),)
    results: list[bool] = []

    def act(driver: Driver) -> None:
        driver.desk.put(events.Asked)

        async def answer() -> None:
            await asyncio.sleep(0.05)
            results.append(driver.asking.returned(ToolResult("call_1", 9)))
            results.append(driver.asking.returned(ToolResult("call_1", 9)))

        act.task = asyncio.create_task(answer())  # type: ignore[attr-defined]

    await driven(engine, lambda: bool(engine.of(events.ToolReturned)), act, manners=manners)
    given = engine.of(events.ToolReturned)[0]
    assert (given.id, given.generation, given.result) == ("tool", 3, ToolResult("call_1", 9))
    assert results == [True, False]


async def test_a_tool_that_nobody_has_returns_an_error():
    engine = Told(Asked=lambda _: [events.StartTool("tool", 3, ToolCall("c", "fly", {}))])
    await driven(engine, lambda: bool(engine.of(events.ToolReturned)), ask)
    assert engine.of(events.ToolReturned)[0].result == ToolResult("c", error="there is no tool 'fly'")


async def test_the_engine_is_woken_when_it_asks():
    class Sleeper(Told):
        steps = 0

        def step(self, now_us: int, inputs: Sequence[Input]) -> list[Effect]:
            self.steps += 1
            return [events.WakeAt(now_us + 10_000)] if self.steps < 5 else []

    engine = Sleeper()
    await driven(engine, lambda: engine.steps == 5, ask)


async def test_a_model_that_does_not_stop_is_spoken_as_it_is_heard_and_dropped_when_nobody_wants_it():
    class Minutes:
        """Each clause is a minute of sound."""

        async def stream(self, text: Any, context: Any) -> Any:
            async for words in text:
                yield Spoken(bytes(2 * 24_000 * 61), len(words))

    playout, told = Playout(), list[str]()

    def report(effect: Any, ms: int, chars: int, *, last: bool, error: str | None) -> None:
        told.append(effect.id)

    speaker = Speaker(Minutes(), playout, report)  # type: ignore[arg-type]
    for name in ("first", "second", "third"):
        speaker.say(events.Render(name, 1, "item", "words"), SpeechContext())
    running = asyncio.create_task(speaker.run())
    await asyncio.sleep(0.3)
    assert (set(told), playout.ahead_ms("item")) == ({"first"}, 61_000)
    playout.play("item")
    for at_s in range(8):
        playout.take(at_s * 1_000_000)
    async with asyncio.timeout(5):
        while "second" not in told:  # noqa: ASYNC110 - a list has no event to wait for
            await asyncio.sleep(0.02)
    speaker.drop("item")
    speaker.say(events.Render("other", 1, "next", "words"), SpeechContext())
    async with asyncio.timeout(5):
        while "other" not in told:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
    running.cancel()
    assert "third" not in told
