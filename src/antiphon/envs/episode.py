"""`Episode`: one playing of a task, without a loop: whoever drives it says, calls, saves, restores and finishes.

The state is private and costs nothing until it is written to; a snapshot is a reference, and may be restored
any number of times, in this episode or in another of the same task.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon import __version__
from antiphon.envs.changes import apply
from antiphon.envs.execute import execute
from antiphon.messages import ToolCall, ToolResult
from antiphon.trace import Step, Trace

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.clock import Clock
    from antiphon.envs.changes import Json
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Requestor, Task
    from antiphon.messages import Progress, Role, ToolSpec
    from antiphon.trace import StopReason


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An episode at one moment: its document (never written to), its steps, and how long it had run.

    A partner's own state is saved beside it by whoever drives both.
    """

    db: Json
    steps: tuple[Step, ...]
    t_us: int


class Episode:
    """One playing of a task, from its initial state. `clock` gives the times of the steps."""

    def __init__(self, domain: Domain, task: Task, clock: Clock) -> None:
        self.domain = domain
        self.task = task
        self._clock = clock
        self._audit = domain.settings.audit
        self._versions = {"antiphon": __version__, "domain": domain.version, "task": task.version}
        self.reset()

    def reset(self) -> None:
        """Begin anew from the initial state."""
        self.restore(Snapshot(self.domain.initial(self.task), (), 0))

    @property
    def db(self) -> Json:
        """The document as it is now, to read only."""
        return self._db

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has happened so far."""
        return tuple(self._steps)

    @property
    def t_us(self) -> int:
        """How long the episode has run, times before a restored snapshot included."""
        return self._clock.mono_us() - self._began_us

    def specs(self, who: Requestor = "assistant") -> tuple[ToolSpec, ...]:
        """The tools on offer to the agent, or to the partner ("user")."""
        return tuple(tool.spec for tool in self.domain.side(who).values())

    def say(
        self, role: Role, text: str, *, clip: str | None = None, cues: Mapping[str, Any] | None = None
    ) -> None:
        """Record words: the agent's ("assistant") or the partner's ("user")."""
        self._steps.append(Step(self.t_us, role, text, clip, cues=dict(cues or {})))

    def call(self, call: ToolCall, who: Requestor = "assistant") -> ToolResult:
        """Execute a tool call on the private state and record it with its result and changes."""
        done = execute(self.domain.side(who), self._db, call.name, call.arguments, self._audit)
        self._db = done.db
        asked = {"id": call.id, "name": call.name, "arguments": done.arguments}
        result = {"value": done.value} if done.error is None else {"value": done.value, "error": done.error}
        self._steps.append(Step(self.t_us, who, None, None, asked, result, done.changes, done.defect))
        return ToolResult(call.id, done.value, done.error)

    def snapshot(self) -> Snapshot:
        """The moment, to come back to."""
        return Snapshot(self._db, tuple(self._steps), self.t_us)

    def restore(self, moment: Snapshot) -> None:
        """Go on from a snapshot; its steps and times become this episode's own."""
        self._db = moment.db
        self._steps = list(moment.steps)
        self._began_us = self._clock.mono_us() - moment.t_us

    def finish(
        self,
        stop: StopReason,
        *,
        why: str | None = None,
        trial: int = 0,
        seed: int = 0,
        system: str = "",
        partner: str = "",
    ) -> Trace:
        """The complete trace. The episode may go on afterwards, or be restored."""
        return Trace(
            task=self.task.task_id, trial=trial, seed=seed, system=system, partner=partner,
            steps=tuple(self._steps), stop=stop, versions=dict(self._versions), domain=self.domain.name, why=why,
        )  # fmt: skip


def snapshot_of(domain: Domain, task: Task, steps: Sequence[Step]) -> Snapshot:
    """The moment after some steps of a kept trace, its state rebuilt from the changes.

    Raises ValueError where the steps do not fit the task's initial state.
    """
    db = domain.initial(task)
    for step in steps:
        if step.changes:
            db = apply(db, step.changes)
    return Snapshot(db, tuple(steps), steps[-1].t_us if steps else 0)


@dataclass(frozen=True, slots=True)
class EpisodeTools:
    """An episode's tools as the `Toolbox` that other parts of Antiphon drive."""

    episode: Episode
    who: Requestor = "assistant"

    def specs(self) -> Sequence[ToolSpec]:
        return self.episode.specs(self.who)

    async def call(self, call: ToolCall) -> AsyncGenerator[Progress | ToolResult, None]:
        yield self.episode.call(call, self.who)
