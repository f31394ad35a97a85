"""Version 1.0, backchannels: whether the agent leaves the floor to a person who tells something, how often it
murmurs, and whether it does so where people do.

`paper` repeats the script at d7336bd, faults included: the detector is given the track unresampled, so that its
seconds are not the words' seconds; the last stretch decides alone; stretches that count as takeovers count as
backchannels too; the "divergence" is scipy's distance in nats, at most 0.833, and 1 for an agent that is silent.
`strict` mends these: any stretch can take the floor, only the others are backchannels, and the divergence is in
bits (0 to 1) and excluded where there is nothing to compare.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.sides import clipped, spans_of, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.suites.full_duplex.sides import Words
    from antiphon.bench.tracks import Spans

BIN_S, EPSILON = 0.2, 1e-10
LONG_S, SHORT_S = 3.0, 1.0


def takes_floor(span: tuple[float, float], words: Words) -> bool:
    """Whether a stretch is more than a backchannel: over 3 s, over three words, a second long, or over two
    words in less."""
    start, end = span
    inside = sum(word.start_s <= end and (word.end_s > start or word.start_s >= start) for word in words)
    if end - start > LONG_S or inside > 3:
        return True
    return inside > 2 if end - start < SHORT_S else True


def as_published(spans: Spans, words: Words) -> tuple[bool, Spans]:
    """Takeover and backchannels as the script finds them: it stops at a long stretch, else the last one decides."""
    taken, found = False, list[tuple[float, float]]()
    for span in spans:
        if span[1] - span[0] > LONG_S:
            return True, tuple(found)
        taken = takes_floor(span, words)
        found.append(span)
    return taken, tuple(found)


def histogram(spans: Spans, duration_s: float) -> NDArray[np.float64]:
    """How many spans touch each 0.2 s, shape (bins,), as a distribution."""
    counts = np.full(int(duration_s / BIN_S) + 1, EPSILON)
    for start, end in spans:
        counts[int(start / BIN_S) : int(end / BIN_S) + 1] += 1
    return counts / counts.sum()


def divergence(ours: NDArray[np.float64], people: Sequence[float]) -> float:
    """Jensen-Shannon divergence in bits, 0 to 1, between two distributions over the same stretch of time; the
    second is interpolated to the bins of the first.

    Source: J. Lin, IEEE Transactions on Information Theory 37 (1991), eq. 4.1 with equal weights.
    """
    places = np.linspace(0, 1, len(people)), np.linspace(0, 1, len(ours))
    theirs = np.interp(places[1], places[0], np.asarray(people, dtype=np.float64))
    theirs = theirs / theirs.sum()
    middle = (ours + theirs) / 2

    def against(one: NDArray[np.float64]) -> float:
        there = one > 0
        return float((one[there] * np.log2(one[there] / middle[there])).sum())

    return max(0.0, (against(ours) + against(theirs)) / 2)


def distance(bits: float) -> float:
    """The published "JSD": the square root of the divergence in nats, 0 to 0.8326."""
    return float(np.sqrt(bits * np.log(2)))


def _stretches(scoring: Scoring, evidence: Evidence) -> tuple[bool, Spans] | NoValue:
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    if scoring == "paper":
        mistaken = evidence.tracks["agent"].unresampled
        if mistaken is None:
            return NoValue("invalid", "no voices were looked for on the track of agent")
        return as_published(clipped(mistaken, _mistaken_end_s(evidence)), words)
    spans = spans_of(scoring, evidence, "agent")
    if isinstance(spans, NoValue):
        return spans
    small = tuple(span for span in spans if not takes_floor(span, words))
    return len(small) < len(spans), small


def _mistaken_end_s(evidence: Evidence) -> float:
    """The end of the person's track in the seconds of a detector that takes the agent's rate for 16 kHz."""
    track = evidence.tracks["agent"]
    true, mistaken = track.spans, track.unresampled
    if not true or not mistaken or evidence.take is None:
        return float("inf")
    rate_hz = evidence.take.meta.get("agent_rate_hz", 16_000)
    return evidence.take.query_s * float(rate_hz) / 16_000


def takeover(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent takes the floor from a person who goes on speaking."""
    found = _stretches(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    return Value(float(found[0]), evidence={"backchannels": len(found[1])})


def frequency(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Backchannels a second of the person's track."""
    found = _stretches(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    return Value(len(found[1]) / _duration_s(evidence), evidence={"backchannels": len(found[1])})


def timing(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """How far the agent's backchannels lie from people's on the same recording; 0 is alike."""
    people = evidence.item.extra.get("people")
    if not people:
        return NoValue(
            "unavailable",
            "no distribution of people's backchannels: put icc_gt_distribution.json beside the data",
        )
    found = _stretches(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    if not found[1]:
        if scoring == "paper":
            return Value(1.0, evidence={"backchannels": 0})
        return NoValue("excluded", "the agent gave no backchannel")
    bits = divergence(histogram(found[1], _duration_s(evidence)), people)
    return Value(distance(bits) if scoring == "paper" else bits, evidence={"backchannels": len(found[1])})


def _duration_s(evidence: Evidence) -> float:
    return max(BIN_S, evidence.take.query_s if evidence.take is not None else 0.0)


def backchannel_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The metrics of backchannels."""
    infos = (
        (MetricInfo(
            "backchannel_takeover", "Takeover of the floor", "%", "lower", 1,
            "The agent takes the floor from a person who goes on speaking (FDB v1.0, TOR).", True,
        ), takeover),
        (MetricInfo(
            "backchannel_frequency", "Backchannels", "1/s", "neither", 3,
            "Backchannels of the agent for each second of the person's track (FDB v1.0, Freq).", False,
        ), frequency),
        (MetricInfo(
            "backchannel_jsd", "Timing of backchannels", "", "lower", 3,
            "Jensen-Shannon divergence from people's backchannels in bits; paper: a distance (FDB v1.0, JSD).", False,
            ends=(1.0, 0.0),
        ), timing),
    )  # fmt: skip
    return tuple(
        Metric(
            info,
            lambda item: TASKS.get(item.subset) == "backchannel",
            partial(measure, scoring),
            ("transcript",),
        )
        for info, measure in infos
    )
