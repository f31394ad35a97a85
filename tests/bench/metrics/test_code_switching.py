from __future__ import annotations

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.code_switching import code_switching_metrics, english_words
from antiphon.bench.suite import Evidence
from antiphon.judge.prompt import Prompt
from antiphon.score import Score
from antiphon.stats import summarise
from tests.bench.bench_evidence import named, spoken, verdict

RELEVANCE, CONTENT = (Prompt(name, "{question}{response}", ()) for name in ("cs_relevance", "cs_semantic"))
METRICS = code_switching_metrics(lambda _: (RELEVANCE, CONTENT))
KNOWLEDGE = Item("cs-0", "cs_knowledge", "zh", "Mormon church的总部在哪个城市？", "盐湖城")
OPEN = Item("co-0", "cs_open_ended", "zh", "什么是self-attention？", "……")


def score(name: str, evidence: Evidence) -> Score:
    return named(METRICS, name).score(evidence)


def test_english_words_are_counted_one_by_one_and_mandarin_not_at_all() -> None:
    text = "在Salt Lake City，也叫SLC，约20万人，用GPT4、self-attention。"
    assert english_words(text) == ["salt", "lake", "city", "slc", "gpt", "self", "attention"]
    assert english_words("盐湖城。") == []


def test_heard_words_and_word_errors_share_the_replys_count() -> None:
    # Said: salt lake city utah; heard: salt late city of utah. Three right, one replaced, one added.
    evidence = spoken(KNOWLEDGE, "在Salt Lake City, Utah。", "在Salt late city of Utah")
    right, wrong = score("english_psr", evidence), score("english_wer", evidence)
    assert (right.value, right.weight, wrong.value, wrong.weight) == (0.75, 4.0, 0.5, 4.0)


def test_words_that_were_heard_in_mandarin_are_lost() -> None:
    evidence = spoken(KNOWLEDGE, "是Salt Lake City。", "是盐湖城")
    assert (score("english_psr", evidence).value, score("english_wer", evidence).value) == (0.0, 1.0)


def test_the_group_pools_words_and_not_replies() -> None:
    rows = [
        score("english_psr", spoken(KNOWLEDGE, "是Utah。", "是Utah")),
        score("english_psr", spoken(KNOWLEDGE, "一个两个three four five six", "一个两个")),
    ]
    assert summarise(rows).value == pytest.approx(1 / 5)


def test_a_reply_without_english_words_is_left_out_and_no_full_score() -> None:
    evidence = spoken(KNOWLEDGE, "是盐湖城。", "是Salt Lake City")
    for name in ("english_psr", "english_wer"):
        found = score(name, evidence)
        assert (found.status, found.reason) == ("excluded", "the reply has no English words")
    silent = spoken(KNOWLEDGE, "是Utah。", duration_s=0.0)
    assert score("english_psr", silent).status == "excluded"
    assert score("english_wer", spoken(KNOWLEDGE, "是Utah。")).status == "invalid"


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("总部在Salt Lake City，位于犹他州。", 1.0),
        ("The headquarters are in Salt Lake City.", 0.0),
        ("Salt Lake City", 0.0),
        ("1972", 1.0),  # no letters: nobody can tell, and Mandarin has the benefit
    ],
)
def test_a_mixed_question_is_to_be_answered_in_its_main_language(reply: str, kept: float) -> None:
    assert score("lsa", spoken(KNOWLEDGE, reply)).value == kept


def test_without_words_the_language_is_the_one_that_was_heard() -> None:
    assert score("lsa", spoken(KNOWLEDGE, "", "It is in Utah")).value == 0.0
    assert score("lsa", spoken(KNOWLEDGE, "")).status == "excluded"


@pytest.mark.parametrize(("points", "understood"), [(3.0, 0.0), (4.0, 1.0)])
def test_a_question_is_understood_above_three(points: float, understood: float) -> None:
    evidence = spoken(OPEN, "……", judged={"score": verdict("score", points, "cs_relevance@1")})
    assert score("understanding_rate", evidence).value == understood


def test_content_has_a_prompt_and_a_verdict_of_its_own() -> None:
    generation = named(METRICS, "generation")
    assert generation.ask is not None
    ask = generation.ask(spoken(OPEN, "……"))
    assert ask is not None
    assert ask.prompt is CONTENT
    judged = {"score": verdict("score", 5.0), "generation": verdict("generation", 2.0, "cs_semantic@1")}
    assert score("generation", spoken(OPEN, "……", judged=judged)).value == 2.0
    assert score("generation", spoken(OPEN, "……")).status == "invalid"
    unjudged = spoken(OPEN, "……", gaps={"judge": ("not judged", "no judge")})
    assert [score(name, unjudged).status for name in ("generation", "understanding_rate")] == [
        "not judged", "not judged",
    ]  # fmt: skip


def test_a_suite_without_a_second_prompt_is_not_asked_about_content() -> None:
    generation = named(code_switching_metrics(lambda _: (RELEVANCE,)), "generation")
    assert generation.ask is not None
    assert generation.ask(spoken(OPEN, "……")) is None


def test_each_metric_covers_its_own_items() -> None:
    english = Item("en-0", "cs_knowledge_en", "en", "?", "Utah")
    covered = {
        metric.info.name: [metric.covers(item) for item in (KNOWLEDGE, english, OPEN)] for metric in METRICS
    }
    assert covered == {
        "understanding_rate": [False, False, True],
        "generation": [False, False, True],
        "lsa": [True, False, False],
        "english_psr": [True, False, True],
        "english_wer": [True, False, True],
    }
