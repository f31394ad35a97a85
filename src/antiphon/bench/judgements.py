"""The judge's part of a run: which replies it must see, and its verdicts as rows."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.scoring import gather
from antiphon.bench.takes import Judged
from antiphon.cache import Store, default_folder
from antiphon.clock import RealClock
from antiphon.jsonl import to_row
from antiphon.judge.judge import verdicts
from antiphon.judge.uri import open_judge
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.stages import Stages
    from antiphon.bench.suite import Metric
    from antiphon.judge.judge import Ask, Judge, Verdict
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Judging:
    """A run whose replies are to be judged under some metrics."""

    folder: RunFolder
    metrics: tuple[Metric, ...]
    judge: str


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


async def judge_takes(judging: Judging, stages: Stages) -> None:
    """Judge what must be judged; verdicts that are there already are not asked for again."""
    todo = cases(judging)
    await stages.instrument(
        "judge",
        todo,
        partial(open_bench, judging.judge),
        key=_key,
        fingerprint={"judge": open_judge(judging.judge, RealClock()).name},
        out=judging.folder.judgements,
    )


def _key(case: Case) -> str:
    """With the prompt's version: a changed prompt is asked again, and a run that grows keeps its verdicts."""
    return f"{case.item} {case.metric} {case.ask.prompt.label}"


@asynccontextmanager
async def open_bench(uri: str) -> AsyncGenerator[JudgesBench, None]:
    """A worker that asks one judge."""
    judge = open_judge(uri, RealClock(), answers=Store(default_folder() / "verdicts"))
    yield JudgesBench(judge)


@dataclass(frozen=True, slots=True)
class JudgesBench:
    """Asks for a verdict on each case. An answer that is no verdict is a row; no answer is a failure."""

    judge: Judge

    async def __call__(self, cases: Sequence[Case]) -> list[Outcome]:
        found = await verdicts(self.judge, [case.ask for case in cases])
        return [_outcome(case, verdict) for case, verdict in zip(cases, found, strict=True)]


def _outcome(case: Case, verdict: Verdict) -> Outcome:
    if verdict.transient:
        return Failed(verdict.problem or "no answer", transient=True)
    judged = Judged(
        case.item, case.metric, verdict.judge, verdict.prompt, verdict.value, verdict.answer,
        verdict.status, verdict.problem,
    )  # fmt: skip
    return Made(to_row(judged))
