"""From kept traces to verdicts: pure but for the judge, so it can be done again with other checks or another judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.envs.assertions import Judgement, ask, judgement
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.run import EnvFolder
from antiphon.envs.verdict import Verdict, check, decide
from antiphon.errors import ConfigError, DomainError
from antiphon.jsonl import read_records, to_row, write_rows
from antiphon.judge.judge import verdicts
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.envs.contract import Contract
    from antiphon.envs.domain import Domain
    from antiphon.envs.verdict import Checked, Scoring
    from antiphon.judge.judge import Asked
    from antiphon.stage.outcome import Failure
    from antiphon.stage.progress import Progress
    from antiphon.trace import Trace

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class ScoringSettings:
    """How traces are scored. What a judge is not asked, because its budget is spent, makes its episode invalid."""

    scoring: Scoring = "strict"
    judge: Asked | None = None


STRICT = ScoringSettings()
_NOBODY = Silent()


def domain_of(folder: EnvFolder) -> Domain:
    """The domain that a run was played on. Raises ConfigError where it was made in memory."""
    manifest = folder.read_manifest()
    if not manifest.domain_at:
        raise ConfigError(
            f"{folder.path}: its domain {manifest.domain} was made in memory; score it where it was made"
        )
    return open_domain(manifest.domain_at)


async def score_run(
    path: Path,
    settings: ScoringSettings = STRICT,
    progress: Progress = _NOBODY,
    domain: Domain | None = None,
) -> list[Verdict]:
    """Judge every trace of a run and write `verdicts.jsonl`, in the order of the traces. Nothing is rolled out.

    Answers of a judge are cached, so that a kill costs nothing that was paid for. Raises ConfigError.
    """
    folder = EnvFolder(path)
    traces, failures = folder.read_traces()
    found = await score_traces(domain or domain_of(folder), traces, settings, progress)
    found += [lost(folder, failure) for failure in failures]
    write_rows(folder.verdicts, (to_row(each) for each in found))
    return found


async def score_traces(
    domain: Domain,
    traces: Sequence[Trace],
    settings: ScoringSettings = STRICT,
    progress: Progress = _NOBODY,
) -> list[Verdict]:
    """A verdict for every trace, in order."""
    contracts: dict[str, Contract | str] = {}
    found: list[Verdict] = []
    progress.start(len(traces), 0)
    for start in range(0, len(traces), _AT_ONCE):
        some: list[Checked | Verdict] = []
        for trace in traces[start : start + _AT_ONCE]:
            if trace.task not in contracts:
                contracts[trace.task] = _contract(domain, trace.task)
            contract = contracts[trace.task]
            ready = not isinstance(contract, str)
            some.append(check(contract, trace, settings.scoring) if ready else _invalid(trace, contract))
        judged = await _judged(some, settings.judge)
        found += judged
        progress.advance(len(judged), sum(each.status == "invalid" for each in judged))
    progress.stop()
    return found


def _contract(domain: Domain, task: str) -> Contract | str:
    """The contract of a task, or why there is none: then nothing can be scored."""
    try:
        return contract_of(domain, domain.task(task))
    except (DomainError, ConfigError) as error:
        return str(error)


async def _judged(some: Sequence[Checked | Verdict], judge: Asked | None) -> list[Verdict]:
    """Ask the judge what is left to it, and decide."""
    answers: dict[int, dict[str, Judgement]] = {}
    if judge is not None:
        questions = [
            (at, each, ask(each, story))
            for at, one in enumerate(some)
            if not isinstance(one, Verdict) and (story := one.story) is not None
            for each in one.to_ask
        ]
        said = await verdicts(judge, [question for _, _, question in questions])
        for (at, each, _), answer in zip(questions, said, strict=True):
            answers.setdefault(at, {})[each.text] = judgement(each, answer)
    return [one if isinstance(one, Verdict) else decide(one, answers.get(at)) for at, one in enumerate(some)]


def _invalid(trace: Trace, reason: str) -> Verdict:
    return Verdict(
        domain=trace.domain, task=trace.task, trial=trace.trial, seed=trace.seed, system=trace.system,
        partner=trace.partner, outcome="", stop=trace.stop, status="invalid", passed=None, scoring="strict",
        reason=reason, versions=trace.versions,
    )  # fmt: skip


def lost(folder: EnvFolder, failure: Failure) -> Verdict:
    """The verdict on an episode that gave no trace: invalid."""
    manifest = folder.read_manifest()
    task, _, trial = failure.key.rpartition(" ")
    return Verdict(
        domain=manifest.domain, task=task.partition("@")[0], trial=int(trial), seed=manifest.seed,
        system=manifest.system, partner=manifest.partner, outcome="", stop="infrastructure", status="invalid",
        passed=None, scoring="strict", reason=failure.reason,
    )  # fmt: skip


def read_verdicts(path: Path) -> list[Verdict]:
    """The verdicts of a scored run. Raises ConfigError where there are none."""
    folder = EnvFolder(path)
    if not folder.verdicts.exists():
        raise ConfigError(f"the rollouts in {path} have no verdicts; antiphon envs score {path}")
    return read_records(folder.verdicts, Verdict)
