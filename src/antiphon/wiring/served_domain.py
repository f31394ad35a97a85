"""A domain as the toolbox of live sessions: each session acts on a copy of its own, and writes want a yes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from antiphon.envs.contract import replay
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.prompt import briefing
from antiphon.envs.task import Task
from antiphon.errors import ConfigError, unknown
from antiphon.realtime.settings import Permission
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.messages import Progress, Toolbox, ToolCall, ToolResult, ToolSpec

_MAIN = "main.json"


@dataclass(frozen=True, slots=True)
class Desk:
    """What a live session needs of a domain."""

    name: str
    specs: tuple[ToolSpec, ...]
    permissions: Mapping[str, Permission]
    open: Callable[[], Toolbox]
    system: Callable[[str], str]  # instructions in the language of the person's words


class EpisodeDesk:
    """One session's tools. They run beside the loop: a call of a sandboxed domain waits for a process."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._one = asyncio.Lock()  # calls act on one document, in their order

    def specs(self) -> Sequence[ToolSpec]:
        return self.episode.specs()

    async def call(self, call: ToolCall) -> AsyncGenerator[Progress | ToolResult, None]:
        async with self._one:
            yield await asyncio.to_thread(self.episode.call, call)


def desk(name: str, changes: Sequence[str], clock: Clock) -> Desk:
    """A domain by name or folder, on its main database; `changes` are permissions as TOOL=allow, confirm or deny.

    Raises ConfigError and DomainError.
    """
    domain = open_domain(name)
    database = _MAIN if _MAIN in domain.dbs else min(domain.dbs, default=None)
    if database is None:
        raise ConfigError(f"{name} has no database in dbs/; a served domain acts on one")
    task = Task("live", f"@dbs/{database}", "", "informational")
    today = str(domain.dbs[database]["current_date"])
    return Desk(
        domain.name,
        tuple(tool.spec for tool in domain.tools.values()),
        {**confirmed_writes(domain), **permissions(changes, domain.tools)},
        lambda: EpisodeDesk(Episode(domain, task, clock)),
        lambda text: briefing(domain, today, language_of(text)),
    )


def confirmed_writes(domain: Domain) -> dict[str, Permission]:
    """ "confirm" for every tool that is not known to leave the state alone.

    Known is what the reference chains of the domain's tasks show: a tool that none of them calls may write.
    """
    called: set[str] = set()
    writing: set[str] = set()
    for task in domain.tasks:
        for step, outcome in zip(task.reference_tool_calls, replay(domain, task).outcomes, strict=False):
            called.add(step.tool)
            if outcome.changes:
                writing.add(step.tool)
    return {name: "confirm" for name in domain.tools if name in writing or name not in called}


def permissions(changes: Sequence[str], tools: Mapping[str, object]) -> dict[str, Permission]:
    """TOOL=PERMISSION, read. Raises ConfigError with the choices."""
    found: dict[str, Permission] = {}
    for change in changes:
        tool, _, permission = change.partition("=")
        if tool not in tools:
            raise unknown("tool", tool, tools)
        if permission not in get_args(Permission):
            raise unknown("permission", permission, get_args(Permission))
        found[tool] = cast("Literal['allow', 'confirm', 'deny']", permission)
    return found
