"""`HardCase`: a pattern of failure with the tasks that show it. The list guides the next generation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from antiphon.envs.changes import parts_of
from antiphon.jsonl import read_records, to_row, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from antiphon.envs.domain import Domain
    from antiphon.envs.verdict import Verdict


@dataclass(frozen=True, slots=True)
class HardCase:
    """One pattern of failure. `failures` counts the failed rollouts that show it, `tasks` names them by number;
    `example` is one verdict's reason, `generation` the last one in which it was seen."""

    KIND: ClassVar[str] = "hard_case"
    V: ClassVar[int] = 1
    pattern: str
    failures: int
    tasks: dict[str, int]
    tags: dict[str, int] = field(default_factory=dict[str, int])
    example: str = ""
    generation: int = 0


def patterns(verdict: Verdict, predicates: Mapping[str, str]) -> Iterator[str]:
    """How an episode failed, in general words: none for one that passed or does not count.

    `predicates` maps an assertion's words to its predicate; one in plain words is a pattern "in words".
    """
    if verdict.status != "valid" or verdict.passed:
        return
    if verdict.stop in ("turn_limit", "tool_limit", "unreachable", "agent_hung_up"):
        yield f"stopped: {verdict.stop}"
    if verdict.state:
        yield "wrote nothing or the wrong thing" if verdict.outcome == "write" else "wrote what it must not"
    yield from dict.fromkeys(f"unauthorised write: {_table(path)}" for path in verdict.writes)
    yield from dict.fromkeys(
        f"broke: {predicates.get(each.assertion) or 'in words'}" for each in verdict.violations
    )


def _table(path: str) -> str:
    return parts_of(path)[0] if path else "everything"


def collect(domain: Domain, verdicts: Iterable[Verdict], generation: int) -> list[HardCase]:
    """The patterns in some verdicts, the commonest first."""
    predicates = {each.text: each.predicate for task in domain.tasks for each in task.checks}
    found: dict[str, HardCase] = {}
    for verdict in verdicts:
        for pattern in patterns(verdict, predicates):
            one = HardCase(
                pattern,
                1,
                {verdict.task: 1},
                dict.fromkeys(verdict.tags, 1),
                verdict.reason or "",
                generation,
            )
            found[pattern] = _joined(found[pattern], one) if pattern in found else one
    return _sorted(found.values())


def merge(earlier: Sequence[HardCase], later: Sequence[HardCase]) -> list[HardCase]:
    """The list with what a later generation showed: counts add up, the newer example stays."""
    found = {each.pattern: each for each in earlier}
    for each in later:
        found[each.pattern] = _joined(found[each.pattern], each) if each.pattern in found else each
    return _sorted(found.values())


def _joined(one: HardCase, other: HardCase) -> HardCase:
    newer = one if one.generation > other.generation else other
    return HardCase(
        one.pattern, one.failures + other.failures, _sum(one.tasks, other.tasks), _sum(one.tags, other.tags),
        newer.example, newer.generation,
    )  # fmt: skip


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}


def _sorted(cases: Iterable[HardCase]) -> list[HardCase]:
    return sorted(cases, key=lambda each: (-each.failures, each.pattern))


def tags_by_failures(cases: Iterable[HardCase]) -> dict[str, int]:
    """How often each tag stood on a failed rollout: which kinds of task the next generation needs more of."""
    found: dict[str, int] = {}
    for each in cases:
        found = _sum(found, each.tags)
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def read_cases(path: Path) -> list[HardCase]:
    """The list that an earlier generation left; empty where there is none."""
    return read_records(path, HardCase) if path.exists() else []


def write_cases(path: Path, cases: Iterable[HardCase]) -> None:
    """Keep the list."""
    write_rows(path, (to_row(each) for each in cases))
