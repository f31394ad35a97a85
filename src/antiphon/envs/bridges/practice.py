"""`Practice`: a domain with its partner, limits and judge, from which every bridge takes seats and verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.envs.bridges.seat import Seat
from antiphon.envs.casting import SCRIPTED, Cast, Casting
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.verdict import verdict
from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.envs.contract import Contract
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task
    from antiphon.envs.verdict import Scoring, Verdict
    from antiphon.judge.judge import Judge
    from antiphon.trace import Trace


@dataclass(frozen=True, slots=True)
class PracticeSettings:
    """How episodes are played and judged. `tasks` (ids) limits them; `partner` is "scripted" or a model's URI; an
    episode that needs a `judge` and has none is invalid, never a failure."""

    tasks: tuple[str, ...] = ()
    partner: str = SCRIPTED
    judge: Judge | None = None
    scoring: Scoring = "strict"
    rollout: RolloutSettings = field(default_factory=RolloutSettings)


_DEFAULT = PracticeSettings()


class Practice:
    """Seats at the tasks of a domain, and verdicts on what became of them.

    Tasks that are unlabelled have nothing to score and are left out. Raises ConfigError for a task that is not
    there or that the partner cannot play, DomainError for a domain that is broken.
    """

    def __init__(self, domain: str | Domain, settings: PracticeSettings = _DEFAULT) -> None:
        self.domain = open_domain(domain) if isinstance(domain, str) else domain
        self.settings = settings
        self._cast = Cast(Casting(partner=settings.partner), self.domain)
        self._contracts: dict[str, Contract] = {}
        self.tasks = _chosen(self.domain, settings.tasks)

    def task(self, task_id: str) -> Task:
        """One of the tasks by id."""
        for task in self.tasks:
            if task.task_id == task_id:
                return task
        raise unknown(f"task of {self.domain.name}", task_id, (task.task_id for task in self.tasks))

    def seat(self, task_id: str, name: str, *, seed: int = 0, trial: int = 0) -> Seat:
        """A seat at a new episode of a task, for the system of that name."""
        task = self.task(task_id)
        return Seat(
            self.domain, task, self._cast.partner(task, seed), name,
            settings=self.settings.rollout, seed=seed, trial=trial,
        )  # fmt: skip

    async def verdict(self, trace: Trace) -> Verdict:
        """The verdict on an episode of one of the tasks."""
        if trace.task not in self._contracts:
            self._contracts[trace.task] = contract_of(self.domain, self.task(trace.task))
        return await verdict(self._contracts[trace.task], trace, self.settings.judge, self.settings.scoring)


def reward_of(found: Verdict) -> float | None:
    """The dialogue return: 1 for passed, 0 for failed, None for an invalid episode, which says nothing."""
    return None if found.passed is None else float(found.passed)


def _chosen(domain: Domain, ids: Sequence[str]) -> tuple[Task, ...]:
    if ids:
        return tuple(domain.task(each) for each in dict.fromkeys(ids))
    tasks = tuple(task for task in domain.tasks if task.expected_outcome != "unlabelled")
    if not tasks:
        raise ConfigError(f"{domain.name} has no task that can be scored; antiphon envs check {domain.name}")
    return tasks
