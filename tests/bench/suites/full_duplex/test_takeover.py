from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.takeover import (
    interruption,
    latency,
    pause,
    takeover_metrics,
    takes_turn,
    turn,
)
from antiphon.models.ports import TimedWord
from tests.bench.suites.full_duplex.duplex import evidence, track, words

PAUSES = {"pauses": [[3.0, 4.0]]}
USER = track((), ((0.5, 3.0), (4.0, 6.0)))


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ((), False),
        (words("uh huh yeah"), False),  # three words in 0.75 s
        (words("uh huh yeah right"), True),  # a second long, and four words
        (words("one two three four", each_s=0.2), True),  # four words in 0.8 s
        ((TimedWord("so", 1.0, 2.0),), True),  # one word, drawn out for a second
    ],
)
def test_a_turn_is_taken_by_a_second_of_speech_or_by_four_words(said, taken):
    assert takes_turn(said) is taken


def test_an_answer_to_the_finished_turn_is_a_takeover_in_a_pause_for_the_scripts_only():
    late = evidence(
        "candor_pause_handling", PAUSES, user=USER, agent=track(words("I can help you with that", 6.5))
    )
    assert pause("paper", late) == Value(1.0, evidence={"words": "I can help you with that"})
    assert pause("strict", late) == Value(0.0, evidence={"words": ""})
    within = evidence(
        "candor_pause_handling", PAUSES, user=USER, agent=track(words("I can help you with that", 3.2))
    )
    assert (pause("paper", within).value, pause("strict", within).value) == (1.0, 1.0)


def test_paper_hears_no_more_of_the_agent_than_the_person_s_track_is_long():
    late = evidence(
        "candor_pause_handling", PAUSES, query_s=6.0, user=USER, agent=track(words("I can help you now", 6.5))
    )
    assert pause("paper", late) == Value(0.0, evidence={"words": ""})


def test_a_pause_after_which_nobody_goes_on_is_no_pause():
    item = evidence(
        "candor_pause_handling", PAUSES, user=track((), ((0.5, 3.0),)), agent=track(words("hello", 3.2))
    )
    assert pause("strict", item) == NoValue("excluded", "the person does not go on after the pause")


def test_who_speaks_before_the_turn_ends_has_a_latency_of_zero_for_the_scripts_and_none_for_us():
    early = evidence(
        "candor_turn_taking",
        {"turn_end": 2.0},
        agent=track(words("yes it is my first time", 1.5), ((1.5, 3.0),)),
    )
    assert latency("paper", early) == Value(0.0, evidence={"first_word": "yes"})
    assert latency("strict", early) == NoValue("excluded", "the agent was speaking when the person ended")


def test_latency_runs_from_the_end_of_the_turn_to_the_first_word_or_to_the_first_sound():
    fine = evidence(
        "candor_turn_taking",
        {"turn_end": 2.0},
        agent=track(words("yes it is my first time", 3.0), ((2.75, 4.5),)),
    )
    assert turn("strict", fine).value == 1.0
    assert latency("paper", fine).value == 1.0
    assert latency("strict", fine) == Value(0.75, evidence={"first_sound_s": 2.75})


def test_a_latency_of_one_among_several_sessions_does_not_count():
    busy = evidence(
        "candor_turn_taking",
        {"turn_end": 2.0},
        in_flight=3,
        agent=track(words("yes it is my first time", 3.0)),
    )
    assert latency("strict", busy) == NoValue("excluded", "3 sessions ran at once; times count only for one")


def test_speaking_on_through_an_interruption_is_no_answer_to_it():
    extra = {"interruption": [4.0, 6.0], "context": "books?", "interrupt": "fiction?"}
    on = evidence(
        "synthetic_user_interruption", extra, agent=track(words("and so on " * 10, 2.0, 0.25), ((2.0, 9.5),))
    )
    assert interruption("paper", on).value == 1.0
    assert interruption("strict", on).value == 0.0
    anew = evidence(
        "synthetic_user_interruption",
        extra,
        agent=track((*words("well", 2.0), *words("try these novels then", 7.0))),
    )
    assert interruption("strict", anew) == Value(1.0, evidence={"words": "try these novels then"})
    assert latency("paper", anew).value == 1.0


def test_a_recogniser_without_times_makes_words_unavailable_and_a_lost_track_invalid():
    untimed = evidence("candor_turn_taking", {"turn_end": 2.0}, agent=track(None))
    assert turn("paper", untimed) == NoValue("unavailable", "no times")
    assert turn("paper", evidence("candor_turn_taking", {"turn_end": 2.0})) == NoValue(
        "invalid", "the take has no track of agent"
    )


def test_only_an_answer_after_an_interruption_is_rated_and_by_what_follows_it():
    extra = {"interruption": [4.0, 6.0], "context": "books?", "interrupt": "fiction?"}
    (rated,) = [metric for metric in takeover_metrics("strict") if metric.info.name == "interruption_rating"]
    silent = evidence("synthetic_user_interruption", extra, agent=track(()))
    assert rated.ask(silent) is None
    assert rated.measure(silent) == NoValue("excluded", "the agent did not take the turn")
    spoken = evidence(
        "synthetic_user_interruption", extra, judged={"interruption_rating": 0.0},
        agent=track((*words("Self help books are", 1.0), *words("Try these four novels", 7.0))),
    )  # fmt: skip
    ask = rated.ask(spoken)
    assert (ask.prompt.bottom, ask.prompt.top) == (0, 5)
    assert ask.fields == {"history": "books?", "question": "fiction?", "response": "Try these four novels"}
    assert rated.score(spoken).value == 0.0
