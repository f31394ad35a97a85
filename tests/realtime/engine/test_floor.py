from __future__ import annotations

from antiphon.realtime import events as e
from antiphon.realtime.engine.floor import Floor
from antiphon.realtime.turn_policy import Decision, listen

S = 1_000_000
NONE = Decision("LISTEN", "NONE", "not for us")


def _floor(*names: str, overlapped: bool = False) -> Floor:
    floor = Floor()
    for number, name in enumerate(names):
        floor.take(
            e.SpeechStarted(number * S, name, number * S, speaker="p", enrolled=True), overlapped=overlapped
        )
    return floor


def test_undecided_speech_of_one_speaker_is_one_group():
    floor = _floor("a", "b")
    floor.take(e.SpeechStarted(3 * S, "c", 3 * S, speaker="q", enrolled=False), overlapped=False)
    assert floor.groups() == [("a", "b"), ("c",)]


def test_the_policy_is_asked_when_something_is_new_or_due():
    floor = _floor("a")
    assert floor.asked_now(0, S) == [("a",)]
    floor.note(("a",), listen("later", 2 * S), 0)
    assert floor.asked_now(S, S) == []
    assert floor.asked_now(2 * S, S) == [("a",)]
    floor.note(("a",), listen("later"), 2 * S)
    floor.take(e.Words(2 * S, "a", "hello", 2 * S), overlapped=False)
    assert floor.asked_now(2 * S, S) == [("a",)]


def test_an_overlap_has_to_be_ruled_in_time_and_once():
    floor = _floor("a", overlapped=True)
    assert floor.next_us(700_000, 60 * S) == 700_000
    assert not floor.overdue(("a",), 699_999, 700_000)
    assert floor.overdue(("a",), 700_000, 700_000)
    floor.ruled(("a",))
    assert not floor.overdue(("a",), 800_000, 700_000)


def test_an_end_that_nobody_reports_comes_by_itself():
    floor = _floor("a")
    floor.expire(60 * S, 60 * S)
    assert floor.utterances["a"].offset_us == 60 * S


def test_final_words_do_not_change_any_more():
    floor = _floor("a")
    floor.take(e.Words(S, "a", "hello", S, final=True), overlapped=False)
    floor.take(e.Words(2 * S, "a", "yellow", S), overlapped=False)
    assert floor.utterances["a"].text == "hello"


def test_late_words_open_a_ruled_utterance_again_but_not_for_ever():
    floor = _floor("a", "b")
    for name in ("a", "b"):
        floor.take(e.SpeechStopped(2 * S, name, 2 * S), overlapped=False)
        floor.settle((name,), NONE, None)
    floor.take(e.Words(3 * S, "a", "hello", 2 * S), overlapped=False)
    floor.take(e.Words(603 * S, "b", "hello", 2 * S), overlapped=False)
    assert list(floor.pending) == ["a"]
    assert [ruled.utterance.id for ruled in floor.recent] == ["b"]


def test_what_the_policy_lets_the_agent_speak_over_does_not_block():
    floor = _floor("a")
    assert (floor.blocked(), floor.speaking()) == (True, True)
    floor.note(("a",), Decision("RESUME", "NONE", "noise", settled=False), S)
    assert (floor.blocked(), floor.speaking()) == (False, False)


def test_news_of_unknown_utterances_are_dropped():
    floor = _floor()
    floor.take(e.Words(0, "x", "hello", 0), overlapped=False)
    floor.take(e.SpeechStopped(0, "x", 0), overlapped=False)
    floor.take(e.SpeakerKnown(0, "x", "p", True), overlapped=False)
    assert (floor.utterances, floor.pending) == ({}, {})


def test_first_words_of_a_slow_recogniser_are_heard_however_late_and_better_ones_are_not():
    floor = _floor("a", "b")
    for name in ("a", "b"):
        floor.take(e.SpeechStopped(2 * S, name, 2 * S), overlapped=False)
    floor.take(e.Words(2 * S, "b", "yellow", 2 * S), overlapped=False)
    for name in ("a", "b"):
        floor.settle((name,), NONE, None)
    for name in ("a", "b"):
        floor.take(e.Words(40 * S, name, "hello", 2 * S, final=True), overlapped=False)
    assert floor.groups() == [("a",)]
    over = _floor("c", overlapped=True)
    over.take(e.SpeechStopped(S, "c", S // 2), overlapped=False)
    over.settle(("c",), NONE, None)
    over.take(e.Words(40 * S, "c", "yeah", S, final=True), overlapped=False)
    assert over.groups() == []


def test_who_is_left_when_another_turns_out_to_speak_is_looked_at_again():
    floor = _floor("a", "b")
    floor.note(("a", "b"), listen("b is speaking"), S)
    assert floor.asked_now(S, S) == []
    floor.take(e.SpeakerKnown(2 * S, "b", "q", False), overlapped=False)
    assert floor.asked_now(2 * S, S) == [("a",), ("b",)]
