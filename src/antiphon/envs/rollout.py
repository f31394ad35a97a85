"""A rollout: one episode played by a system and a partner, from the opening to the stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.trace import Step

if TYPE_CHECKING:
    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task
    from antiphon.models.ports import Chat
    from antiphon.partner.partner import Partner
    from antiphon.trace import Trace

# (domain, task, steps so far) → why a required state cannot be reached any more; None while it can.
Unreachable = Callable[["Domain", "Task", Sequence[Step]], str | None]


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """What bounds an episode. `max_turns` counts the agent's turns, `max_calls` its tool calls, over the whole
    episode. `unreachable` (a module's function) stops an episode early."""

    max_turns: int = 30
    max_calls: int = 40
    max_tokens: int | None = 1024
    temperature: float = 0.0
    deadline_us: int | None = None
    may_hang_up: bool = True
    unreachable: Unreachable | None = None


async def roll_out(  # noqa: PLR0913  the seam of whoever plays an episode: who plays what (4), how (1), and when
    domain: Domain,
    task: Task,
    system: Chat,
    partner: Partner,
    settings: RolloutSettings,
    *,
    seed: int,
    trial: int,
    clock: Clock,
    sounds: dict[str, Clip] | None = None,
) -> Trace:
    """Play one episode. Never raises for what a model does wrong: the trace says how it stopped.

    `sounds` collects every clip of the trace by its digest. A domain's and a user's errors are raised.
    """
    raise NotImplementedError
