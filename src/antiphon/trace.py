"""What happened in one episode: every message, tool call, result, state change and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from antiphon.messages import Role

StopReason = Literal[
    "partner_hung_up", "agent_hung_up", "turn_limit", "tool_limit", "unreachable",
    "infrastructure", "partner_left_script", "partner_stopped_early",
]  # fmt: skip
# Not the system's doing: such an episode has no verdict.
INVALID_STOPS: frozenset[StopReason] = frozenset(
    {"infrastructure", "partner_left_script", "partner_stopped_early"}
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: something said (`text`), or a tool's `call` with its `result` and state `changes`.

    `role` is who spoke or called: "assistant" the agent, "user" the partner. `call` is {id, name, arguments},
    `result` is {value} or {value, error}; `changes` maps a JSON pointer to {"from", "to"}: what was added has no
    "from", what was removed no "to". `clip` names stored audio by hash; `defect` says how the tool misbehaved;
    `cues` are how it was said (style, noise), for speech.
    """

    t_us: int
    role: Role
    text: str | None = None
    clip: str | None = None
    call: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    defect: str | None = None
    cues: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Trace:
    """One episode from its first step to its stop. `meta` holds what may differ between equal runs.

    `versions` says what it ran on: "antiphon", and the hashes of "domain" (rules, tools, databases) and "task".
    """

    KIND: ClassVar[str] = "trace"
    V: ClassVar[int] = 2
    task: str
    trial: int
    seed: int
    system: str
    partner: str
    steps: tuple[Step, ...]
    stop: StopReason
    versions: dict[str, str]
    domain: str = ""
    why: str | None = None
    meta: dict[str, Any] = field(default_factory=dict[str, Any])

    @staticmethod
    def upgrade(row: dict[str, Any]) -> dict[str, Any]:
        """Version 1 kept only the new value of a change."""
        steps = [
            step | {"changes": {path: {"to": value} for path, value in step["changes"].items()}}
            if step.get("changes")
            else step
            for step in row["steps"]
        ]
        return row | {"v": 2, "steps": steps}
