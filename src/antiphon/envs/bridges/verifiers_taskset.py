"""verifiers: a domain as a taskset, with an environment in which our partner calls the model.

verifiers finds a taskset by the name of a module of yours, `my_desk.py`:

    from antiphon.envs.bridges.verifiers_taskset import CallEnv, DomainTaskset
    __all__ = ["CallEnv", "DomainTaskset"]

and `vf-eval my-desk --env.taskset.domain flight_search_desk` plays it. Without `CallEnv` (another environment of
verifiers) the tools and the verdict are the same, and nobody calls.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.envs.bridges.practice import Practice, PracticeSettings
from antiphon.envs.bridges.seat import Turn
from antiphon.envs.bridges.verifiers_tools import NAME, CallState, CallTools, vf
from antiphon.envs.casting import SCRIPTED
from antiphon.envs.check import check_task
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.prompt import prompt_for
from antiphon.errors import DomainError
from antiphon.jsonl import from_row, to_row
from antiphon.judge.uri import open_judge
from antiphon.messages import ToolCall
from antiphon.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antiphon.envs.bridges.seat import Seat
    from antiphon.trace import StopReason


SILENCE = "…"  # a partner that says nothing; verifiers sends no empty message


class CallData(vf.TaskData):  # pyright: ignore[reportUntypedBaseClass]  optional, so not always here
    """Which task of which domain: a name, or a folder that every process sees."""

    domain: str
    task_id: str


class CallConfig(vf.TaskConfig):  # pyright: ignore[reportUntypedBaseClass]  as above
    """`judge`: the URI of a judge, which assertions in words need; `scoring`: strict or paper."""

    judge: str = ""
    scoring: str = "strict"
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class CallTask(vf.Task[CallData, CallState, CallConfig]):  # pyright: ignore[reportUntypedBaseClass]  as above
    """One task: its tools, its construction check as `validate`, its verdict as reward."""

    @classmethod
    def toolsets(cls, config: CallConfig) -> list[Any]:
        return [CallTools(config.tools)]

    @property
    def key(self) -> str:
        return f"{self.data.domain}/{self.data.task_id}"

    async def validate(self, runtime: Any) -> bool:
        """Whether the construction checks find nothing wrong."""
        del runtime  # no container is needed
        domain = open_domain(self.data.domain)
        return not check_task(domain, domain.task(self.data.task_id))

    @vf.stop  # pyright: ignore[reportUntypedFunctionDecorator]  as above
    async def hung_up(self, trace: vf.Trace) -> bool:  # pyright: ignore[reportUnknownParameterType]  as above
        """The model hung up, or has called too many tools."""
        return trace.state.over

    @vf.reward  # pyright: ignore[reportUntypedFunctionDecorator]  as above
    async def passed(self, trace: Any) -> float:
        """1 or 0 by the verdict. An invalid episode raises, and so has an error and no reward."""
        played = trace.state.so_far
        mine = from_row(played, Trace) if played else _untouched(self.data)
        config = self.config
        judge = open_judge(config.judge, RealClock()) if config.judge else None
        found = await _practice(self.data.domain, scoring=config.scoring, judge=judge).outcome(mine)
        rows = {"trace": mine, "verdict": found.verdict, "reward": found.reward}
        trace.info["antiphon"] = {name: to_row(record) for name, record in rows.items()}
        if found.reward.value is None:
            raise DomainError(f"{self.data.task_id}: no verdict: {found.reward.reason}")
        return found.reward.value


class DomainConfig(vf.TasksetConfig):  # pyright: ignore[reportUntypedBaseClass]  as above
    """`domain`: a name or a folder; `tasks`: only these ids; `task`: how they are scored."""

    domain: str = "flight_search_desk"
    tasks: list[str] = []  # noqa: RUF012  pydantic copies it
    task: CallConfig = CallConfig()


class DomainTaskset(vf.Taskset[CallTask, DomainConfig]):  # pyright: ignore[reportUntypedBaseClass]  as above
    """The tasks of a domain that can be scored."""

    def load(self) -> Iterator[CallTask]:
        practice = Practice(self.config.domain, PracticeSettings(tasks=tuple(self.config.tasks)))
        for task in practice.tasks:
            data = CallData(
                id=task.task_id, name=task.task_id, description=task.expected_outcome,
                system_prompt=prompt_for(practice.domain, task).text,
                domain=self.config.domain, task_id=task.task_id,
            )  # fmt: skip
            yield CallTask(data, self.config.task)


class CallEnvConfig(vf.EnvConfig):  # pyright: ignore[reportUntypedBaseClass]  as above
    """`agent`: the model under test, in a chat loop with tools; `partner`: "scripted", or a model's URI."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})
    partner: str = SCRIPTED


class CallEnv(vf.Env[CallEnvConfig]):  # pyright: ignore[reportUntypedBaseClass]  as above
    """Our partner calls, the model answers. A seat plays along: what the model said and called is done there too,
    so that limits, stops and the trace are those of every other rollout."""

    async def run(self, task: Any, agents: Any) -> None:
        seat = _practice(task.data.domain, partner=self.config.partner).seat(task.data.task_id, NAME)
        turn = await seat.open()
        async with agents.agent.interaction(task) as call:
            followed = 0
            while turn.trace is None:
                call.trace.state.so_far = to_row(seat.episode.finish("agent_hung_up", system=NAME))
                segment = await call.turn(turn.words or SILENCE)
                said = call.trace.assistant_messages[followed:]
                followed += len(said)
                turn = await _follow(seat, said, cut=segment.terminated)
                if segment.terminated:
                    break
            call.trace.state.so_far = to_row(await seat.leave(*_stop(call.trace)))


async def _follow(seat: Seat, said: Sequence[Any], *, cut: bool) -> Turn:
    """Do in the seat what the model did; the last turn is what the partner answers. A reply that was `cut` off
    before it was complete, or never came, is not answered."""
    turn = None
    for message in said:
        turn = await seat.act(message.content or "", [_call(each) for each in message.tool_calls or ()])
        if turn.trace is not None:
            return turn
    if turn is None:
        return Turn("") if cut else await seat.say("")
    return turn


def _stop(trace: Any) -> tuple[StopReason, str]:
    """How an episode ends that verifiers ended."""
    why = f"verifiers ended it: {trace.stop_condition or 'done'}"
    if trace.last_error is not None:
        return "infrastructure", f"{why}: {trace.last_error.message}"
    return ("turn_limit" if trace.is_truncated else "agent_hung_up"), why


def _call(asked: Any) -> ToolCall:
    try:
        arguments = json.loads(asked.arguments or "{}")
    except ValueError:
        arguments = {"unreadable": asked.arguments}
    return ToolCall(
        asked.id, asked.name, arguments if isinstance(arguments, dict) else {"unreadable": arguments}
    )


@cache
def _practice(domain: str, partner: str = SCRIPTED, scoring: Any = "strict", judge: Any = None) -> Practice:
    return Practice(domain, PracticeSettings(partner=partner, judge=judge, scoring=scoring))


def _untouched(data: CallData) -> Trace:
    """The trace of an episode that nobody played."""
    domain = open_domain(data.domain)
    return Episode(domain, domain.task(data.task_id), RealClock()).finish(
        "agent_hung_up", why="nobody played it", system=NAME
    )
