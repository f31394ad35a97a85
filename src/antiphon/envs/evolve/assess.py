"""Before training: construction checks, rollout checks and difficulty of each proposed task, in this order.

The reference agent must pass it, one that does nothing or plays it badly must fail, and so must one that falls for
what is new. Then a system plays it several times; without one the two scripted agents (the reference, and the one that
falls for it) stand for it, and the record says *scripted*.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.clock import VirtualClock
from antiphon.envs.casting import SCRIPTED, Cast, Casting
from antiphon.envs.check import check_domain
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.evolve.labels import STRICT, Label, Levels, label_of
from antiphon.envs.evolve.proposal import Proposal, as_task
from antiphon.envs.overlap import Evaluation, task_overlap
from antiphon.envs.plan import FLAWS, flaw_applies
from antiphon.envs.reference import ReferenceChat
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.envs.task import Task, task_of
from antiphon.envs.verdict import verdict
from antiphon.errors import DomainError
from antiphon.ids import seed_for
from antiphon.jsonl import to_row
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.envs.domain import Domain
    from antiphon.envs.verdict import Verdict
    from antiphon.models.ports import Chat
    from antiphon.stage.outcome import Outcome

Stage = Literal["", "overlap", "construction", "rollout", "difficulty"]
SCRIPTED_PANEL = "scripted:reference and scripted:tempted"


@dataclass(frozen=True, slots=True)
class Assessed:
    """A proposed task after its checks. `stopped_at` is the check that it did not pass, with `reasons`; `label` is
    its difficulty for `system`. Only an admitted one may enter training."""

    KIND: ClassVar[str] = "assessed"
    V: ClassVar[int] = 1
    task: str
    parent: str
    mutation: str
    by: str
    admitted: bool
    stopped_at: Stage = ""
    reasons: tuple[str, ...] = ()
    label: Label = "unknown"
    passed: int = 0
    valid: int = 0
    invalid: int = 0
    system: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Assessment:
    """How proposals are assessed. `draft` is the folder of the domain with all of them in it; `system` plays each
    `trials` times (None: the scripted panel)."""

    draft: Path
    system: str | None = None
    partner: str = SCRIPTED
    trials: int = 4
    seed: int = 0
    levels: Levels = STRICT
    settings: RolloutSettings = field(default_factory=RolloutSettings)
    kept: Evaluation = field(default_factory=Evaluation)


@asynccontextmanager
async def open_assessor(assessment: Assessment) -> AsyncGenerator[Assessor]:
    """A worker that assesses: the domain is opened once a process."""
    yield Assessor(assessment, open_domain(str(assessment.draft)))


def opener(assessment: Assessment) -> Any:
    """What the stage opens its workers with."""
    return partial(open_assessor, assessment)


class Assessor:
    """Assesses proposals, one after the other."""

    def __init__(self, assessment: Assessment, domain: Domain) -> None:
        self._how = assessment
        self._domain = domain
        self._scripted = Cast(Casting(partner=assessment.partner), domain, assessment.seed)
        self._cast = (
            Cast(Casting(assessment.system, assessment.partner), domain, assessment.seed)
            if assessment.system is not None
            else None
        )

    async def __call__(self, proposals: Sequence[Proposal]) -> list[Outcome]:
        return [Made(to_row(await self.assess(each))) for each in proposals]

    async def assess(self, proposal: Proposal) -> Assessed:
        """One proposal, checked until something does not hold."""
        found = Assessed(
            proposal.task_id, proposal.parent, proposal.mutation, proposal.by, admitted=False, note=proposal.note
        )  # fmt: skip
        task = as_task(proposal)
        if (near := task_overlap(task, self._how.kept)) is not None:
            return replace(found, stopped_at="overlap", reasons=(near,))
        if defects := construction(self._domain, task):
            return replace(found, stopped_at="construction", reasons=tuple(defects))
        if task.script is None and self._how.partner == SCRIPTED:
            why = "it has no script, so a scripted partner cannot play it; name a model: --partner URI"
            return replace(found, stopped_at="rollout", reasons=(why,))
        try:
            broken = await self._rollouts(task, proposal)
        except DomainError as error:  # a scripted agent cannot be made for such a task
            broken = [str(error)]
        if broken:
            return replace(found, stopped_at="rollout", reasons=tuple(broken))
        return await self._difficulty(task, proposal, found)

    async def _rollouts(self, task: Task, proposal: Proposal) -> list[str]:
        """What scripted agents show: the right one passes, wrong ones fail."""
        right = await self._play(task, ReferenceChat(self._domain, task))
        if right.passed is not True:
            return [f"the reference agent does not pass: {right.reason}"]
        found: list[str] = []
        for flaw in FLAWS:
            if flaw_applies(self._domain, task, flaw):
                wrong = await self._play(task, ReferenceChat(self._domain, task, flaw))
                if wrong.passed is not False:
                    found.append(f"an agent with the flaw {flaw} passes" if wrong.passed else _invalid(wrong))
        tempted = self._tempted(task, proposal)
        if tempted is not None and (fell := await self._play(task, tempted)).passed is not False:
            found.append(
                "the change has no bite: an agent that falls for it passes" if fell.passed else _invalid(fell)
            )
        return found

    def _tempted(self, task: Task, proposal: Proposal) -> Chat | None:
        """The agent that falls for what is new; None for a proposal that says of none."""
        asked = proposal.temptation
        if "flaw" in asked:
            return ReferenceChat(self._domain, task, asked["flaw"])
        if "task" not in asked:
            return None
        other = task_of({**asked["task"], "db": proposal.task["db"]}, "temptation")
        return ReferenceChat(self._domain, other)

    async def _difficulty(self, task: Task, proposal: Proposal, found: Assessed) -> Assessed:
        if self._cast is None:
            if not proposal.temptation:
                why = "nothing is known of its difficulty; name a system to play it: --system URI"
                return replace(found, stopped_at="difficulty", reasons=(why,))
            # The checks of rollouts have shown it: of the panel's two agents one passes and one fails.
            return replace(found, admitted=True, label="frontier", passed=1, valid=2, system=SCRIPTED_PANEL)
        system = self._cast.system(task)
        verdicts = [await self._play(task, system, trial, self._cast) for trial in range(self._how.trials)]
        valid = [each for each in verdicts if each.status == "valid"]
        passed = sum(each.passed is True for each in valid)
        label = label_of(passed, len(valid), self._how.levels)
        found = replace(
            found, label=label, passed=passed, valid=len(valid), invalid=len(verdicts) - len(valid), system=system.name
        )  # fmt: skip
        if label in ("frontier", "failed"):
            return replace(found, admitted=True)
        why = (
            f"{system.name} solves it: {passed} of {len(valid)}"
            if label == "solved"
            else f"{len(valid)} of {len(verdicts)} rollouts are valid: {_first_invalid(verdicts)}"
        )
        return replace(found, stopped_at="difficulty", reasons=(why,))

    async def _play(self, task: Task, system: Chat, trial: int = 0, cast: Cast | None = None) -> Verdict:
        seed = seed_for(self._how.seed, task.task_id, trial)
        cast = cast or self._scripted
        clock = VirtualClock() if cast is self._scripted else cast.clock()
        partner = cast.partner(task, seed)
        trace = await roll_out(
            self._domain, task, system, partner, self._how.settings, seed=seed, trial=trial, clock=clock, ears=cast.ears
        )  # fmt: skip
        return await verdict(contract_of(self._domain, task), trace)


def construction(domain: Domain, task: Task) -> list[str]:
    """The defects of one task, with those of its database and of the tools on it, one line each."""
    name = task.db.removeprefix("@dbs/") if isinstance(task.db, str) else ""
    alone = replace(domain, tasks=(task,), dbs={each: db for each, db in domain.dbs.items() if each == name})
    return [each.line for each in check_domain(alone)]


def _invalid(found: Verdict) -> str:
    return f"a rollout cannot be scored: {found.reason}"


def _first_invalid(verdicts: Sequence[Verdict]) -> str:
    return next((each.reason or "" for each in verdicts if each.status == "invalid"), "too few trials")
