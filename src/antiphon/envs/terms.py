"""`Terms`: a task with everything that its rewards are computed from, derived once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.envs.claims import writing_tools
from antiphon.envs.contract import contract_of
from antiphon.envs.milestones import milestones_of
from antiphon.ids import hash_json

if TYPE_CHECKING:
    from antiphon.envs.contract import Contract
    from antiphon.envs.domain import Domain
    from antiphon.envs.milestones import Milestone
    from antiphon.envs.task import Task


@dataclass(frozen=True, slots=True)
class Terms:
    """A task to reward. `deeds` are the names of the tools, of both sides, that do not merely look."""

    domain: Domain
    contract: Contract
    milestones: tuple[Milestone, ...]
    deeds: frozenset[str]

    @property
    def task(self) -> Task:
        return self.contract.task

    @property
    def group(self) -> str:
        """What equal episodes share: rewards are compared within it only (the same task on the same domain)."""
        version = hash_json([self.domain.version, self.task.version])[:12]
        return f"{self.domain.name}/{self.task.task_id}@{version}"


def terms_of(domain: Domain, task: Task) -> Terms:
    """The terms of a task. Raises DomainError when its reference does not hold: such a task rewards nothing."""
    deeds = writing_tools({*domain.tools, *domain.partner_tools})
    return Terms(domain, contract_of(domain, task), milestones_of(domain, task), deeds)
