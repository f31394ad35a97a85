"""From a scored run to `rewards.jsonl`: every level, for every trace, in the order of the traces."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.envs.acknowledgement.evaluate import evaluate
from antiphon.envs.reward import LEVELS, Reward, judge_replies, rewards_of
from antiphon.envs.run import EnvFolder
from antiphon.envs.scoring import domain_of, read_verdicts
from antiphon.envs.terms import terms_of
from antiphon.errors import ConfigError, DomainError
from antiphon.jsonl import to_row, write_rows
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antiphon.envs.acknowledgement.rules import Rules
    from antiphon.envs.domain import Domain
    from antiphon.envs.reward import Level
    from antiphon.envs.terms import Terms
    from antiphon.envs.verdict import Verdict
    from antiphon.judge.judge import Asked
    from antiphon.stage.progress import Progress
    from antiphon.trace import Trace

_NOBODY = Silent()


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """Which levels; a `judge` rates the words of each turn; `rules` add a part "acknowledgement" to turns that call
    tools. Rewards with and without either are not comparable, so a trainer keeps to one of them."""

    levels: tuple[Level, ...] = LEVELS
    judge: Asked | None = None
    rules: Rules | None = None


DEFAULT = RewardSettings()


async def reward_run(
    path: Path, settings: RewardSettings = DEFAULT, progress: Progress = _NOBODY, domain: Domain | None = None
) -> list[Reward]:
    """Reward every trace of a scored run and write `rewards.jsonl`. Nothing is rolled out.

    Raises ConfigError for a folder without a run, one that is not scored, and a domain that has changed since.
    """
    folder = EnvFolder(path)
    played = domain or domain_of(folder)
    traces, _ = folder.read_traces()
    verdicts = {(each.task, each.trial): each for each in read_verdicts(path)}
    if unscored := [trace for trace in traces if (trace.task, trace.trial) not in verdicts]:
        raise ConfigError(f"{path}: {len(unscored)} traces have no verdict; antiphon envs score {path}")
    found: list[Reward] = []
    terms: dict[str, Terms] = {}
    progress.start(len(traces), 0)
    for trace in traces:
        rewards = await _rewards(played, terms, trace, verdicts[trace.task, trace.trial], settings)
        found += rewards
        progress.advance(1, sum(each.value is None for each in rewards[:1]))
    progress.stop()
    write_rows(path / "rewards.jsonl", (to_row(each) for each in found))
    return found


async def _rewards(
    domain: Domain, terms: dict[str, Terms], trace: Trace, verdict: Verdict, settings: RewardSettings
) -> list[Reward]:
    """The rewards of one trace; a task whose reference does not hold gives one without a value."""
    if trace.task not in terms:
        try:
            terms[trace.task] = terms_of(domain, domain.task(trace.task))
        except DomainError as error:
            return [_without(domain, trace, str(error))]
    of = terms[trace.task]
    if trace.versions.get("domain", domain.version) != domain.version:
        raise ConfigError(
            f"{trace.task} was played on version {trace.versions['domain']} of {domain.name}, and this is "
            f"{domain.version}; play it again with antiphon envs run"
        )
    turns = "turn" in settings.levels and verdict.status == "valid"
    replies = await judge_replies(of, trace, settings.judge) if turns and settings.judge is not None else {}
    more = acknowledged(of, trace, settings.rules) if turns and settings.rules is not None else {}
    return list(rewards_of(of, trace, verdict, settings.levels, replies, more))


def _without(domain: Domain, trace: Trace, reason: str) -> Reward:
    return Reward(
        "dialogue", f"{domain.name}/{trace.task}", trace.domain, trace.task, trace.trial, trace.seed, trace.system,
        0, len(trace.steps), None, reason, versions=trace.versions,
    )  # fmt: skip


def acknowledged(terms: Terms, trace: Trace, rules: Rules) -> Mapping[int, Mapping[str, float]]:
    """The part "acknowledgement" of each turn that calls tools, and of each that announces a call and makes none."""
    specs = {name: tool.spec for name, tool in terms.domain.tools.items()}
    found = evaluate(trace, rules, specs, terms.deeds)
    turns = {turn.step: {"acknowledgement": turn.value} for turn in found.turns}
    return turns | {step: {"acknowledgement": 0.0} for step in found.strays}


def summary(rewards: Sequence[Reward]) -> list[dict[str, Any]]:
    """Per level: how many, their mean (None without any), how many groups tell episodes apart, and why some have
    no value."""
    found: list[dict[str, Any]] = []
    for level in LEVELS:
        some = [each for each in rewards if each.level == level]
        valued = [each for each in some if each.value is not None]
        groups: dict[str, set[float]] = {}
        for each in valued:
            groups.setdefault(each.group, set()).add(each.value or 0.0)
        reasons = Counter(each.reason for each in some if each.value is None)
        found.append({
            "level": level,
            "rewards": len(some),
            "without": len(some) - len(valued),
            "mean": sum(each.value or 0.0 for each in valued) / len(valued) if valued else None,
            "groups": len(groups),
            "telling_groups": sum(len(values) > 1 for values in groups.values()),
            "reasons": dict(reasons.most_common()),
        })  # fmt: skip
    return found
