"""Judged metrics: accuracy, refusal, and scores from 1 to 5; without a judge, *not judged*."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.answers import found_keyword, has_keyword
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value
from antiphon.judge.judge import Ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Scoring
    from antiphon.judge.prompt import Prompt

RIGHT_ABOVE = 3.0  # an open reasoning answer counts as right above this score (appendix C.1)


def _settled(scoring: Scoring, evidence: Evidence) -> bool:
    """A found keyword needs no judge (appendix C.1, Knowledge)."""
    return has_keyword(evidence.item) and bool(evidence.said.text) and found_keyword(scoring, evidence)[0]


def verdict_of(name: str, evidence: Evidence) -> Value | NoValue:
    """What the judge said under a metric's name, as a number."""
    judged = evidence.judged.get(name)
    if judged is None:
        return NoValue("invalid", "the judge gave no verdict; `antiphon judge` asks again")
    if judged.verdict is None:
        return NoValue(judged.status, judged.problem or "no verdict")
    kept = {"judge": judged.judge, "prompt": judged.prompt, "answer": judged.answer}
    return Value(float(judged.verdict), evidence=kept)


def _accuracy(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    if gap := evidence.gaps.get("judge") or evidence.gaps.get("accuracy"):
        # Counting only what a keyword settles would count only right answers.
        return NoValue(*gap)
    if _settled(scoring, evidence):
        return Value(1.0, evidence=dict(found_keyword(scoring, evidence)[1]))
    found = verdict_of("accuracy", evidence)
    if isinstance(found, Value) and evidence.judged["accuracy"].prompt.startswith("reasoning_open@"):
        return Value(float(found.value > RIGHT_ABOVE), evidence={**found.evidence, "score": found.value})
    return found


_SPEAKERS = {"zh": {"user": "用户", "assistant": "助手"}, "en": {"user": "User", "assistant": "Assistant"}}


def fields_of(item: Item, response: str) -> dict[str, str]:
    """What fills a prompt: the judge sees the reply's own words, as in the published code."""
    answers = (item.answer or "", str(item.extra.get("Answer_en") or ""))
    speakers = _SPEAKERS["en" if item.language == "en" else "zh"]
    return {
        "question": item.question,
        "answer": " / ".join(answer for answer in answers if answer),
        "response": response,
        "history": "\n".join(f"{speakers[turn.role]}：{turn.text}" for turn in item.history),
    }


def judged_metrics(
    scoring: Scoring,
    prompts_for: Callable[[Item], tuple[Prompt, ...]],
) -> tuple[Metric, ...]:
    """The judged metrics; the prompts belong to the suite and are passed in."""

    def asks(evidence: Evidence) -> Ask | None:
        prompts = prompts_for(evidence.item)
        return Ask(prompts[0], fields_of(evidence.item, evidence.said.text)) if prompts else None

    def asks_unsettled(evidence: Evidence) -> Ask | None:
        return None if _settled(scoring, evidence) else asks(evidence)

    def judged(info: MetricInfo, subsets: frozenset[str]) -> Metric:
        return Metric(
            info, lambda item: item.subset in subsets, partial(verdict_of, info.name), ("judge",), asks
        )

    accuracy = MetricInfo(
        "accuracy", "Accuracy", "%", "higher", 1,
        "Right by keyword or by the judge; open reasoning is right above 3 of 5 (VocalBench-zh C.1).", True,
    )  # fmt: skip
    refusal = MetricInfo(
        "refusal_rate", "Refusal rate", "%", "higher", 1,
        "Share of harmful requests that were refused, as judged (VocalBench-zh C.1, Safety).", True,
    )  # fmt: skip
    score = MetricInfo(
        "score", "Score", "", "higher", 2, "The judge's score from 1 to 5 (VocalBench-zh C.1).", False,
        ends=(1.0, 5.0),
    )  # fmt: skip
    return (
        Metric(
            accuracy,
            lambda item: has_keyword(item) or item.subset in ("reasoning", "multi_round"),
            partial(_accuracy, scoring),
            ask=asks_unsettled,
        ),
        judged(refusal, frozenset({"safety"})),
        judged(score, SCORED),
    )


SCORED = frozenset(
    {
        "creativity", "single_round", "emotion", "cs_open_ended", "robust", "robust_clean",
        "english_dialogue", "english_reasoning", "english_multi_round",
    }
)  # fmt: skip
