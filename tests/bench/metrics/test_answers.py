from __future__ import annotations

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.answers import keyword_metrics
from antiphon.bench.suite import Evidence, Scoring
from tests.bench.bench_evidence import ITEM, named, spoken


def in_words(evidence: Evidence, scoring: Scoring = "strict") -> tuple[float | None, str, str | None]:
    score = named(keyword_metrics(scoring), "keyword_accuracy").score(evidence)
    return score.value, score.status, score.reason


def as_spoken(evidence: Evidence) -> tuple[float | None, str, str | None]:
    score = named(keyword_metrics("strict"), "keyword_accuracy_s2s").score(evidence)
    return score.value, score.status, score.reason


def test_an_answer_in_the_words_is_right_and_another_is_wrong() -> None:
    assert in_words(spoken(text="是北京。")) == (1.0, "valid", None)
    assert in_words(spoken(text="是上海。")) == (0.0, "valid", None)


def test_an_answer_that_the_question_already_holds_is_right_on_paper_only() -> None:
    asked = Item("k-1", "general_knowledge", "zh", "北京和上海哪个是首都？", "北京")
    echo = spoken(asked, "北京和上海哪个是首都？")
    assert in_words(echo, "paper")[0] == 1.0
    assert in_words(echo, "strict")[0] == 0.0


def test_speech_without_words_of_its_own_is_excluded_and_no_wrong_answer() -> None:
    assert in_words(spoken(text=" ")) == (None, "excluded", "the reply has no words of its own")


def test_a_right_answer_counts_as_spoken_while_fewer_than_five_percent_are_misheard() -> None:
    words = "我家在北京" * 5  # 25 syllables, of which 1 is 4 % and 2 are 8 %
    assert as_spoken(spoken(text=words, heard=words.replace("家", "佳", 2)))[0] == 1.0  # the same sound
    assert as_spoken(spoken(text=words, heard=words.replace("家", "假", 1)))[0] == 1.0
    assert as_spoken(spoken(text=words, heard=words.replace("家", "假", 2)))[0] == 0.0


def test_a_wrong_answer_spoken_clearly_stays_wrong() -> None:
    assert as_spoken(spoken(text="是上海。", heard="是上海。"))[0] == 0.0


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (spoken(duration_s=0), (None, "excluded", "the reply has no speech")),
        (
            spoken(heard=None),
            (None, "invalid", "the reply's speech was not recognised; `antiphon score` tries again"),
        ),
        (
            spoken(gaps={"transcript": ("invalid", "not recognised: busy")}),
            (None, "invalid", "not recognised: busy"),
        ),
        (
            spoken(Item("k-2", "general_knowledge", "zh", "？", "ABC"), "ABC", "A B C"),
            (None, "excluded", "the reference has no tonal syllable"),
        ),
    ],
)
def test_a_missing_error_rate_is_told_apart(
    evidence: Evidence, found: tuple[float | None, str, str | None]
) -> None:
    assert as_spoken(evidence) == found


def test_only_items_with_a_keyword_are_covered() -> None:
    metric = named(keyword_metrics("strict"), "keyword_accuracy")
    open_ended = Item("c-0", "creativity", "zh", "写一首诗。", "any poem")
    unanswered = Item("k-3", "general_knowledge", "zh", "？")
    assert [metric.covers(item) for item in (ITEM, open_ended, unanswered)] == [True, False, False]
