from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from antiphon.clock import RealClock
from antiphon.ids import rng
from antiphon.live import FRAME_US
from antiphon.partner.live import Line, Piece
from antiphon.realtime.events import SpeakerKnown, SpeechStarted, SpeechStopped, Words
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.fdb_like import fdb_like
from antiphon.realtime.sets.judge import judge
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.sets.run import Config
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.room import Room
from antiphon.realtime.simulation.simulate import Performed, Session, Simulation
from antiphon.wiring.simulate import Sound, Studio, perform_real
from tests.realtime.listening import ScriptedPeople

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antiphon.realtime.events import Input
    from antiphon.realtime.sets.script import Scripted
    from antiphon.realtime.simulation.real_ears import RealEars

PIECES = (Piece("a first thing", 400_000), Piece("and another"))
LINE = Line("l-0", "Sam", True, "en", PIECES, "begin", 0)
SESSION = Session("l", "en", (LINE,), Settings(), {"": "An answer."})


def _heard(ears: RealEars, until_us: int, holds: Callable[[int], bool]) -> list[Input]:
    return [
        each
        for now_us in range(FRAME_US, until_us, FRAME_US)
        for each in ears.frame(now_us, holds=holds(now_us))
    ]


def _begin(ears: RealEars, begin_us: int) -> int:
    stretches = ears.says(LINE, 1.0)
    assert ears.hears(LINE, stretches, begin_us) == []
    return begin_us + stretches[-1].end_us


def test_a_line_is_heard_as_edges_and_then_words_each_when_it_can_be_known():
    ears = ScriptedPeople(SESSION, latency_ms=300).ears()
    assert _begin(ears, 1_000_000) == 1_000_000 + 780_000 + 400_000 + 660_000
    found = _heard(ears, 5_000_000, lambda _: False)
    # 64 ms make an onset, 160 ms an end; windows of 32 ms, known at the end of a frame
    assert found == [
        SpeechStarted(1_060_000, "l-0", 992_000),
        SpeechStopped(1_960_000, "l-0", 1_792_000),
        SpeechStarted(2_240_000, "l-0.1", 2_176_000),
        Words(2_260_000, "l-0", "a first thing", 1_792_000, final=True),
        SpeechStopped(3_020_000, "l-0.1", 2_848_000),
        Words(3_320_000, "l-0.1", "and another", 2_848_000, final=True),
    ]
    assert ears.lines_of("l-0") == ears.lines_of("l-0.1") == ("l-0",)
    assert not ears.busy


def test_unfinished_speech_is_recognised_only_while_the_agent_has_the_floor():
    people = ScriptedPeople(SESSION, latency_ms=100)
    ears = people.ears()
    _begin(ears, 1_000_000)
    found = [
        each for each in _heard(ears, 5_000_000, lambda now_us: now_us < 2_000_000) if isinstance(each, Words)
    ]
    assert [(each.utterance, each.text, each.t_us, each.final) for each in found] == [
        ("l-0", "a first ", 1_560_000, False),  # asked 0.4 s after the onset was known
        ("l-0", "a first thing", 2_060_000, True),
        ("l-0.1", "and another", 3_120_000, True),
    ]


def test_one_call_waits_for_the_other_and_words_that_come_too_late_are_dropped():
    people = ScriptedPeople(SESSION, latency_ms=1_000)
    ears = people.ears()
    _begin(ears, 1_000_000)
    found = [each for each in _heard(ears, 8_000_000, lambda _: True) if isinstance(each, Words)]
    # asked at 1.46 s (dropped: the utterance ended at 1.96), 1.96 s, 2.66 s (dropped) and 3.02 s
    assert [(each.t_us, each.final) for each in found] == [(3_460_000, True), (5_460_000, True)]
    assert people.asked == 2


def test_who_speaks_is_known_where_somebody_can_tell():
    people = ScriptedPeople(SESSION)
    ears = people.ears(tell=True)
    _begin(ears, 1_000_000)
    # The person is who speaks where nobody says otherwise: of them nothing is said.
    assert not [each for each in _heard(ears, 5_000_000, lambda _: False) if isinstance(each, SpeakerKnown)]
    assert people.learned == 2


def test_another_is_told_while_they_speak_and_once():
    line = replace(LINE, enrolled=False, pieces=(Piece("a first thing, which is rather long"),))
    ears = ScriptedPeople(SESSION).ears(tell=True)
    stretches = ears.says(line, 1.0)
    ears.hears(line, stretches, 1_000_000)
    found = [each for each in _heard(ears, 5_000_000, lambda _: False) if isinstance(each, SpeakerKnown)]
    # 0.9 s after the onset is known, as a live session looks
    assert found == [SpeakerKnown(1_960_000, "l-0", None, False)]


def test_speakers_may_be_told_with_the_onset():
    ears = ScriptedPeople(SESSION).ears(told=True)
    _begin(ears, 1_000_000)
    found = [each for each in _heard(ears, 5_000_000, lambda _: False) if isinstance(each, SpeechStarted)]
    assert [(each.speaker, each.enrolled) for each in found] == [("Sam", True)] * 2


def test_noise_is_an_utterance_of_no_line():
    ears = ScriptedPeople(SESSION).ears(told=True)
    room = Room(-math.inf, rng(0))
    room.add(0.1 * rng(0).standard_normal(8_000, dtype="f4"), 500_000)
    ears._room = room
    found = _heard(ears, 2_000_000, lambda _: False)
    assert [type(each) for each in found] == [SpeechStarted, SpeechStopped, Words]
    assert isinstance(found[0], SpeechStarted)
    assert (found[0].speaker, found[0].enrolled) == (None, None)
    assert ears.lines_of("noise") == ()


def _play(scripted: Scripted, *, tell: bool = False) -> Performed:
    people = ScriptedPeople(scripted.session)
    ears = people.ears(tell=tell)
    return Simulation(scripted.session, policy_named("default"), ears, 0).run()


def test_the_same_sound_gives_the_same_bytes():
    first, again = (_play(multi_party(0, 0)) for _ in range(2))
    assert first.log == again.log
    assert first.heard == again.heard
    rows: list[Any] = [msgspec.json.decode(line) for line in first.log]
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_heard_people_are_answered_and_a_bystander_is_not_once_voices_are_told_apart():
    voices = [
        each
        for each in (fdb_like(n, 0) for n in range(0, 60, 2))
        if each.points[0].task == "background speech"
    ]
    did = {tell: [judge(each, _play(each, tell=tell))[0].did for each in voices] for tell in (False, True)}
    assert set(did[True]) == {"resume"}
    assert (
        "respond" in did[False]
    )  # not for all: what many say in the background reads like talk among people


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.weights
def test_a_session_of_synthesized_people_is_recognised_and_played(
    weights: Callable[..., list[Path]], own_cache: Path
):
    weights("kokoro", "whisper-base")
    config = Config("fdb-like", sessions=1, observations="real")
    studio = Studio(Sound(), 0, RealClock())
    [first] = perform_real(config, studio)
    assert [judged.passed for judged in first.judged] == [True]
    assert first.performed.heard["fdb-like-0-0"] == (
        ("fdb-like-0-0",), "Can you walk me through a simple sourdough schedule?",
    )  # fmt: skip
    [again] = perform_real(config, studio)  # from the cache
    assert again.performed.log == first.performed.log
