from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, encode, write
from antiphon.bench.catalog import open_suite
from antiphon.bench.folder import RunFolder, clip_name, load
from antiphon.bench.items import Item
from antiphon.bench.live import LivePerformer, Tail, Venue, open_live_performer
from antiphon.bench.perform import Call, Performance
from antiphon.bench.queries import Query
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Selection, Suite
from antiphon.bench.suites.full_duplex.suite import metrics
from antiphon.bench.takes import Called, Contour, Instruments, Take
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.jsonl import from_row, read_records
from antiphon.live import LiveError, Played, SendToolResult, TextOut, ToolAsked, TurnEdge
from antiphon.messages import ToolCall, ToolResult
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import script
from tests.bench.suites.full_duplex.duplex import OVERLAP, folder
from tests.bench.talking import TalkingSystem, level_at, loud

HOW = Performance("scripted:talking", 0, None)
TAIL = Tail(wait_s=1.0, after_s=0.5, most_s=4.0)
PERSON = Clip([0.25] * 16_000, 16_000)  # a second


async def perform(
    folder: Path, script: dict[int, Any], extra: dict[str, Any] | None = None, **more: Any
) -> Any:
    """One item in virtual time: its outcome and the system."""
    system = TalkingSystem(script, **more)
    path = folder / clip_name(PERSON.digest)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode(PERSON))
    write(folder / "clean.wav", Clip.silence(0.5, 16_000))
    item = Item("a/1", "a", "en", "q", audio=str(folder / "input.wav"), extra=extra or {})
    performer = LivePerformer(HOW, TAIL, folder, system, VirtualClock())
    (outcome,) = await performer([Call(item, Query(item.id, PERSON.digest, 1.0))])
    return outcome, system


def sound(outcome: Made, take: Take, side: str) -> Clip:
    return decode(outcome.blobs[clip_name(take.tracks[side])], side)


async def test_both_tracks_begin_together_and_the_recording_ends_after_the_answer(tmp_path: Path):
    outcome, system = await perform(tmp_path, {1200: [loud("i", 300), TextOut("i", 0, "Hello.", "agent")]})
    take = from_row(outcome.row, Take)
    agent = sound(outcome, take, "agent")
    # The frame that begins at 1200 ms is full, and goes out, at 1220.
    assert [level_at(agent, ms) for ms in (1219, 1221, 1519, 1521)] == [0, 1000, 1000, 0]
    assert agent.duration_s == pytest.approx(2.02, abs=0.021)  # 1.52 s, and half a second of silence
    assert take.replies[0].text == "Hello."
    assert take.tracks["user"] == PERSON.digest
    assert len(system.sessions[0].heard()) == round(agent.duration_s * 24_000) * 2


async def test_a_silent_agent_is_a_take_of_silence(tmp_path: Path):
    outcome, _ = await perform(tmp_path, {})
    agent = sound(outcome, from_row(outcome.row, Take), "agent")
    assert (agent.duration_s, float(abs(agent.samples).max())) == (pytest.approx(2.0, abs=0.021), 0.0)


async def test_an_agent_that_never_ends_is_left_after_the_longest_tail(tmp_path: Path):
    outcome, _ = await perform(tmp_path, {at: [loud("i", 20)] for at in range(0, 20_000, 20)})
    assert sound(outcome, from_row(outcome.row, Take), "agent").duration_s == pytest.approx(5.0, abs=0.021)


async def test_a_person_who_interrupts_cuts_what_was_not_played_and_the_endpoint_is_told(tmp_path: Path):
    script = {100: [loud("i", 2000)], 600: [TurnEdge(0, "speech_started")]}
    outcome, system = await perform(tmp_path, script)
    assert [event for event in system.sessions[0].sent if isinstance(event, Played)] == [
        Played("i", 500, stopped=True)
    ]
    agent = sound(outcome, from_row(outcome.row, Take), "agent")
    assert [level_at(agent, ms) for ms in (619, 621)] == [1000, 0]


async def test_tools_are_answered_and_kept_with_their_moment(tmp_path: Path):
    extra = {
        "instructions": "Be brief.", "results": {"track": {"state": "here"}},
        "tools": [{"name": "track", "description": "d", "parameters": {}}],
    }  # fmt: skip
    asked = [ToolAsked(0, ToolCall("1", "track", {"id": 7})), ToolAsked(0, ToolCall("2", "fly", {}))]
    outcome, system = await perform(tmp_path, {200: asked}, extra)
    take = from_row(outcome.row, Take)
    assert take.calls == (Called("track", {"id": 7}, 0.22), Called("fly", {}, 0.22))
    assert [event.result for event in system.sessions[0].sent if isinstance(event, SendToolResult)] == [
        ToolResult("1", {"state": "here"}), ToolResult("2", error="no tool fly"),
    ]  # fmt: skip
    assert system.asked[0][0] == "Be brief."
    assert [spec.name for spec in system.asked[0][1]] == ["track"]


async def test_an_item_with_a_track_without_the_disturbance_is_performed_twice(tmp_path: Path):
    outcome, system = await perform(tmp_path, {100: [loud("i", 100)]}, {"clean_audio": "clean.wav"})
    take = from_row(outcome.row, Take)
    assert list(take.tracks) == ["user", "clean_user", "clean_agent", "agent"]
    assert len(system.sessions) == 2
    assert sound(outcome, take, "clean_agent").duration_s < sound(outcome, take, "agent").duration_s


async def test_a_session_that_breaks_is_a_failure_that_resuming_repeats(tmp_path: Path):
    outcome, _ = await perform(tmp_path, {}, breaks_at_ms=500)
    assert outcome == Failed("fake: the line is dead", transient=True)
    outcome, _ = await perform(tmp_path, {100: [LiveError(0, "quota", fatal=True)]})
    assert outcome == Failed("the session: quota", transient=False)


async def test_a_complaint_that_ends_nothing_is_kept(tmp_path: Path):
    outcome, _ = await perform(tmp_path, {100: [LiveError(0, "slow down", fatal=False)]})
    assert outcome.row["meta"]["troubles"] == ["slow down"]


async def test_a_worker_loads_the_system_once(tmp_path: Path):
    system = TalkingSystem({})
    async with open_live_performer(HOW, Venue(lambda *_: system), tmp_path) as performer:
        assert (performer.system, system.warmed) == (system, 1)


def _plan(folder: Path, system: TalkingSystem | None, items: int = 2) -> Plan:
    (folder / "data").mkdir(exist_ok=True)
    asked = []
    for at in range(items):
        path = folder / "data" / f"{at}.wav"
        write(path, Clip([0.1 + at / 10] * 4800, 16_000))
        extra = {"turn_end": 0.2}
        asked.append(
            Item(f"candor_turn_taking/{at}", "candor_turn_taking", "en", "q", audio=str(path), extra=extra)
        )
    suite = Suite("full-duplex-1.0", tuple(asked), metrics("1.0"), "full-duplex:1.0", live=True)
    venue = Venue(lambda *_: system, Tail(0.1, 0.1, 1.0)) if system is not None else None
    return Plan(
        suite,
        "scripted:talking",
        RunFolder(folder / "run"),
        Instruments("scripted:?text=yes", ()),
        venue=venue,
    )


@pytest.mark.usefixtures("own_cache")
def test_a_whole_run_keeps_tracks_voices_and_why_there_are_no_numbers(tmp_path: Path):
    perform_run = partial(run, watch=lambda _: Silent())
    asyncio.run(perform_run(_plan(tmp_path, TalkingSystem({100: [loud("i", 100)]}))))
    results = load(tmp_path / "run")
    assert len(results.takes) == 2
    assert (tmp_path / "run" / "voiced.jsonl").read_text("utf-8").count('"kind":"voiced"') == 4
    rows = {score.metric: score for score in results.scores}
    assert rows["turn_takeover"].status == "unavailable"
    assert "gives no times of words" in (rows["turn_takeover"].reason or "")


@pytest.mark.usefixtures("own_cache")
def test_a_run_goes_on_with_the_items_that_are_missing(tmp_path: Path):
    broken = TalkingSystem({}, breaks_at_ms=200)
    asyncio.run(run(_plan(tmp_path, broken), lambda _: Silent()))
    assert len(load(tmp_path / "run").failures) == 2
    again = _plan(tmp_path, system := TalkingSystem({}))
    asyncio.run(run(Plan(**{**_fields(again), "resume": True}), lambda _: Silent()))
    assert len(load(tmp_path / "run").takes) == 2
    asyncio.run(run(Plan(**{**_fields(again), "resume": True}), lambda _: Silent()))
    assert len(system.sessions) == 2  # the third call found everything done


def _fields(plan: Plan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__dataclass_fields__}


def test_a_live_suite_is_not_performed_by_asking(tmp_path: Path):
    with pytest.raises(ConfigError, match="performed in real time"):
        asyncio.run(run(_plan(tmp_path, None), lambda _: Silent()))


@pytest.mark.usefixtures("own_cache")
def test_a_judge_s_choice_becomes_four_rates(tmp_path: Path):
    """The agent speaks after the overlap; the recogniser spreads its words, and the judge says that it resumed."""
    place = folder(
        tmp_path / "user_backchannel" / "1", {"metadata.json": {**OVERLAP, "timestamps": [0.1, 0.3]}}
    )
    for name in ("input.wav", "clean_input.wav"):
        write(place / name, Clip([0.1] * 8000, 16_000))
    suite = open_suite("full-duplex", Selection(tmp_path, version="1.5"))
    system = TalkingSystem({300: [loud("i", 400)]})
    judge = script(tmp_path / "judge.jsonl", {"text": "It goes on. [2]"})
    done = Plan(
        suite, "scripted:talking", RunFolder(tmp_path / "run"),
        Instruments("scripted:?text=and+then+the+old+museum&words=1", (), judge), venue=Venue(lambda *_: system, Tail(0.2, 0.2, 2.0)),
    )  # fmt: skip
    asyncio.run(run(done, lambda _: Silent()))
    rates = {score.metric: score.value for score in load(tmp_path / "run").scores}
    assert [rates[name] for name in ("respond", "resume", "uncertain", "unknown")] == [0.0, 1.0, 0.0, 0.0]
    assert rates["wpm_after"] is not None
    assert (
        len(read_records(tmp_path / "run" / "contours.jsonl", Contour)) == 1
    )  # the agent's track, without the clean one
    asyncio.run(run(Plan(**{**_fields(done), "resume": True, "scoring": "paper"}), lambda _: Silent()))
    paper = {score.metric: score.value for score in load(tmp_path / "run").scores}
    assert (paper["resume"], "resume_by_rule" in paper) == (1.0, False)
    assert len(system.sessions) == 2  # with and without the overlap, once
