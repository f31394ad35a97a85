from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue
from antiphon.bench.suites.full_duplex.key_information import key_information, key_information_metrics
from tests.bench.suites.full_duplex.duplex import evidence, track, words

PERSON = track(words("track my order please", 0.0, 0.5), ((0.0, 2.0),))
SAID = "one moment it arrives on Friday"


def item(said: str = SAID, start_s: float = 3.0, word: float | None = 3.0, in_flight: int = 1):
    judged = {} if word is None else {"key_information_s": word}
    agent = track(words(said, start_s, 0.5))
    return evidence("tool_use", {}, judged=judged, in_flight=in_flight, user=PERSON, agent=agent)


@pytest.mark.parametrize("scoring", ["paper", "strict"])
def test_the_wait_ends_with_the_first_word_that_answers(scoring):
    found = key_information(scoring, item())
    assert found.value == pytest.approx(4.0 - 2.0)  # "it" is the third word, from 3.0 s on half a second each
    assert (found.evidence["first_word"], found.evidence["at_s"]) == ("it", 4.0)


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (item(word=0.0), "the agent says nothing that answers"),
        (item(word=99.0), "the agent says nothing that answers"),
        (item(said="", word=None), "the agent says nothing"),
        (item(start_s=0.0, word=1.0), "the agent answered before the person had ended"),
        (item(in_flight=2), "2 sessions ran at once; times count only for one"),
    ],
)
def test_what_has_no_wait_is_excluded(case, problem):
    assert key_information("strict", case) == NoValue("excluded", problem)


def test_early_filler_hides_a_late_answer_only_in_the_paper():
    early = item(start_s=1.0, word=5.0)
    assert key_information("paper", early) == NoValue(
        "excluded", "the agent began before the person had ended"
    )
    assert key_information("strict", early).value == pytest.approx(1.0)


def test_a_judge_that_failed_is_invalid():
    assert key_information("strict", item(word=None)) == NoValue(
        "invalid", "the judge gave no verdict; `antiphon judge` asks again"
    )


def test_the_judge_reads_numbered_words_and_is_held_to_their_count():
    [metric] = key_information_metrics("strict")
    assert metric.ask is not None
    asked = metric.ask(item(word=None))
    assert asked is not None
    assert asked.fields["response"] == "1:one 2:moment 3:it 4:arrives 5:on 6:Friday"
    assert (asked.prompt.bottom, asked.prompt.top) == (0, 6)
    assert metric.ask(item(said="", word=None)) is None
    assert metric.needs == ("judge", "transcript")
