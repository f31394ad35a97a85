"""Version 3.0: whether the agent speaks at all, whether it interrupts, how soon it answers, and with how much filler.

The person's end is, under `paper`, their last recognised word before a gap of more than two seconds; under
`strict` their last sound.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.judging import ask_filler
from antiphon.bench.suites.full_duplex.sides import said, spans_of, untimed, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS
from antiphon.bench.suites.full_duplex.takeover import takes_turn
from antiphon.bench.suites.full_duplex.tool_use import spoke

if TYPE_CHECKING:
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.suites.full_duplex.sides import Words
    from antiphon.judge.judge import Ask

GAP_S = 2.0


def last_word_s(words: Words) -> float | None:
    """The end of the last word before the first gap of more than two seconds; None without words."""
    for word, following in pairwise(words):
        if following.start_s - word.end_s > GAP_S:
            return word.end_s
    return words[-1].end_s if words else None


def _person_end_s(scoring: Scoring, evidence: Evidence) -> float | NoValue:
    if scoring == "paper":
        words = words_of(scoring, evidence, "user")
        if isinstance(words, NoValue):
            return words
        end_s = last_word_s(words)
        return NoValue("invalid", "no word of the person was recognised") if end_s is None else end_s
    spans = spans_of(scoring, evidence, "user")
    if isinstance(spans, NoValue):
        return spans
    return spans[-1][1] if spans else NoValue("invalid", "no sound of the person was found")


def take_turn(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent says anything at all."""
    found = spoke(scoring, evidence)
    return found if isinstance(found, NoValue) else Value(float(found))


def interrupts(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent speaks before the person has ended; only where it speaks.

    strict: with more than an acknowledgement (a second, or more than three words) before that end.
    """
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    if not words:
        return NoValue("excluded", "the agent says nothing")
    end_s = _person_end_s(scoring, evidence)
    if isinstance(end_s, NoValue):
        return end_s
    early = words[0].start_s < end_s
    if scoring == "strict":
        early = takes_turn(tuple(word for word in words if word.start_s < end_s))
    return Value(float(early), evidence={"person_ends_s": end_s, "agent_begins_s": words[0].start_s})


def first_response(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds from the person's end to the agent's first word; excluded where it interrupts."""
    if (gap := untimed(evidence)) is not None:
        return gap
    found = interrupts(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    wait_s = found.evidence["agent_begins_s"] - found.evidence["person_ends_s"]
    if found.value == 1.0 or wait_s < 0:
        return NoValue("excluded", "the agent began before the person had ended")
    return Value(wait_s, evidence=found.evidence)


def first_call(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds from the person's end to the first call of a tool; negative where it was called before."""
    if (gap := untimed(evidence)) is not None:
        return gap
    end_s = _person_end_s(scoring, evidence)
    if isinstance(end_s, NoValue):
        return end_s
    calls = evidence.take.calls if evidence.take is not None else ()
    if not calls:
        return NoValue("excluded", "no tool was called")
    return Value(calls[0].at_s - end_s, evidence={"called_at_s": calls[0].at_s})


def _ask_filler(scoring: Scoring, evidence: Evidence) -> Ask | None:
    words = words_of(scoring, evidence, "agent")
    return None if isinstance(words, NoValue) or not words else ask_filler(said(words))


def filler(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where words that only fill time come first, as judged; only where the agent speaks."""
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    return verdict_of("filler", evidence) if words else NoValue("excluded", "the agent says nothing")


def speaks_first(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent speaks after the person's end and before its last tool was called: it fills the wait."""
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    end_s = _person_end_s(scoring, evidence)
    if isinstance(end_s, NoValue):
        return end_s
    calls = evidence.take.calls if evidence.take is not None else ()
    if not words or not calls:
        return NoValue("excluded", "the agent says nothing, or calls no tool")
    between = [word for word in words if end_s <= word.start_s < calls[-1].at_s]
    return Value(float(bool(between)), evidence={"words": said(between)})


def dynamics_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The metrics of turn-taking of version 3.0."""
    found = [
        Metric(
            MetricInfo("take_turn", "Take-turn", "%", "higher", 1, "The agent says anything at all (FDB v3.0).", True),
            _covers, partial(take_turn, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "interrupt", "Interrupt", "%", "lower", 1,
                "The agent speaks before the person has ended; where it speaks (FDB v3.0).", True,
            ),
            _covers, partial(interrupts, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "filler", "Filler", "%", "lower", 1,
                "Words that only fill time come first, as judged with our prompt; where it speaks (FDB v3.0).", True,
            ),
            _covers, partial(filler, scoring), ("judge", "transcript"), partial(_ask_filler, scoring),
        ),
        Metric(
            MetricInfo(
                "first_response_s", "First response", "s", "lower", 3,
                "From the person's end to the agent's first word, interruptions left out (FDB v3.0).", False, "time",
            ),
            _covers, partial(first_response, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "tool_call_s", "First tool call", "s", "lower", 3,
                "From the person's end to the first call of a tool (FDB v3.0).", False, "time",
            ),
            _covers, partial(first_call, scoring), ("transcript",) if scoring == "paper" else (),
        ),
    ]  # fmt: skip
    if scoring == "strict":
        found.append(
            Metric(
                MetricInfo(
                    "speaks_before_tools", "Speaks before its tools end", "%", "neither", 1,
                    "Words between the person's end and the last call of a tool: filler by the clock (ours).", True,
                ),
                _covers, partial(speaks_first, scoring), ("transcript",),
            )
        )  # fmt: skip
    return tuple(found)


def _covers(item: object) -> bool:
    return TASKS.get(getattr(item, "subset", "")) == "tools"
