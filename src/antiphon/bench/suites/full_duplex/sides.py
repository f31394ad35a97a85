"""What a metric reads of the two sides: words and stretches of speech in time, or why there are none.

`paper` sees as much of the agent's track as the published scripts do: as long as the person's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.suite import NoValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.tracks import Spans
    from antiphon.models.ports import TimedWord

Words = tuple["TimedWord", ...]


def words_of(scoring: Scoring, evidence: Evidence, side: str) -> Words | NoValue:
    """A side's words in time."""
    track = evidence.tracks.get(side)
    if track is None:
        return NoValue("invalid", f"the take has no track of {side.replace('_', ' ')}")
    if track.words is None:
        return NoValue("unavailable" if track.text is not None else "invalid", track.problem)
    end_s = _end_s(scoring, evidence, side)
    return tuple(word for word in track.words if end_s is None or word.start_s < end_s)


def spans_of(scoring: Scoring, evidence: Evidence, side: str) -> Spans | NoValue:
    """Where a side speaks."""
    track = evidence.tracks.get(side)
    if track is None or track.spans is None:
        return NoValue("invalid", f"no voices were looked for on the track of {side.replace('_', ' ')}")
    return clipped(track.spans, _end_s(scoring, evidence, side))


def clipped(spans: Spans, end_s: float | None) -> Spans:
    """The spans before `end_s`."""
    if end_s is None:
        return spans
    return tuple((start, min(end, end_s)) for start, end in spans if start < end_s)


def _end_s(scoring: Scoring, evidence: Evidence, side: str) -> float | None:
    if scoring == "strict" or not side.endswith("agent") or evidence.take is None:
        return None
    return evidence.take.query_s


def merged(spans: Sequence[tuple[float, float]], gap_s: float) -> Spans:
    """Spans with pauses of up to `gap_s` closed."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start - found[-1][1] <= gap_s:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def said(words: Sequence[TimedWord]) -> str:
    """Words as a text."""
    return " ".join(word.text for word in words)


def untimed(evidence: Evidence) -> NoValue | None:
    """Why the times of a take do not count; None where they do."""
    many = evidence.take.in_flight if evidence.take is not None else 1
    if many > 1:
        return NoValue("excluded", f"{many} sessions ran at once; times count only for one")
    return None
