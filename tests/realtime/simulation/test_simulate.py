from __future__ import annotations

import pytest

from antiphon.partner.live import Line, Piece
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.sets.semantic_control import semantic_control
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.simulate import Performed, Session, Simulation

ANSWER = (
    "It is a long answer with a good number of words in it. It has another sentence that goes on for a while."
)


def _run(session: Session, *, seed: int = 0, every_frame: bool = False) -> Performed:
    return Simulation(session, policy_named("default"), Oracle(), seed, every_frame=every_frame).run()


def _line(name: str, text: str, cue: str, delay_us: int = 1_000_000) -> Line:
    return Line(name, "Sam", True, "en", (Piece(text),), cue, delay_us)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_stepping_for_every_frame_gives_the_same_log(number: int):
    for make in (multi_party, semantic_control):
        session = make(number, 7).session
        by_events, by_frames = _run(session), _run(session, every_frame=True)
        assert by_frames.log == by_events.log
        assert by_frames.sounds == by_events.sounds
        assert by_frames.steps > 2 * by_events.steps


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    session = multi_party(0, 7).session
    assert _run(session).log == _run(session).log
    assert _run(session, seed=1).log != _run(session).log


def test_silence_costs_nothing():
    short, long = (
        _run(Session("s", "en", (_line("a", "What is it?", "begin", wait),), Settings(), {"": ANSWER}))
        for wait in (1_000_000, 600_000_000)
    )
    assert long.steps == short.steps
    assert long.end_us - short.end_us == 599_000_000


def test_what_sounds_is_noted_with_what_it_answers():
    lines = (_line("a", "What is it?", "begin"), _line("b", "gotcha", "over", 1_500_000))
    done = _run(Session("s", "en", lines, Settings(), {"": ANSWER}))
    assert [(sound.answers, sound.rest) for sound in done.sounds] == [(("a",), False), (("a",), False)]
    begin, end = done.spans["b"] or (0, 0)
    assert done.sounds[0].end_us - begin == 80_000  # the pause comes as soon as the voice is detected
    assert done.sounds[1].start_us > end
    played_us = sum(sound.end_us - sound.start_us for sound in done.sounds)
    [length_us] = done.lengths_us.values()
    assert length_us <= played_us <= length_us + 500_000  # a cut word is said again


def test_a_line_whose_moment_does_not_come_is_left_out():
    lines = (_line("a", "Tom, where are you?", "begin"), _line("b", "gotcha", "over"))
    done = _run(Session("s", "en", lines, Settings(), {"": ANSWER}))
    assert done.spans["b"] is None
    assert done.sounds == []
