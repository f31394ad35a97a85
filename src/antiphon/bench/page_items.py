"""The items of a run's report: each question and reply with its sound, transcript, values and reasons."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from markupsafe import Markup

from antiphon.bench.folder import clip_name
from antiphon.bench.page_figures import moments, spoken, strip_length_s, subsets_of, value_text
from antiphon.bench.page_lanes import item_lanes
from antiphon.bench.speech import speech_label, speech_of
from antiphon.report.marks import marked, runs, same, told
from antiphon.report.players import Player, player
from antiphon.report.strips import Strip, strip
from antiphon.report.tables import figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.results import MetricInfo, Results
    from antiphon.bench.takes import Said, Take
    from antiphon.score import Score

PAGE_ITEMS = 600
WORST = 6
_LONGEST_EVIDENCE = 400
_LONGEST_TEXT = 6000


@dataclass(frozen=True, slots=True)
class Words:
    """A transcript beside its text: `marks` is the marked HTML, None where every word was heard;
    `told` counts the errors in words."""

    by: str
    marks: Markup | None
    plain: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class ReplyView:
    """One reply: sound, words, what the recogniser heard, and its stages."""

    player: Player | None
    text: str
    heard: Words | None
    strip: Strip | None
    note: str


@dataclass(frozen=True, slots=True)
class Value:
    """One metric of one item: the figure, or the word that stands for it with its reason."""

    info: MetricInfo
    text: str
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a value is missing, and for which metrics."""

    titles: str
    status: str
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its value; `code` sets it in monospace."""

    name: str
    value: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class ItemView:
    """One item with everything that is shown of it. `badness` in 0..1 orders the worst first."""

    item: Item
    place: int
    failure: str
    statuses: tuple[str, ...]
    badness: float | None
    query: Player | None
    understood: Words | None
    lanes: Markup | None
    replies: tuple[ReplyView, ...]
    values: tuple[Value, ...]
    reasons: tuple[Reason, ...]
    tags: tuple[str, ...]
    reused: str
    judged: tuple[Fact, ...]
    evidence: tuple[Fact, ...]
    numbers: str


@dataclass(frozen=True, slots=True)
class Section:
    """A subset's items; `left_out` counts items that only the run's files hold."""

    subset: str
    label: str
    measures: tuple[MetricInfo, ...]
    views: tuple[ItemView, ...]
    left_out: int
    speech: str = ""


@dataclass(frozen=True, slots=True)
class _Desk:
    """What every item's view is made from."""

    results: Results
    scores: Mapping[str, Sequence[Score]]
    usual: frozenset[tuple[str, str]]
    full_s: float
    embed: bool


def sections(results: Results, *, embed: bool = False) -> tuple[Section, ...]:
    """Items by subset, in the suite's order. Beyond 600 items every subset shows its worst ones only."""
    desk = _desk(results, embed=embed)
    places = {item.id: place for place, item in enumerate(results.items)}
    subsets = subsets_of(results)
    share = max(1, PAGE_ITEMS // max(1, len(subsets)))
    found: list[Section] = []
    for subset in subsets:
        items = [item for item in results.items if item.subset == subset]
        kept = items
        if len(results.items) > PAGE_ITEMS and len(items) > share:
            worst = sorted(items, key=lambda item: -(_badness(desk, item.id) or 0.0))[:share]
            kept = sorted(worst, key=lambda item: places[item.id])
        measures = _measures(desk, subset)
        views = tuple(_view(desk, item, places[item.id], measures) for item in kept)
        kinds = speech_label(speech_of(item, results.takes.get(item.id)) for item in items)
        found.append(Section(subset, spoken(subset), measures, views, len(items) - len(kept), kinds))
    return tuple(found)


def worst(parts: Iterable[Section]) -> tuple[ItemView, ...]:
    """The items that the system did worst on, worst first; items without a value are not among them."""
    views = [view for part in parts for view in part.views if view.badness]
    return tuple(sorted(views, key=lambda view: (-(view.badness or 0.0), view.place))[:WORST])


def lost(parts: Iterable[Section]) -> tuple[ItemView, ...]:
    """The items whose evidence was lost: no take, or an invalid row."""
    return tuple(view for part in parts for view in part.views if "invalid" in view.statuses)


def _desk(results: Results, *, embed: bool) -> _Desk:
    scores: dict[str, list[Score]] = {}
    for score in results.scores:
        scores.setdefault(score.item, []).append(score)
    # What is true of most rows of a metric, or is why it has no value at all, is said once above the items.
    rows = Counter(score.metric for score in results.scores)
    valued = {score.metric for score in results.scores if score.value is not None}
    told = Counter((score.metric, score.reason) for score in results.scores if score.reason)
    usual = frozenset(
        (metric, reason)
        for (metric, reason), many in told.items()
        if reason and (many * 2 > rows[metric] or metric not in valued)
    )
    return _Desk(results, scores, usual, strip_length_s(results), embed)


def _measures(desk: _Desk, subset: str) -> tuple[MetricInfo, ...]:
    """Columns of a subset's table: the metrics with something to show beyond "not judged" in every row."""
    shown = {
        score.metric
        for score in desk.results.scores
        if score.subset == subset and score.status not in ("not judged", "unavailable")
    }
    return tuple(info for name, info in desk.results.metrics.items() if name in shown)


def _badness(desk: _Desk, item: str) -> float | None:
    """The mean of an item's percentages, each turned so that 1 is worst; None without any."""
    turned: list[float] = []
    for score in desk.scores.get(item, ()):
        info = desk.results.metrics.get(score.metric)
        if info is None or score.value is None or not info.percent or info.better == "neither":
            continue
        value = min(1.0, max(0.0, score.value))
        turned.append(1 - value if info.better == "higher" else value)
    return sum(turned) / len(turned) if turned else None


def _view(desk: _Desk, item: Item, place: int, measures: Sequence[MetricInfo]) -> ItemView:
    take = desk.results.takes.get(item.id)
    scores = {score.metric: score for score in desk.scores.get(item.id, ())}
    failure = "" if take else desk.results.failures.get(item.id, "the item was not performed")
    statuses = dict.fromkeys(["invalid"] if failure else [])
    statuses |= dict.fromkeys(score.status for score in scores.values())
    badness = _badness(desk, item.id)
    numbers = {name: score.value for name, score in scores.items() if score.value is not None}
    return ItemView(
        item=item,
        place=place,
        failure=failure,
        statuses=(*statuses, *(["flawed"] if badness else [])),
        badness=badness,
        query=_player(desk, "person", take.query, f"the question of {item.id}")
        if take and take.query
        else None,
        understood=_understood(item, take),
        lanes=item_lanes(item, take, desk.results.voiced),
        replies=tuple(_reply(desk, item, said) for said in take.replies) if take else (),
        values=tuple(_value(info, scores.get(info.name)) for info in measures),
        reasons=() if failure else _reasons(desk, scores.values()),
        tags=_tags(item, take),
        reused=_reused(take),
        judged=_judged(desk, scores),
        evidence=_evidence(desk, scores),
        numbers=json.dumps(numbers | ({} if badness is None else {"worst": badness}), allow_nan=False),
    )


def _player(desk: _Desk, voice: str, digest: str, label: str) -> Player:
    name = clip_name(digest)
    side = "person" if voice == "person" else "agent"
    return player(side, desk.results.folder / name, f"../{name}", label, embed=desk.embed)


def _understood(item: Item, take: Take | None) -> Words | None:
    heard = take.replies[-1].heard if take and take.replies else None
    return _words("the system", item.question, heard) if heard is not None else None


def _words(by: str, said: str, heard: str) -> Words:
    if max(len(said), len(heard)) > _LONGEST_TEXT:
        return Words(f"{by} (too long to mark)", Markup("{}").format(heard), heard)
    found = runs(said, heard)
    return Words(by, None if same(found) else marked(found), heard, told(found))


def _reply(desk: _Desk, item: Item, said: Said) -> ReplyView:
    heard = desk.results.heard.get(said.clip) if said.clip else None
    notes = [] if said.finish in ("stop", "") else [f"ended by {said.finish}"]
    return ReplyView(
        player=_player(desk, "agent", said.clip, f"the reply to {item.id}") if said.clip else None,
        text=said.text,
        heard=_words("the recogniser", said.text, heard.text) if heard else None,
        strip=strip(moments(said.timing), desk.full_s) if said.timing else None,
        note=", ".join(notes),
    )


def _value(info: MetricInfo, score: Score | None) -> Value:
    if score is None:
        return Value(info, "", "", "does not apply to this item")
    if score.value is None:
        return Value(info, "", score.status, score.reason or "")
    return Value(info, figure(score.value, info), "", "")


def _reasons(desk: _Desk, scores: Iterable[Score]) -> tuple[Reason, ...]:
    titles: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        if score.reason and (score.metric, score.reason) not in desk.usual:
            info = desk.results.metrics.get(score.metric)
            titles.setdefault((score.status, score.reason), []).append(info.title if info else score.metric)
    return tuple(Reason(", ".join(names), status, text) for (status, text), names in titles.items())


def _tags(item: Item, take: Take | None) -> tuple[str, ...]:
    detail = str(item.extra.get("Sub-category") or item.extra.get("Level") or "")
    tags = [tag for tag in (item.category, detail, speech_of(item, take)) if tag]
    if take and take.in_flight > 1:
        tags.append(f"{take.in_flight} in flight, times do not count")
    return tuple(tags)


def _reused(take: Take | None) -> str:
    if take is None or not take.meta.get("reused"):
        return ""
    made = [dated(take.meta.get("made_at")), str(take.meta.get("machine", ""))]
    return (
        "reply and times of " + ", ".join(filter(None, made))
        if any(made)
        else "reply and times of an earlier run"
    )


def dated(made_at: object) -> str:
    """An ISO date as it reads in a page; "" for anything else."""
    try:
        made = datetime.fromisoformat(str(made_at))
    except ValueError:
        return ""
    return f"{made.day} {made:%B %Y, %H:%M}" + (f" {made:%Z}" if made.tzinfo else "")


def _judged(desk: _Desk, scores: Mapping[str, Score]) -> tuple[Fact, ...]:
    """What the judge wrote, once where several metrics rest on it."""
    said: dict[str, list[str]] = {}
    for name, score in scores.items():
        answer = score.evidence.get("answer")
        if "judge" in score.evidence and isinstance(answer, str) and answer.strip():
            info = desk.results.metrics.get(name)
            shown = f" {value_text(score.value, info)}" if info and score.value is not None else ""
            said.setdefault(answer.strip(), []).append((info.title if info else name) + shown)
    return tuple(Fact(", ".join(titles), _short(answer)) for answer, titles in said.items())


def _evidence(desk: _Desk, scores: Mapping[str, Score]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for name, score in scores.items():
        if not score.evidence:
            continue
        info = desk.results.metrics.get(name)
        title = info.title if info else name
        text = ", ".join(f"{key}: {_short(value)}" for key, value in score.evidence.items())
        shown = f"{value_text(score.value, info)} ← " if info and score.value is not None else ""
        facts.append(Fact(title, f"{shown}{text}"))
    return tuple(facts)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_EVIDENCE else f"{text[:_LONGEST_EVIDENCE]}…"
