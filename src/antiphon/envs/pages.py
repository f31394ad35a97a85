"""The report of a scored run of episodes: verdicts, dialogues with tool traces and state changes, why they failed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from antiphon.envs.run import EnvFolder, clip_name
from antiphon.envs.tables import between, percent
from antiphon.jsonl import write_text
from antiphon.report import page
from antiphon.report.players import Player, player
from antiphon.report.plots import Dot, dot_plot
from antiphon.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from antiphon.envs.results import EnvResults, Group
    from antiphon.envs.verdict import Verdict
    from antiphon.stats import Summary
    from antiphon.trace import Step

PAGE_EPISODES = 400
WORST = 8
_LONGEST = 500
_NAMES = {"user": "caller", "assistant": "agent"}
_WORDS = {True: "passed", False: "failed", None: "invalid"}

Side = Literal["person", "agent", "tool"]


@dataclass(frozen=True, slots=True)
class StepView:
    """One step: who, what was said or called, what came back, what changed. `side` picks colour and label."""

    side: Side
    who: str
    text: str
    at: str
    call: str = ""
    result: str = ""
    failed: bool = False
    changes: tuple[tuple[str, str, str], ...] = ()
    cues: str = ""
    heard: str = ""
    player: Player | None = None


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """One episode with its verdict. `notes` are (kind, text) lines that say why."""

    place: int
    task: str
    trial: int
    outcome: str
    tags: tuple[str, ...]
    word: str
    reason: str
    stop: str
    notes: tuple[tuple[str, str], ...]
    resampled: tuple[str, ...]
    steps: tuple[StepView, ...]
    numbers: str

    @property
    def statuses(self) -> str:
        return ",".join((self.word, self.stop.replace(" ", "_")))


@dataclass(frozen=True, slots=True)
class Section:
    """The episodes of one outcome; `left_out` counts those that only the run's files hold."""

    outcome: str
    views: tuple[EpisodeView, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its value; `code` sets it in monospace."""

    name: str
    value: str
    code: bool = False


def render(results: EnvResults, *, embed_audio: bool = False) -> str:
    """The page as HTML. Its players point to `../clips/`, or carry their sound with `embed_audio`."""
    parts = sections(results, embed=embed_audio)
    views = [view for part in parts for view in part.views]
    failed = [view for view in views if view.word == "failed"]
    whole = results.groups[0] if results.groups else None
    return page.render(
        "antiphon.envs",
        "episodes.html",
        {
            "manifest": results.manifest,
            "labels": [label for label in results.labels if not label.startswith("scripted system")],
            "scripted": results.manifest.system.startswith("scripted:"),
            "speech": results.manifest.speech,
            "date": str(results.manifest.meta.get("made_at", ""))[:10],
            "k": results.k,
            "groups": results.groups,
            "whole": whole,
            "percent": percent,
            "between": between,
            "picture": _picture(results.groups),
            "failed": failed[:WORST],
            "failed_more": len(failed) - WORST,
            "lost": [view for view in views if view.word == "invalid"],
            "reasons": Counter(each.reason for each in results.verdicts if each.passed is False).most_common(8),
            "sections": parts,
            "count": len(results.verdicts),
            "stops": sorted({view.stop for view in views}),
            "how": _how(results),
        },
    )  # fmt: skip


def write(results: EnvResults, *, embed_audio: bool = False) -> Path:
    """Write `report/index.html` into the run's folder, all or nothing; gives back where it is."""
    path = EnvFolder(results.folder).report
    write_text(path, render(results, embed_audio=embed_audio))
    return path


def sections(results: EnvResults, *, embed: bool = False) -> tuple[Section, ...]:
    """Episodes by outcome. Beyond 400 each outcome shows those that did not pass first."""
    traces = {(trace.task, trace.trial): trace for trace in results.traces}
    verdicts = list(enumerate(results.verdicts))
    outcomes = list(dict.fromkeys(each.outcome for _, each in verdicts))
    share = max(1, PAGE_EPISODES // max(1, len(outcomes)))
    found: list[Section] = []
    for outcome in outcomes:
        mine = [(place, each) for place, each in verdicts if each.outcome == outcome]
        kept = mine
        if len(verdicts) > PAGE_EPISODES and len(mine) > share:
            kept = sorted(mine, key=lambda one: one[1].passed is True)[:share]
        views = tuple(
            _view(results, place, each, traces.get((each.task, each.trial)), embed=embed)
            for place, each in kept
        )
        found.append(Section(outcome or "unknown", views, len(mine) - len(kept)))
    return tuple(found)


def _view(
    results: EnvResults, place: int, verdict: Verdict, trace: Trace | None, *, embed: bool
) -> EpisodeView:
    thrown = trace.meta.get("resampled", ()) if trace is not None else ()
    return EpisodeView(
        place=place,
        task=verdict.task,
        trial=verdict.trial,
        outcome=verdict.outcome,
        tags=verdict.tags,
        word=_WORDS[verdict.passed],
        reason=verdict.reason or "",
        stop=verdict.stop.replace("_", " ") + (f": {trace.why}" if trace is not None and trace.why else ""),
        notes=tuple(_notes(verdict)),
        resampled=tuple(f"{each['stop'].replace('_', ' ')}: {each['why']}" for each in thrown),
        steps=tuple(_step(results, step, embed=embed) for step in trace.steps) if trace is not None else (),
        numbers=json.dumps({"passed": 1.0 if verdict.passed else 0.0} if verdict.passed is not None else {}),
    )


def _notes(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Everything that the checks found, in their order."""
    for missed in verdict.state:
        yield "state", missed
    for path in verdict.writes:
        yield "unauthorised write", path
    for broken in verdict.violations:
        yield "violation", f"{broken.assertion} {broken.why}"
    for each in verdict.judgements:
        kept = {True: "kept", False: "violated", None: f"no answer ({each.problem})"}[each.kept]
        yield f"judge: {kept}", f"{each.assertion} {each.answer}".strip()
    for text in verdict.skipped:
        yield "skipped", text
    for text in verdict.unasked:
        yield "not asked", text


def _step(results: EnvResults, step: Step, *, embed: bool) -> StepView:
    at = f"{step.t_us / 1e6:.1f} s"
    name = _NAMES.get(step.role, step.role)
    if step.call is not None:
        result: Mapping[str, Any] = step.result or {}
        return StepView(
            "tool", f"{name} calls {step.call['name']}", "", at,
            call=_spelt(step.call["arguments"]),
            result=_spelt(result.get("value")),
            failed="error" in result,
            changes=tuple(_change(path, change) for path, change in step.changes.items()),
            cues=f"the tool is broken: {step.defect}" if step.defect else "",
        )  # fmt: skip
    side: Side = "person" if step.role == "user" else "agent"
    sound = None
    if step.clip is not None:
        clip = clip_name(step.clip)
        sound = player(side, results.folder / clip, f"../{clip}", f"{name} at {at}", embed=embed)
    cues = {key: value for key, value in step.cues.items() if key != "heard"}
    told = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in cues.items())
    return StepView(
        side, name, step.text or "", at, cues=told, heard=str(step.cues.get("heard", "")), player=sound
    )


def _change(path: str, change: Mapping[str, Any]) -> tuple[str, str, str]:
    """A path, what was there, what is there: "" for nothing."""
    return (
        path,
        _spelt(change["from"]) if "from" in change else "",
        _spelt(change["to"]) if "to" in change else "",
    )


def _spelt(value: object) -> str:
    """JSON with spaces, so that it breaks into lines."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _picture(groups: Sequence[Group]) -> Markup | None:
    """pass^1 by group with its interval."""
    dots = [_dot(group.name.replace("_", " "), group.pass_1, strong=group.sort == "all") for group in groups]
    if not any(dot.value is not None for dot in dots):
        return None
    return dot_plot(dots, title="pass^1, %", top=100.0, digits=0)


def _dot(label: str, summary: Summary, *, strong: bool) -> Dot:
    scaled = [None if each is None else each * 100 for each in (summary.value, summary.low, summary.high)]
    words = f"{percent(summary.value)} · n {summary.n}"
    return Dot(label, words, scaled[0], scaled[1], scaled[2], strong)


def _how(results: EnvResults) -> list[Fact]:
    manifest = results.manifest
    settings = {
        name.replace("_", " "): value for name, value in manifest.settings.items() if value not in (None, [])
    }
    facts = [
        Fact("domain", manifest.domain, code=True),
        Fact("system", manifest.system, code=True),
        Fact("asked for as", manifest.system_uri, code=True),
        Fact("partner", manifest.partner, code=True),
        Fact("seed", str(manifest.seed)),
        Fact("trials", str(manifest.trials)),
        *(Fact(name, str(value)) for name, value in settings.items()),
        *(Fact(str(name).replace("_", " "), str(value)) for name, value in manifest.meta.items()),
    ]
    scoring = Counter(each.scoring for each in results.verdicts)
    judges = sorted({one.judge for each in results.verdicts for one in each.judgements})
    facts.append(Fact("scoring", ", ".join(scoring)))
    facts.append(Fact("judge", ", ".join(judges) or "none", code=bool(judges)))
    versions = sorted(
        {
            f"{name} {value}"
            for trace in results.traces
            for name, value in trace.versions.items()
            if name != "task"
        }
    )
    facts.append(Fact("versions", ", ".join(versions), code=True))
    return facts
