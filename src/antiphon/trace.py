"""What happened in one episode: every message, tool call, result, state change and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from antiphon.messages import Role

StopReason = Literal[
    "partner_hung_up", "agent_hung_up", "turn_limit", "tool_limit", "unreachable", "infrastructure"
]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: something said (`text`), or a tool's `call` with its `result` and state `changes`.

    `changes` maps a leaf path of the database to its new value; `clip` names stored audio by hash.
    """

    t_us: int
    role: Role
    text: str | None = None
    clip: str | None = None
    call: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    changes: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Trace:
    """One episode from its first step to its stop. `meta` holds what may differ between equal runs."""

    KIND: ClassVar[str] = "trace"
    V: ClassVar[int] = 1
    task: str
    trial: int
    seed: int
    system: str
    partner: str
    steps: tuple[Step, ...]
    stop: StopReason
    versions: dict[str, str]
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
