"""Raters against the judge, and against each other, with the statistics of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from antiphon.bench.folder import judged_of
from antiphon.bench.rating.ratings import ratings_of, response_of
from antiphon.bench.takes import Take
from antiphon.errors import ConfigError
from antiphon.judge.agreement import Agreement, agreement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.folder import RunFolder

# Values by (metric, kind of value), then by run, item and what was rated.
_Values = dict[tuple[str, str], dict[tuple[int, str], bool | float | None]]


@dataclass(frozen=True, slots=True)
class Compared:
    """`given` against `truth` under one metric: a rater's values are the truth for a judge."""

    metric: str
    given: str
    truth: str
    agreement: Agreement


def compare_raters(folders: Sequence[RunFolder]) -> list[Compared]:
    """Every rater against the judge, then every pair of raters, per metric, over all these runs together.

    Raises ConfigError where nobody has rated anything yet.
    """
    raters: dict[str, _Values] = {}
    judge: _Values = {}
    lengths: dict[tuple[int, str], int] = {}
    for number, folder in enumerate(folders):
        _, takes = folder.rows(folder.takes, Take)
        words = {take.item: take.replies[-1].text for take in takes if take.replies}
        lengths |= {(number, item): len(text) for item, text in words.items()}
        for rater, ratings in ratings_of(folder).items():
            for one in ratings:
                # A rating of words that the run no longer holds is about another reply.
                if one.item in words and one.response == response_of(words[one.item]):
                    _put(raters.setdefault(rater, {}), one.metric, number, one.item, one.value)
        for one in judged_of(folder)[1]:
            kinds = ("yes/no", "score") if one.verdict is None else (_kind(one.verdict),)
            for kind in kinds:
                judge.setdefault((one.metric, kind), {})[number, one.item] = one.verdict
    if not any(raters.values()):
        named = " or ".join(str(folder.path) for folder in folders)
        raise ConfigError(f"nobody has rated replies of {named}; antiphon judge rate RUN")
    found = [
        each for rater, values in raters.items() for each in _compared("judge", judge, rater, values, lengths)
    ]
    for (first, one), (second, two) in combinations(raters.items(), 2):
        found += _compared(second, two, first, one, lengths)
    return found


def _put(values: _Values, metric: str, number: int, item: str, value: bool | float | None) -> None:
    values.setdefault((metric, _kind(value)), {})[number, item] = value


def _kind(value: bool | float | None) -> str:
    return "yes/no" if isinstance(value, bool) else "score"


def _compared(
    given: str, mine: _Values, truth: str, theirs: _Values, lengths: Mapping[tuple[int, str], int]
) -> list[Compared]:
    found: list[Compared] = []
    for key, values in theirs.items():
        both = [(place, value) for place, value in values.items() if place in mine.get(key, {})]
        said = [value for _, value in both if value is not None]
        if not said:
            continue
        other = [mine[key][place] for place, _ in both]
        sizes = [lengths[place] for place, _ in both]
        found.append(Compared(f"{key[0]}, {key[1]}", given, truth, agreement(said, other, sizes)))
    return found
