"""The judge's part of a run: which replies it must see, and its verdicts as rows."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.folder import judged_of
from antiphon.bench.scoring import gather
from antiphon.bench.takes import Judged
from antiphon.cache import Store, default_folder
from antiphon.clock import RealClock
from antiphon.jsonl import to_row
from antiphon.judge.judge import verdicts
from antiphon.judge.uri import open_judges
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.stages import Stages
    from antiphon.bench.suite import Metric
    from antiphon.judge.budget import Budget
    from antiphon.judge.judge import Ask, Judge, Verdict
    from antiphon.judge.panel import Panel
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Jury:
    """Who judges: one judge or a panel, as URIs, each asked `repeat` times, within a budget."""

    judges: tuple[str, ...]
    repeat: int = 1
    budget: Budget | None = None

    def open(self) -> Judge | Panel:
        """Opened, with the cache of verdicts. Raises ConfigError or UnavailableError where that cannot be."""
        answers = Store(default_folder() / "verdicts")
        return open_judges(self.judges, self.repeat, RealClock(), answers, self.budget)


@dataclass(frozen=True, slots=True)
class Judging:
    """A run whose replies are to be judged under some metrics."""

    folder: RunFolder
    metrics: tuple[Metric, ...]
    jury: Jury


@dataclass(frozen=True, slots=True)
class Case:
    """One reply under one metric."""

    item: str
    metric: str
    ask: Ask


def cases(judging: Judging) -> list[Case]:
    """Every reply that a metric cannot settle without a judge, in the run's order."""
    found: list[Case] = []
    for evidence in gather(judging.folder, {}):
        for metric in judging.metrics:
            if evidence.take is None or metric.ask is None or not metric.covers(evidence.item):
                continue
            ask = metric.ask(evidence)
            if ask is not None:
                found.append(Case(evidence.item.id, metric.info.name, ask))
    return found


def due(todo: Sequence[Case], jury: Jury, folder: RunFolder) -> list[Case]:
    """The cases that the run has no row for by this very judge: only these are asked about."""
    name = jury.open().name
    _, judged = judged_of(folder)
    have = {(one.item, one.metric, one.prompt) for one in judged if one.judge == name}
    return [case for case in todo if (case.item, case.metric, case.ask.prompt.label) not in have]


async def judge_cases(todo: Sequence[Case], jury: Jury, out: Path, stages: Stages) -> None:
    """A row in `out` for every case: a verdict, or why there is none."""
    await stages.instrument(
        "judge",
        todo,
        partial(open_bench, jury),
        key=_key,
        fingerprint={"judge": jury.open().name},
        out=out,
    )


def _key(case: Case) -> str:
    """With the prompt's version: a changed prompt is asked again, and a run that grows keeps its verdicts."""
    return f"{case.item} {case.metric} {case.ask.prompt.label}"


@asynccontextmanager
async def open_bench(jury: Jury) -> AsyncGenerator[JudgesBench, None]:
    """A worker that asks one judge, or a panel."""
    yield JudgesBench(jury.open())


@dataclass(frozen=True, slots=True)
class JudgesBench:
    """Asks for a verdict on each case. An answer that is no verdict is a row; no answer is a failure."""

    judge: Judge | Panel

    async def __call__(self, cases: Sequence[Case]) -> list[Outcome]:
        found = await verdicts(self.judge, [case.ask for case in cases])
        return [_outcome(case, verdict) for case, verdict in zip(cases, found, strict=True)]


def _outcome(case: Case, verdict: Verdict) -> Outcome:
    if verdict.transient:
        return Failed(verdict.problem or "no answer", transient=True)
    judged = Judged(
        case.item, case.metric, verdict.judge, verdict.prompt, verdict.value, verdict.answer,
        verdict.status, verdict.problem, verdict.opinions,
    )  # fmt: skip
    return Made(to_row(judged))
