"""Latency: real-time factor, time to the first token, time to the first sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.takes import Said, Timing


def _timed(evidence: Evidence, pick: Callable[[Said, Timing], Value | NoValue]) -> Value | NoValue:
    take = evidence.take
    said = evidence.said
    if said.timing is None:
        return NoValue("unavailable", "these outputs came from elsewhere, without times")
    if take is not None and take.in_flight > 1:
        return NoValue("excluded", f"{take.in_flight} requests were in flight; times count only for one")
    found = pick(said, said.timing)
    if isinstance(found, Value) and take is not None and take.meta.get("reused"):
        found.evidence["reused"] = True
    return found


def real_time_factor(generation_us: int, response_s: float) -> float:
    """Generation time over response duration, both of one reply; below 1 is faster than speech.

    Table 14 of the paper is sum(generation) / sum(response) over the items, although its eq. 4 prints
    the inverse and a mean of ratios; the weight of a row is therefore its response's duration.
    Raises ValueError for a response without duration.
    """
    if response_s <= 0:
        raise ValueError("a response without sound has no real-time factor")
    return generation_us / 1e6 / response_s


def _real_time_factor(said: Said, timing: Timing) -> Value | NoValue:
    if said.duration_s <= 0:
        return NoValue("excluded", "the reply has no speech")
    return Value(real_time_factor(timing.end_us, said.duration_s), weight=said.duration_s)


def _first(which: str) -> Callable[[Said, Timing], Value | NoValue]:
    def pick(_: Said, timing: Timing) -> Value | NoValue:
        at_us = timing.first_token_us if which == "token" else timing.first_audio_us
        if at_us is None:
            return NoValue(
                "excluded", "the reply has no words" if which == "token" else "the reply has no speech"
            )
        return Value(at_us / 1e6)

    return pick


RTF = Metric(
    MetricInfo(
        "rtf", "Real-time factor", "", "lower", 2,
        "Generation time over response duration, totals over the items (VocalBench-zh, Table 14).", False, "time",
    ),
    covers=lambda _: True,
    measure=lambda evidence: _timed(evidence, _real_time_factor),
)  # fmt: skip
FIRST_TOKEN = Metric(
    MetricInfo(
        "first_token_s", "First token", "s", "lower", 2,
        "From the end of the question to the first words (VocalBench-zh, Limitations: future work).", False, "time",
    ),
    covers=lambda _: True,
    measure=lambda evidence: _timed(evidence, _first("token")),
)  # fmt: skip
FIRST_AUDIO = Metric(
    MetricInfo(
        "first_audio_s", "First audio", "s", "lower", 2,
        "From the end of the question to the first sound (VocalBench-zh, Limitations: future work).", False, "time",
    ),
    covers=lambda _: True,
    measure=lambda evidence: _timed(evidence, _first("audio")),
)  # fmt: skip
LATENCY = (RTF, FIRST_TOKEN, FIRST_AUDIO)
