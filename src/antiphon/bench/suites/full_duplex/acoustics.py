"""Version 1.5: how the agent sounds before and after the overlap: pitch and intensity.

The published script cuts the track at the beginning of the word that the overlap's end meets, leaves out the silence
before each part's first sound, and measures what is left with Praat; here the whole track was traced once (`Contour`)
and its frames are chosen. UTMOSv2 is asked about the parts where it is among the scorers; SQUIM's estimates are named,
with why they are not here.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Literal

from antiphon.audio.prosody import SILENT_DB, STEP_S
from antiphon.bench.contours import NEED
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.features import split_s
from antiphon.bench.suites.full_duplex.sides import spans_of, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.tracks import Spans

Curve = Literal["pitch_hz", "intensity_db"]
_PLACES = ("before", "after")
_ABSENT_DB = -200.0  # below it Praat's frames hold no sound at all, and the script leaves them out
_SQUIM = "torchaudio's pipeline SQUIM_OBJECTIVE gives it, whose code and weights come with torchaudio only"
_UTMOS = "utmosv2"
# Name → (title, unit, which way is better, why it is not here)
_QUALITY: dict[str, tuple[str, str, Literal["higher", "lower"], str]] = {
    "stoi": ("STOI, estimated", "", "higher", _SQUIM),
    "pesq": ("PESQ, estimated", "", "higher", _SQUIM),
    "si_sdr": ("SI-SDR, estimated", "dB", "higher", _SQUIM),
}


def _frames(curve: Curve, place: int, scoring: Scoring, evidence: Evidence) -> Sequence[float] | NoValue:
    """The curve's frames before (0) or after (1).

    paper: from the part's first sound to its end. strict: only where the agent speaks.
    """
    words, spans = words_of(scoring, evidence, "agent"), spans_of(scoring, evidence, "agent")
    contour = evidence.tracks["agent"].contour if "agent" in evidence.tracks else None
    if isinstance(words, NoValue):
        return words
    if isinstance(spans, NoValue):
        return spans
    if contour is None:
        return NoValue("invalid", "the agent's track was not traced; score the run again")
    at_s = split_s(words, evidence.item.extra["overlap"][1])
    values: Sequence[float] = getattr(contour, curve)
    end_s = len(values) * STEP_S
    if scoring == "paper" and evidence.take is not None:
        end_s = min(end_s, evidence.take.query_s)
    inside = _inside(((0.0, at_s), (at_s, end_s))[place], spans, scoring)
    return [value for at, value in enumerate(values) if _in(inside, (at + 0.5) * STEP_S)]


def _inside(part: tuple[float, float], spans: Spans, scoring: Scoring) -> Spans:
    """What counts of a part: from its first sound on (paper), or where somebody speaks (strict)."""
    inside = tuple(
        (max(start, part[0]), min(end, part[1])) for start, end in spans if start < part[1] and end > part[0]
    )
    return ((inside[0][0] if inside else part[0], part[1]),) if scoring == "paper" else inside


def _in(spans: Spans, t_s: float) -> bool:
    return any(start <= t_s < end for start, end in spans)


def _heard(curve: Curve, frames: Sequence[float]) -> list[float]:
    least = 0.0 if curve == "pitch_hz" else max(_ABSENT_DB, SILENT_DB)
    return [value for value in frames if value > least]


def level(
    curve: Curve,
    of: Callable[[Sequence[float]], float],
    least: int,
    place: int,
    scoring: Scoring,
    evidence: Evidence,
) -> Value | NoValue:
    """A number of the frames that have a pitch, or any sound, where there are at least `least` of them.

    paper: 0 where there are none, and a single frame has a deviation of 0. strict: excluded.
    """
    frames = _frames(curve, place, scoring, evidence)
    if isinstance(frames, NoValue):
        return frames
    kept = _heard(curve, frames)
    if len(kept) >= least:
        return Value(of(kept), evidence={"frames": len(kept)})
    if scoring == "paper":
        return Value(0.0, evidence={"frames": len(kept)})
    return NoValue(
        "excluded", f"the agent says nothing {_PLACES[place]} the overlap's end, or nothing that has one"
    )


def _parts(place: int, scoring: Scoring, evidence: Evidence) -> list[tuple[float, float]]:
    """The part that a scorer is asked about: from its first sound to its end (paper) or to its last sound."""
    words, spans = words_of(scoring, evidence, "agent"), spans_of(scoring, evidence, "agent")
    if isinstance(words, NoValue) or isinstance(spans, NoValue) or not spans:
        return []
    at_s, end_s = split_s(words, evidence.item.extra["overlap"][1]), spans[-1][1]
    if scoring == "paper" and evidence.take is not None:
        end_s = evidence.take.query_s
    part = ((0.0, at_s), (at_s, end_s))[place]
    inside = _inside(part, spans, "strict")
    if not inside:
        return []
    last_s = part[1] if scoring == "paper" else inside[-1][1]
    return [(round(inside[0][0], 3), round(last_s, 3))]


def opinion(place: int, scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """UTMOSv2 of the part before or after."""
    if gap := evidence.gaps.get(_UTMOS):
        return NoValue(*gap)
    parts = _parts(place, scoring, evidence)
    if not parts:
        return NoValue("excluded", f"the agent says nothing {_PLACES[place]} the overlap's end")
    found = evidence.parts.get(parts[0], {}).get(_UTMOS)
    if found is None:
        return NoValue("unavailable", "no scorer was asked; add --scorer utmosv2:")
    if isinstance(found, str):
        return NoValue("invalid", found)
    return Value(found, evidence={"part_s": list(parts[0])})


def _missing(reason: str, _: Evidence) -> NoValue:
    return NoValue("unavailable", reason)


def acoustic_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """Pitch and intensity, mean and deviation, before and after; and what is unavailable."""
    made: list[tuple[str, str, str, Curve, Callable[[Sequence[float]], float], int]] = [
        ("pitch", "Pitch", "Hz", "pitch_hz", fmean, 1),
        ("pitch_sd", "Pitch, deviation", "Hz", "pitch_hz", stdev, 2),
        ("intensity", "Intensity", "dB", "intensity_db", fmean, 1),
        ("intensity_sd", "Intensity, deviation", "dB", "intensity_db", stdev, 2),
    ]
    found = [
        Metric(
            MetricInfo(
                f"{name}_{when}", f"{title} {when}", unit, "neither", 1,
                f"The agent's {title.lower()} {when} the overlap's end (FDB v1.5).", False, "speech",
            ),
            _covers, partial(level, curve, of, least, place, scoring), ("transcript", NEED),
        )
        for name, title, unit, curve, of, least in made
        for place, when in enumerate(_PLACES)
    ]  # fmt: skip
    missing = [
        Metric(
            MetricInfo(
                f"{name}_{when}", f"{title} {when}", unit, better, 2,
                f"An estimate of the agent's quality {when} the overlap's end (FDB v1.5).", False, "speech",
            ),
            _covers, partial(_missing, reason),
        )
        for name, (title, unit, better, reason) in _QUALITY.items()
        for when in _PLACES
    ]  # fmt: skip
    opinions = [
        Metric(
            MetricInfo(
                f"{_UTMOS}_{when}", f"UTMOSv2 {when}", "", "higher", 2,
                f"The quality of the agent's speech {when} the overlap's end, estimated (FDB v1.5).", False, "speech",
                (1.0, 5.0),
            ),
            _covers, partial(opinion, place, scoring), ("transcript",), parts=partial(_parts, place, scoring),
        )
        for place, when in enumerate(_PLACES)
    ]  # fmt: skip
    return (*found, *opinions, *missing)


def _covers(item: Item) -> bool:
    return TASKS.get(item.subset) == "overlap"
