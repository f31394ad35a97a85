from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.emotions import FIVE
from antiphon.bench.metrics.following import following_metrics, sentence_s
from antiphon.bench.metrics.wish import Wish, wish_of
from antiphon.bench.suites.vocalbench_zh.load import load
from antiphon.judge.prompt import Prompt
from antiphon.text.normalise import words
from tests.bench.bench_evidence import named, spoken, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.suite import Evidence, Metric, Scoring
    from antiphon.score import Score

PROMPT = Prompt("instruction_following", "{question}{response}是否", ("是", "否"))
METRICS: dict[Scoring, tuple[Metric, ...]] = {
    "strict": following_metrics("strict", lambda _: (PROMPT,)),
    "paper": following_metrics("paper", lambda _: (PROMPT,)),
}
SENTENCE = "深秋的黄昏，银杏叶飘落在公园长椅上。"  # 16 characters, as are the instructions with a speed


def instruction(question: str, kind: str = "Plain repeat") -> Item:
    return Item(
        "i-0",
        "instruction_following",
        "zh",
        question,
        category="Paralinguistic",
        extra={"Sub-category": kind},
    )


PLAIN = instruction(f"请跟我读。{SENTENCE}")
FAST = instruction(f"请用两倍于我的语速，跟我重复这句话。{SENTENCE}", "With speed")
SLOW = instruction(f"请用比我慢一倍的语速，跟我重复一遍。{SENTENCE}", "With speed")
SAD_FAST = instruction(f"请用两倍语速和悲伤的语气跟我重复念。{SENTENCE}", "With speed & emotion")


def score(name: str, evidence: Evidence, scoring: Scoring = "strict") -> Score:
    return named(METRICS[scoring], name).score(evidence)


def said(item: Item, heard: str | None = SENTENCE, duration_s: float = 2.0, **more: Any) -> Evidence:
    """A reply to a question of 6 s, whose sentence took 3 s."""
    evidence = spoken(item, SENTENCE, heard, duration_s=duration_s, **more)
    assert evidence.take is not None
    return replace(evidence, take=replace(evidence.take, query_s=6.0))


def test_the_sentence_was_repeated_where_it_was_heard() -> None:
    found = score("repetition_rate", said(PLAIN))
    assert (found.value, found.evidence) == (1.0, {"asked": SENTENCE, "error_rate": 0.0})
    assert score("repetition_rate", said(PLAIN, "深秋的黄昏，银杏叶飘落。")).value == 0.0


def test_words_that_were_never_spoken_are_no_repetition() -> None:
    # The reply's words are the sentence; what was heard is another. The published code compares the reply with
    # itself only and needs the judge for the rest.
    chatter = replace(said(PLAIN, "好的，银杏叶很美。"))
    assert score("repetition_rate", chatter).value == 0.0


def test_an_answer_that_is_spoken_clearly_repeats_nothing() -> None:
    answer = spoken(
        PLAIN, "银杏叶很美。", "银杏叶很美。", judged={"following_rate": verdict("following_rate", True)}
    )
    assert score("repetition_rate", answer).value == 0.0
    assert score("repetition_rate", answer, "paper").value == 1.0  # clear speech, and the judge erred


def test_paper_wants_the_judge_and_clear_speech() -> None:
    yes, no = ({"following_rate": verdict("following_rate", right)} for right in (True, False))
    assert score("repetition_rate", said(PLAIN, judged=yes), "paper").value == 1.0
    assert score("repetition_rate", said(PLAIN, judged=no), "paper").value == 0.0
    assert score("repetition_rate", said(PLAIN, "深秋的黄昏。", judged=yes), "paper").value == 0.0
    unjudged = said(PLAIN, gaps={"judge": ("not judged", "no judge")})
    assert score("repetition_rate", unjudged, "paper").status == "not judged"


@pytest.mark.parametrize(
    ("item", "duration_s", "ratio", "right"),
    [
        (FAST, 1.5, 0.5, 1.0),
        (FAST, 3.0, 1.0, 0.0),  # normal speed
        (FAST, 2.25, 0.75, 0.0),  # the bounds are out
        (SLOW, 6.0, 2.0, 1.0),
        (SLOW, 3.0, 1.0, 0.0),
        (SLOW, 4.5, 1.5, 0.0),
    ],
)
def test_speed_is_measured_against_the_sentence(
    item: Item, duration_s: float, ratio: float, right: float
) -> None:
    assert len(words(item.question, "zh")) == 2 * len(words(SENTENCE, "zh"))
    found = score("speed_rate", said(item, duration_s=duration_s))
    assert (found.value, found.evidence["duration_ratio"]) == (right, pytest.approx(ratio))


def test_paper_measures_speed_against_the_whole_question() -> None:
    assert score("speed_rate", said(FAST, duration_s=3.0), "paper").value == 1.0  # at normal speed
    assert score("speed_rate", said(SLOW, duration_s=6.0), "paper").value == 0.0  # at half speed


def test_an_emotion_must_outweigh_the_others() -> None:
    heard = dict.fromkeys(FIVE, 0.0)
    sure = heard | {"sad": 0.6, "neutral": 0.4}
    assert score("emotion_rate", said(SAD_FAST, measured=sure)).value == 1.0
    half = heard | {"sad": 0.5, "neutral": 0.5}
    assert score("emotion_rate", said(SAD_FAST, measured=half)).value == 0.0
    # The unknown counts among the six of the paper only.
    unsure = heard | {"sad": 0.3, "neutral": 0.2, "unknown": 0.5}
    assert score("emotion_rate", said(SAD_FAST, measured=unsure)).value == 1.0
    assert score("emotion_rate", said(SAD_FAST, measured=unsure), "paper").value == 0.0


def test_every_part_must_hold_for_the_item_to_follow() -> None:
    sad = {"sad": 1.0} | {name: 0.0 for name in FIVE if name != "sad"}
    found = score("following_rate", said(SAD_FAST, duration_s=1.5, measured=sad))
    assert (found.value, found.evidence) == (1.0, {"repeated": True, "speed": True, "emotion": True})
    slow = score("following_rate", said(SAD_FAST, duration_s=3.0, measured=sad))
    assert (slow.value, slow.evidence) == (0.0, {"repeated": True, "speed": False, "emotion": True})


def test_a_part_that_cannot_be_measured_leaves_no_verdict_even_where_another_failed() -> None:
    found = score("following_rate", said(SAD_FAST, "别的话。", duration_s=9.0))
    assert (found.value, found.status) == (None, "unavailable")
    deaf = said(PLAIN, gaps={"transcript": ("invalid", "not recognised: busy")})
    assert score("following_rate", deaf).reason == "not recognised: busy"
    silent = spoken(PLAIN, SENTENCE, duration_s=0.0)
    assert score("following_rate", silent).status == "excluded"
    imported = replace(said(FAST), take=spoken(FAST, SENTENCE).take)
    assert imported.take is not None
    unknown = replace(imported, take=replace(imported.take, query_s=0.0))
    assert score("speed_rate", unknown).status == "unavailable"


def test_other_instructions_are_judged_and_paralinguistic_ones_are_not_asked_about() -> None:
    content = replace(PLAIN, question="请说三种水果。", category="Content")
    metric = named(METRICS["strict"], "following_rate")
    assert metric.ask is not None
    assert metric.ask(spoken(content)) is not None
    assert metric.ask(spoken(PLAIN)) is None
    judged = spoken(content, judged={"following_rate": verdict("following_rate", False)})
    assert score("following_rate", judged).value == 0.0
    assert (
        score("following_rate", spoken(content, gaps={"judge": ("not judged", "none")})).status
        == "not judged"
    )
    paper = named(METRICS["paper"], "following_rate")
    assert paper.ask is not None
    assert paper.ask(spoken(PLAIN)) is not None


def test_parts_cover_the_items_that_ask_for_them() -> None:
    covered = {
        name: [named(METRICS["strict"], name).covers(item) for item in (PLAIN, FAST, SAD_FAST)]
        for name in ("repetition_rate", "speed_rate", "emotion_rate")
    }
    assert covered == {
        "repetition_rate": [True, True, True],
        "speed_rate": [False, True, True],
        "emotion_rate": [False, False, True],
    }


def test_the_published_rule_passes_normal_speed_and_fails_half_speed(data: Path) -> None:
    """At one rate of speech: what the fault costs, on all published instructions with a speed."""
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    passes = {"strict": [0, 0], "paper": [0, 0]}
    for item in load(folder, ["instruction_following"]):
        wish = wish_of(item) if item.category == "Paralinguistic" else None
        if not isinstance(wish, Wish) or wish.speed is None:
            continue
        normal_s = sentence_s(item, wish.sentence, 6.0)
        reply_s = normal_s if wish.speed == "twice" else 2 * normal_s
        for scoring in METRICS:
            found = score("speed_rate", said(item, duration_s=reply_s), scoring)
            passes[scoring][wish.speed == "half"] += int(found.value or 0)
    # Of 45 "fast" items repeated at normal speed, and of 55 "slow" ones at an ideal half.
    assert passes == {"strict": [0, 55], "paper": [45, 0]}
