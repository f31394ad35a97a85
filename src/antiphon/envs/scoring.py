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
    from antiphon.envs.story import Story
    from antiphon.envs.verdict import Checked, Scoring
    from antiphon.judge.judge import Judge
    from antiphon.stage.outcome import Failure
    from antiphon.stage.progress import Progress
    from antiphon.trace import Trace

_AT_ONCE = 16
NOT_ASKED = "not asked: "


@dataclass(frozen=True, slots=True)
class ScoringSettings:
    """How traces are scored. `most_calls` bounds what the judge is asked; what it is not asked is invalid."""

    scoring: Scoring = "strict"
    judge: Judge | None = None
    most_calls: int | None = None


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
    checked: list[Checked | Verdict] = []
    for trace in traces:
        if trace.task not in contracts:
            contracts[trace.task] = _contract(domain, trace.task)
        contract = contracts[trace.task]
        checked.append(
            _invalid(trace, contract)
            if isinstance(contract, str)
            else check(contract, trace, settings.scoring)
        )
    return await _judged(checked, settings, progress)


def _contract(domain: Domain, task: str) -> Contract | str:
    """The contract of a task, or why there is none: then nothing can be scored."""
    try:
        return contract_of(domain, domain.task(task))
    except (DomainError, ConfigError) as error:
        return str(error)


async def _judged(
    checked: Sequence[Checked | Verdict], settings: ScoringSettings, progress: Progress
) -> list[Verdict]:
    """Ask the judge what is left to it, a few traces at a time."""
    judge, asked = settings.judge, 0
    found: list[Verdict] = []
    progress.start(len(checked), 0)
    for start in range(0, len(checked), _AT_ONCE):
        some = checked[start : start + _AT_ONCE]
        questions = [
            (at, each) for at, one in enumerate(some) if not isinstance(one, Verdict) for each in one.to_ask
        ]
        left = len(questions) if settings.most_calls is None else max(0, settings.most_calls - asked)
        answers: dict[int, dict[str, Judgement]] = {}
        if judge is not None:
            put = [
                (at, each, ask(each, story))
                for at, each in questions[:left]
                if (story := _story(some[at])) is not None
            ]
            said = await verdicts(judge, [question for _, _, question in put])
            for (at, each, _), answer in zip(put, said, strict=True):
                answers.setdefault(at, {})[each.text] = judgement(each, answer)
            for at, each in questions[left:]:
                why = f"{NOT_ASKED}the judge's {settings.most_calls} calls are made"
                answers.setdefault(at, {})[each.text] = Judgement(each.text, None, "", judge.name, "", why)
            asked += len(put)
        found += [
            one if isinstance(one, Verdict) else decide(one, answers.get(at)) for at, one in enumerate(some)
        ]
        progress.advance(len(some), sum(each.status == "invalid" for each in found[start:]))
    progress.stop()
    return found


def _story(one: Checked | Verdict) -> Story | None:
    return None if isinstance(one, Verdict) else one.story


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
