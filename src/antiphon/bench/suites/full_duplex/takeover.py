"""Version 1.0: whether the agent takes the turn, in a pause, at its end, and when it is interrupted; and how soon.

`paper` counts as the scripts at d7336bd do: words anywhere on the agent's track, and a turn is taken unless they
are at most three within less than a second. `strict` looks at the moment that the task is about.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.judging import ask_rating
from antiphon.bench.suites.full_duplex.sides import said, spans_of, untimed, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.suites.full_duplex.sides import Words
    from antiphon.judge.judge import Ask
    from antiphon.models.ports import TimedWord

SHORT_S, FEW_WORDS = 1.0, 3


def takes_turn(words: Sequence[TimedWord]) -> bool:
    """Whether words are more than an acknowledgement: a second from first to last, or more than three."""
    if not words:
        return False
    return words[-1].end_s - words[0].start_s >= SHORT_S or len(words) > FEW_WORDS


def _from(words: Words, start_s: float, end_s: float | None = None) -> Words:
    return tuple(
        word for word in words if word.start_s >= start_s and (end_s is None or word.start_s < end_s)
    )


def pause(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent takes the turn although the person only pauses.

    strict: by words that begin after the first pause did and before the person's last sound, so that an answer
    to the finished turn is none.
    """
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    if scoring == "strict":
        person = spans_of(scoring, evidence, "user")
        if isinstance(person, NoValue):
            return person
        start_s = float(evidence.item.extra["pauses"][0][0])
        end_s = person[-1][1] if person else 0.0
        if end_s <= start_s:
            return NoValue("excluded", "the person does not go on after the pause")
        words = _from(words, start_s, end_s)
    return Value(float(takes_turn(words)), evidence={"words": said(words)})


def turn(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent takes the turn that the person has left. strict: by words that begin after its end."""
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    if scoring == "strict":
        words = _from(words, float(evidence.item.extra["turn_end"]))
    return Value(float(takes_turn(words)), evidence={"words": said(words)})


def interruption(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent speaks after it was interrupted.

    paper: by words after the interruption's end, whether or not the agent had ever stopped. strict: only where
    it began anew, after the interruption had begun.
    """
    words = words_of(scoring, evidence, "agent")
    spans = spans_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    if isinstance(spans, NoValue):
        return spans
    start_s, end_s = evidence.item.extra["interruption"]
    after = _from(words, end_s)
    taken = takes_turn(after)
    if scoring == "strict":
        taken = taken and any(start >= start_s for start, _ in spans)
    return Value(float(taken), evidence={"words": said(after)})


def latency(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds from the end of the person's turn or interruption to the agent's answer; only where it took the turn.

    paper: to its first word anywhere (after an interruption: after its end), and 0 where that lies before.
    strict: to the first sound that begins after; excluded where the agent had begun before.
    """
    if (gap := untimed(evidence)) is not None:
        return gap
    interrupted = TASKS[evidence.item.subset] == "interruption"
    took = (interruption if interrupted else turn)(scoring, evidence)
    if isinstance(took, NoValue):
        return took
    if took.value == 0.0:
        return NoValue("excluded", "the agent did not take the turn")
    extra = evidence.item.extra
    end_s = float(extra["interruption"][1] if interrupted else extra["turn_end"])
    if scoring == "paper":
        words = words_of(scoring, evidence, "agent")
        if isinstance(words, NoValue):
            return words
        first = (_from(words, end_s) if interrupted else words)[0]
        return Value(max(0.0, first.start_s - end_s), evidence={"first_word": first.text})
    return _sounds(scoring, evidence, end_s)


def _sounds(scoring: Scoring, evidence: Evidence, end_s: float) -> Value | NoValue:
    spans = spans_of(scoring, evidence, "agent")
    if isinstance(spans, NoValue):
        return spans
    if any(start < end_s < end for start, end in spans):
        return NoValue("excluded", "the agent was speaking when the person ended")
    starts = [start for start, _ in spans if start >= end_s]
    if not starts:
        return NoValue("invalid", "the recogniser heard words where the detector found no voice")
    return Value(starts[0] - end_s, evidence={"first_sound_s": starts[0]})


def _asks(scoring: Scoring, evidence: Evidence) -> Ask | None:
    took = interruption(scoring, evidence)
    if isinstance(took, NoValue) or took.value == 0.0:
        return None
    return ask_rating(evidence, str(took.evidence["words"]))


def _rating(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    took = interruption(scoring, evidence)
    if isinstance(took, NoValue):
        return took
    if took.value == 0.0:
        return NoValue("excluded", "the agent did not take the turn")
    return verdict_of("interruption_rating", evidence)


def _about(*tasks: str) -> Callable[[Item], bool]:
    return lambda item: TASKS.get(item.subset) in tasks


def takeover_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The metrics of pauses, ends of turns and interruptions."""
    return (
        Metric(
            MetricInfo(
                "pause_takeover", "Takeover in a pause", "%", "lower", 1,
                "The agent takes the turn although the person only pauses (FDB v1.0, TOR).", True,
            ),
            _about("pause"), partial(pause, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "turn_takeover", "Turn taken", "%", "higher", 1,
                "The agent takes the turn that the person has left (FDB v1.0, TOR).", True,
            ),
            _about("turn"), partial(turn, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "interruption_takeover", "Interruption answered", "%", "higher", 1,
                "The agent speaks after it was interrupted (FDB v1.0, TOR).", True,
            ),
            _about("interruption"), partial(interruption, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "takeover_latency_s", "Latency", "s", "lower", 3,
                "From the end of the person's turn to the agent's answer, where it took the turn (FDB v1.0).", False,
                "time",
            ),
            _about("turn", "interruption"), partial(latency, scoring), ("transcript",),
        ),
        Metric(
            MetricInfo(
                "interruption_rating", "Rating of the answer", "", "higher", 2,
                "A judge's rating from 0 to 5 of what follows an interruption; our prompt (FDB v1.0, GPT-score).",
                False, ends=(0.0, 5.0),
            ),
            _about("interruption"), partial(_rating, scoring), ("judge", "transcript"), partial(_asks, scoring),
        ),
    )  # fmt: skip
