"""Version 1.5: how soon the agent stops when somebody speaks over it, and how soon it answers.

`paper` measures as get_timing.py at d7336bd does, over the whole recording: every stretch in which both speak is
a stop latency, every gap from the person's end to the agent's next beginning a response latency; each interval
counts alike (the repository has no aggregator; forks do so). An agent that never stops has a stop latency as long
as the interruption. `strict` measures the one overlap that the sample is about.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.sides import merged, spans_of, untimed
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.tracks import Spans

PERSON_GAP_S, AGENT_GAP_S = 0.6, 0.5


def stops(person: Spans, agent: Spans) -> list[tuple[float, float]]:
    """Every stretch in which both speak; of those that end together (to the millisecond) the shortest."""
    shortest: dict[int, tuple[float, float]] = {}
    for p_start, p_end in person:
        for a_start, a_end in agent:
            start, end = max(p_start, a_start), min(p_end, a_end)
            key = round(end * 1000)
            if end > start and (key not in shortest or end - start < shortest[key][1] - shortest[key][0]):
                shortest[key] = (start, end)
    return sorted(shortest.values(), key=lambda span: span[1])


def answers(person: Spans, agent: Spans) -> list[tuple[float, float]]:
    """From each end of the person's to the agent's next beginning; where several lead to one, the shortest."""
    latest: dict[int, tuple[float, float]] = {}
    for _, end in person:
        start = next((a_start for a_start, _ in agent if a_start > end), None)
        if start is not None:
            key = round(start * 1000)
            if key not in latest or end > latest[key][0]:
                latest[key] = (end, start)
    return sorted(latest.values(), key=lambda gap: gap[1])


def _sides(scoring: Scoring, evidence: Evidence) -> tuple[Spans, Spans] | NoValue:
    person, agent = (spans_of(scoring, evidence, side) for side in ("user", "agent"))
    if isinstance(person, NoValue):
        return person
    if isinstance(agent, NoValue):
        return agent
    return merged(person, PERSON_GAP_S), merged(agent, AGENT_GAP_S)


def _mean(intervals: list[tuple[float, float]], what: str) -> Value | NoValue:
    """The intervals of one sample: weighted by their number, so that a group's value counts each interval alike."""
    if not intervals:
        return NoValue("excluded", what)
    lengths = [round(round(end, 3) - round(start, 3), 6) for start, end in intervals]
    return Value(float(np.mean(lengths)), weight=len(lengths), evidence={"intervals": intervals})


def stop_latency(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds for which the agent speaks on over somebody.

    strict: from the overlap's beginning to the end of the agent's stretch; excluded where the agent was silent
    then, or spoke on to the overlap's end, which is not stopping (`stopped` counts that).
    """
    if (gap := untimed(evidence)) is not None:
        return gap
    sides = _sides(scoring, evidence)
    if isinstance(sides, NoValue):
        return sides
    if scoring == "paper":
        return _mean(stops(*sides), "the two never speak at once")
    end_s = _held_until(evidence, sides[1])
    if isinstance(end_s, NoValue):
        return end_s
    start_s, over_s = evidence.item.extra["overlap"]
    if end_s >= over_s:
        return NoValue("excluded", "the agent did not stop while the overlap lasted")
    return Value(end_s - start_s, evidence={"stopped_at_s": end_s})


def stopped(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent, speaking when the overlap began, fell silent before it ended."""
    sides = _sides(scoring, evidence)
    if isinstance(sides, NoValue):
        return sides
    end_s = _held_until(evidence, sides[1])
    if isinstance(end_s, NoValue):
        return end_s
    return Value(float(end_s < evidence.item.extra["overlap"][1]), evidence={"spoke_until_s": end_s})


def _held_until(evidence: Evidence, agent: Spans) -> float | NoValue:
    start_s = evidence.item.extra["overlap"][0]
    held = [end for start, end in agent if start <= start_s < end]
    return held[0] if held else NoValue("excluded", "the agent was not speaking when the overlap began")


def response_latency(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds from the person's end to the agent's next beginning. strict: from the end of the overlap."""
    if (gap := untimed(evidence)) is not None:
        return gap
    sides = _sides(scoring, evidence)
    if isinstance(sides, NoValue):
        return sides
    if scoring == "paper":
        return _mean(answers(*sides), "the agent never begins after the person has ended")
    end_s = evidence.item.extra["overlap"][1]
    starts = [start for start, _ in sides[1] if start > end_s]
    if not starts:
        return NoValue("excluded", "the agent never begins after the overlap has ended")
    return Value(starts[0] - end_s, evidence={"begins_at_s": starts[0]})


def overlap_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The times of version 1.5, and under strict how often the agent stopped at all."""
    found = [
        (MetricInfo(
            "stop_latency_s", "Stop latency", "s", "lower", 3,
            "For how long the agent speaks on over somebody (FDB v1.5).", False, "time",
        ), stop_latency),
        (MetricInfo(
            "response_latency_s", "Response latency", "s", "lower", 3,
            "From the end of the person's speech to the agent's next beginning (FDB v1.5).", False, "time",
        ), response_latency),
    ]  # fmt: skip
    if scoring == "strict":
        found.append(
            (MetricInfo(
                "stopped", "Stopped", "%", "neither", 1,
                "The agent was speaking when the overlap began, and fell silent before it ended (ours).", True,
            ), stopped)
        )  # fmt: skip
    return tuple(
        Metric(info, lambda item: TASKS.get(item.subset) == "overlap", partial(measure, scoring))
        for info, measure in found
    )
