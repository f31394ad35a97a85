"""`Seat`: the agent's place in an episode, for a loop that is not ours: a trainer's, a server's, a person's.

The rollout is the usual one, with its limits, stops, partner and trace; its system is whoever sits here.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.envs.episode import Episode
from antiphon.envs.prompt import agent_tools, prompt_for, prompt_version
from antiphon.envs.rollout import Play, RolloutSettings
from antiphon.messages import ToolCall, ToolResult
from antiphon.models.ports import Done, TextDelta, ToolAsk

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task
    from antiphon.messages import Kind, ToolSpec
    from antiphon.models.ports import Chunk, Request
    from antiphon.partner.partner import Partner
    from antiphon.trace import Step, StopReason, Trace

_DEFAULT = RolloutSettings()


@dataclass(frozen=True, slots=True)
class Turn:
    """What the agent gets for what it did: the partner's words ("" for none), the results of its calls, in order,
    and the trace once the episode is over."""

    words: str
    results: tuple[ToolResult, ...] = ()
    trace: Trace | None = None


class Seat:
    """One episode from the agent's place: `open`, then `act` until a turn brings the trace, or `leave`.

    All in one event loop. `name` says in the trace who the system was.
    """

    def __init__(  # noqa: PLR0913  what is played (2), by whom (2), how (3)
        self,
        domain: Domain,
        task: Task,
        partner: Partner,
        name: str,
        *,
        settings: RolloutSettings = _DEFAULT,
        seed: int = 0,
        trial: int = 0,
        clock: Clock | None = None,
    ) -> None:
        clock = clock or RealClock()
        self.episode = Episode(domain, task, clock)
        self.system_prompt = prompt_for(domain, task).text
        self.tools: tuple[ToolSpec, ...] = agent_tools(
            domain, self.episode.specs(), may_hang_up=settings.may_hang_up
        )
        self._sitter = _Sitter(name, clock)
        self._partner = partner
        self._play = Play(self.episode, self._sitter, partner, settings, clock, seed=seed)
        self._seed, self._trial = seed, trial
        self._playing: asyncio.Task[Trace] | None = None
        self._calls = 0

    async def open(self) -> Turn:
        """Begin: the partner's opening. Raises what is wrong with the domain or the partner's settings."""
        self._playing = asyncio.create_task(self._play.run(self._trial))
        return await self._next(0)

    async def act(self, text: str = "", calls: Sequence[ToolCall] = ()) -> Turn:
        """Say something, call tools, or both: words without calls end the agent's turn, and the partner answers.

        Once the episode is over nothing happens any more; the turn says so again.
        """
        if self._playing is None:
            raise RuntimeError("the episode has not been opened")
        if self._playing.done():
            return Turn("", (), self._playing.result())
        begin = len(self.episode.steps)
        self._sitter.replies.put_nowait((text, tuple(calls)))
        return await self._next(begin)

    async def say(self, text: str) -> Turn:
        """Words alone."""
        return await self.act(text)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Turn:
        """One tool call alone."""
        self._calls += 1
        return await self.act("", (ToolCall(f"call_{self._calls}", tool, arguments),))

    async def leave(self, stop: StopReason = "agent_hung_up", why: str | None = None) -> Trace:
        """The trace, of an episode that is over or ends now because the loop outside ends."""
        if self._playing is None:
            raise RuntimeError("the episode has not been opened")
        if self._playing.done():
            return self._playing.result()
        self._playing.cancel()
        with suppress(asyncio.CancelledError):
            await self._playing
        trace = self.episode.finish(
            stop,
            why=why,
            trial=self._trial,
            seed=self._seed,
            system=self._sitter.name,
            partner=self._partner.name,
        )
        trace = replace(trace, versions={**trace.versions, "prompt": prompt_version()})
        self._playing = asyncio.create_task(_given(trace))
        return await self._playing

    async def _next(self, begin: int) -> Turn:
        """Wait until the agent is asked again, or the episode is over."""
        assert self._playing is not None
        asked = asyncio.ensure_future(self._sitter.requests.get())
        await asyncio.wait({self._playing, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            asked.cancel()
        steps = self.episode.steps[begin:]
        trace = self._playing.result() if self._playing.done() else None
        return Turn(_words(steps), _results(steps), trace)


class _Sitter:
    """The port `Chat` whose replies come from outside."""

    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self.requests: asyncio.Queue[Request] = asyncio.Queue()
        self.replies: asyncio.Queue[tuple[str, tuple[ToolCall, ...]]] = asyncio.Queue()
        self._clock = clock

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        began_us = self._clock.mono_us()
        self.requests.put_nowait(request)
        text, calls = await self.replies.get()
        took_us = self._clock.mono_us() - began_us
        if text:
            yield TextDelta(text, took_us)
        for call in calls:
            yield ToolAsk(call, took_us)
        yield Done("tool_calls" if calls else "stop", took_us)


async def _given(trace: Trace) -> Trace:
    return trace


def _words(steps: Sequence[Step]) -> str:
    return "\n".join(step.text for step in steps if step.role == "user" and step.text)


def _results(steps: Sequence[Step]) -> tuple[ToolResult, ...]:
    return tuple(
        ToolResult(step.call["id"], step.result["value"], step.result.get("error"))
        for step in steps
        if step.role == "assistant" and step.call is not None and step.result is not None
    )
