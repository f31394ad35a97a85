from __future__ import annotations

import pytest

from antiphon.partner.live import Cue, Line, Piece
from antiphon.realtime.sets.judge import judge
from antiphon.realtime.sets.script import Expect, Point, Scripted
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.simulate import Performed, Session, Sounding

S = 1_000_000


def _judged(
    expect: Expect,
    sounds: list[Sounding],
    *,
    cue: Cue = "over",
    span: tuple[int, int] | None = (10 * S, 11 * S),
):
    line = Line("l", "Sam", True, "en", (Piece("hello"),), cue, 0)
    session = Session("s", "en", (line,), Settings(), {"": "x"})
    done = Performed(session, spans={"l": span}, sounds=sounds, lengths_us={"old": 20 * S})
    [judged] = judge(Scripted(session, (Point("l", "task", expect),)), done)
    return judged.did, judged.passed


OLD = Sounding("old", ("before",), False, 5 * S, 10 * S + 80_000)
ON = Sounding("old", ("before",), False, 12 * S, 20 * S)
REST = Sounding("rest", (), True, 12 * S, 20 * S)
NEW = Sounding("new", ("l",), False, 12 * S, 14 * S)
OTHER = Sounding("new", ("another",), False, 12 * S, 14 * S)


@pytest.mark.parametrize(
    ("expect", "sounds", "result"),
    [
        ("respond", [OLD, NEW], ("respond", True)),
        ("respond", [OLD, OTHER], ("respond", False)),  # an answer to something else is none to this
        ("respond", [OLD, ON], ("resume", False)),
        ("ignore", [OLD, ON], ("resume", True)),
        ("ignore", [OLD, REST], ("resume", True)),
        ("ignore", [OLD], ("unknown", False)),  # it had more to say
        ("ignore", [OLD, NEW], ("respond", False)),
        ("quiet", [OLD], ("unknown", True)),
        ("quiet", [OLD, ON], ("resume", False)),
        ("quiet", [OLD, NEW], ("respond", False)),
        ("resume", [OLD, REST], ("resume", True)),
        ("resume", [OLD], ("unknown", False)),
    ],
)
def test_points_are_judged_by_what_sounds(expect: Expect, sounds: list[Sounding], result: tuple[str, bool]):
    assert _judged(expect, sounds) == result


def test_points_whose_moment_did_not_come_are_unjudgeable():
    assert _judged("respond", [OLD, NEW], span=None) == ("unknown", None)
    assert _judged("ignore", []) == ("unknown", None)


def test_what_an_agent_that_never_speaks_leaves_undone_is_failed():
    assert _judged("respond", [], span=None) == ("unknown", False)


def test_silence_in_silence_is_ignoring():
    assert _judged("ignore", [], cue="reply") == ("unknown", True)
    assert _judged("ignore", [NEW], cue="reply") == ("respond", False)


def test_an_answer_that_was_at_its_end_need_not_go_on():
    nearly = Sounding("old", ("before",), False, 0, 10 * S + 80_000)
    session_length = 10_500_000
    line = Line("l", "Sam", True, "en", (Piece("hello"),), "over", 0)
    session = Session("s", "en", (line,), Settings(), {"": "x"})
    done = Performed(
        session, spans={"l": (10 * S, 11 * S)}, sounds=[nearly], lengths_us={"old": session_length}
    )
    [judged] = judge(Scripted(session, (Point("l", "task", "ignore"),)), done)
    assert (judged.did, judged.passed) == ("unknown", True)


def test_an_answer_after_the_window_is_too_late():
    late = Sounding("new", ("l",), False, 17 * S, 18 * S)
    assert _judged("respond", [late], cue="reply") == ("unknown", False)
