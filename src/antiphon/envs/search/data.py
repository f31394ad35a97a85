"""The search data pipeline: requests that need a search and such that don't, with as many complementary queries as
make sense, near-duplicates removed, and today's date where freshness matters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.envs.search.near import complementary, content, near
from antiphon.envs.search.reward import MOST_QUERIES
from antiphon.errors import ConfigError
from antiphon.ids import hash_json, rng
from antiphon.text.mentions import fold
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_FRESH = re.compile(
    r"\b(?:today|tonight|now|current|currently|latest|newest|recent|recently|this (?:week|month|year)|tomorrow|yesterday"
    r"|live|right now|weather|forecast|news|stock price|exchange rate|score)\b"
    r"|今天|今日|今晚|现在|目前|当前|最新|最近|近期|本周|这周|本月|今年|明天|昨天|实时|天气|新闻|股价|汇率|比分"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Draft:
    """A request with the queries that somebody proposed for it; none where no search is needed. `fresh` None: the
    words tell whether the answer changes with time."""

    request: str
    needed: bool
    queries: tuple[str, ...] = ()
    fresh: bool | None = None
    source: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class SearchCase:
    """One training request. `queries` are references, `count` is n_ref of equation 5 (0 where no search is needed),
    and `today` is told to the model where freshness matters."""

    KIND: ClassVar[str] = "search_case"
    V: ClassVar[int] = 1
    id: str
    request: str
    language: Literal["en", "zh"]
    needed: bool
    queries: tuple[str, ...] = ()
    count: int = 0
    today: str | None = None
    source: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Prepared:
    """The cases, and how many drafts were left out for each reason."""

    cases: tuple[SearchCase, ...]
    left_out: Mapping[str, int]


def prepare(
    drafts: Sequence[Draft],
    *,
    today: str,
    needed_share: float = 0.5,
    counts: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Prepared:
    """Cases from drafts: near-duplicate requests are dropped, queries pruned and dated, and both sorts mixed.

    `counts` are estimated counts by request (a judge's, `judging.estimate_counts`); without one it is how many
    complementary queries there are. `needed_share` of the cases need a search: of the larger sort some are left
    out, drawn by `seed`. Raises ConfigError for a share outside 0…1 and a day that is no date.
    """
    if not 0 <= needed_share <= 1:
        raise ConfigError(f"needed_share {needed_share}: a share is from 0 to 1")
    try:
        day = date.fromisoformat(today)
    except ValueError:
        raise ConfigError(f"today {today!r} is no date; give it as YYYY-MM-DD") from None
    left_out: dict[str, int] = {}
    sorts: dict[bool, list[SearchCase]] = {True: [], False: []}
    for draft, reason in _distinct(drafts):
        found = reason or _case(draft, day, counts or {})
        if isinstance(found, str):
            left_out[found] = left_out.get(found, 0) + 1
        else:
            sorts[found.needed].append(found)
    kept = _mixed(sorts, needed_share, seed)
    surplus = sum(map(len, sorts.values())) - len(kept)
    return Prepared(tuple(kept), left_out | ({"too many of its sort": surplus} if surplus else {}))


def matters_when(text: str) -> bool:
    """Whether words tell that the answer changes with time."""
    return _FRESH.search(fold(text)) is not None


def dated(query: str, day: date) -> str:
    """A query with today's date, unless it names a year."""
    if _YEAR.search(query):
        return query
    zh = language_of(query) == "zh"
    return f"{query} {f'{day.year}年{day.month}月{day.day}日' if zh else day.isoformat()}"


def _distinct(drafts: Sequence[Draft]) -> Iterator[tuple[Draft, str | None]]:
    """Each draft, and why it is left out: nothing asked, or asked before in other words."""
    seen: list[frozenset[str]] = []
    for draft in drafts:
        asked = content(draft.request)
        if not draft.request.strip():
            yield draft, "an empty request"
        elif any(asked and near(asked, each) for each in seen):
            yield draft, "a near-duplicate request"
        else:
            seen.append(asked)
            yield draft, None


def _case(draft: Draft, day: date, counts: Mapping[str, int]) -> SearchCase | str:
    request = " ".join(draft.request.split())
    ident = hash_json([request, draft.needed])[:12]
    language = language_of(request)
    if not draft.needed:
        return SearchCase(ident, request, language, False, source=draft.source)
    estimate = counts.get(draft.request)
    if estimate is not None and not 1 <= estimate <= MOST_QUERIES:
        raise ConfigError(f"{request!r}: an estimated count is from 1 to {MOST_QUERIES}, not {estimate}")
    queries = complementary(draft.queries, estimate or MOST_QUERIES)
    if not queries:
        return "a search without a query"
    fresh = matters_when(request) if draft.fresh is None else draft.fresh
    if fresh:
        queries = tuple(dated(each, day) for each in queries)
    today = day.isoformat() if fresh else None
    return SearchCase(ident, request, language, True, queries, estimate or len(queries), today, draft.source)


def _mixed(sorts: Mapping[bool, Sequence[SearchCase]], share: float, seed: int) -> list[SearchCase]:
    """As many cases as the share allows, in an order drawn by the seed."""
    needed, others = len(sorts[True]), len(sorts[False])
    most = [needed / share] if share > 0 else []
    most += [others / (1 - share)] if share < 1 else []
    total = int(min(most) + 1e-9)
    wanted = {True: min(needed, round(total * share)), False: 0}
    wanted[False] = min(others, total - wanted[True])
    draw = rng(seed, "search mix")
    kept = [
        sorts[sort][at]
        for sort in (True, False)
        for at in sorted(draw.permutation(len(sorts[sort]))[: wanted[sort]])
    ]
    return [kept[at] for at in draw.permutation(len(kept))]
