"""Episodes of the lending desk, played by scripted chats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antiphon.clock import VirtualClock
from antiphon.envs.domain import Domain
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.messages import Message
from antiphon.models.scripted import Asked, Line, ScriptedChat
from antiphon.partner.partner import Partner, PartnerTurn
from antiphon.partner.user import ScriptedPartner
from antiphon.trace import Trace
from tests.envs.desk import open_desk

DEFAULTS = RolloutSettings()


def lines(*replies: str | Asked | tuple[Asked, ...]) -> list[Line]:
    """Replies in order: words, one call, or several calls at once."""
    rows: list[Line] = []
    for each in replies:
        if isinstance(each, str):
            rows.append(Line(text=each, times=1))
        else:
            calls = (each,) if isinstance(each, Asked) else each
            rows.append(Line(tool_calls=calls, times=1))
    return rows


def agent(*replies: str | Asked | tuple[Asked, ...]) -> ScriptedChat:
    return ScriptedChat("agent", [*lines(*replies), Line(text="And?")], VirtualClock())


class Turns:
    """A partner that takes its turns from a list, and remembers what it saw."""

    name = "scripted:turns"

    def __init__(self, *turns: PartnerTurn) -> None:
        self._turns = list(turns)
        self.saw: list[list[Message]] = []

    async def turn(self, dialogue: Sequence[Message]) -> PartnerTurn:
        self.saw.append(list(dialogue))
        return self._turns.pop(0) if self._turns else PartnerTurn("Bye.", hang_up=True)

    def snapshot(self) -> bytes:
        return str(len(self._turns)).encode()

    def restore(self, state: bytes) -> None:
        del self._turns[: len(self._turns) - int(state)]


def desk(folder: Path) -> Domain:
    return open_desk(folder)


async def play(
    domain: Domain,
    system: ScriptedChat,
    partner: Partner | None = None,
    settings: RolloutSettings = DEFAULTS,
    **more: Any,
) -> Trace:
    task = domain.task("lend_emma")
    assert task.script is not None
    return await roll_out(
        domain, task, system, partner or ScriptedPartner(task.script), settings,
        seed=more.pop("seed", 1), trial=0, clock=more.pop("clock", VirtualClock()), **more,
    )  # fmt: skip
