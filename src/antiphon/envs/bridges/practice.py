"""`Practice`: a domain with its partner, limits and judge, from which every bridge takes seats and rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.envs.bridges.seat import Seat
from antiphon.envs.casting import SCRIPTED, Cast, Casting
from antiphon.envs.domain import open_domain
from antiphon.envs.reward import outcome_reward
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.terms import terms_of
from antiphon.envs.verdict import verdict
from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.reward import Reward
    from antiphon.envs.task import Task
    from antiphon.envs.terms import Terms
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an episode: the verdict, and the dialogue return of `envs.reward` (None: invalid)."""

    verdict: Verdict
    reward: Reward


class Practice:
    """Seats at the tasks of a domain, and what became of them.

    Tasks that are unlabelled have nothing to score and are left out. Raises ConfigError for a task that is not
    there or that the partner cannot play, DomainError for a domain that is broken.
    """

    def __init__(self, domain: str | Domain, settings: PracticeSettings = _DEFAULT) -> None:
        self.domain = open_domain(domain) if isinstance(domain, str) else domain
        self.settings = settings
        self._cast = Cast(Casting(partner=settings.partner), self.domain)
        self._terms: dict[str, Terms] = {}
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

    async def outcome(self, trace: Trace) -> Outcome:
        """The verdict on an episode of one of the tasks, and its reward."""
        if trace.task not in self._terms:
            self._terms[trace.task] = terms_of(self.domain, self.task(trace.task))
        terms = self._terms[trace.task]
        found = await verdict(terms.contract, trace, self.settings.judge, self.settings.scoring)
        return Outcome(found, outcome_reward(terms, trace, found))


def _chosen(domain: Domain, ids: Sequence[str]) -> tuple[Task, ...]:
    if ids:
        return tuple(domain.task(each) for each in dict.fromkeys(ids))
    tasks = tuple(task for task in domain.tasks if task.expected_outcome != "unlabelled")
    if not tasks:
        raise ConfigError(f"{domain.name} has no task that can be scored; antiphon envs check {domain.name}")
    return tasks
