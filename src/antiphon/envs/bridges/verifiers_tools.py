"""verifiers: the tool server of one rollout. It runs in a process of its own, and its state travels with the rollout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.envs.bridges.methods import method_of
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode, snapshot_of
from antiphon.envs.prompt import END_CALL, agent_tools
from antiphon.envs.rollout import RolloutSettings
from antiphon.errors import UnavailableError
from antiphon.jsonl import dumps, from_row, to_row
from antiphon.messages import ToolCall
from antiphon.trace import Trace

try:
    import verifiers.v1 as vf
except ImportError as error:
    raise UnavailableError("the package verifiers is missing", "pip install 'antiphon[verifiers]'") from error

if TYPE_CHECKING:
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

NAME = "verifiers"
_LIMITS = RolloutSettings()
OVER = "The call has ended. Nobody hears you any more."


class CallState(vf.State):  # pyright: ignore[reportUntypedBaseClass]  optional, so not always here
    """What has happened in the episode so far, as the row of a trace (empty before
    anything has), and whether it is over: the agent hung up, or called more tools than it may."""

    so_far: dict[str, Any] = {}  # noqa: RUF012  pydantic copies it
    over: bool = False


class CallTools(vf.Toolset[vf.ToolsetConfig, CallState]):  # pyright: ignore[reportUntypedBaseClass]  as above
    """The domain's tools, and `end_call`, under their own names."""

    TOOL_PREFIX = None
    _domain: Domain
    _task: Task

    async def setup_task(self, task: Any) -> None:
        self._domain = open_domain(task.domain)
        self._task = self._domain.task(task.task_id)

    def register(self, mcp: Any) -> None:
        own = tuple(tool.spec for tool in self._domain.tools.values())
        for spec in agent_tools(self._domain, own, may_hang_up=True):
            method = method_of(spec, CallTools.play).__get__(self)
            mcp.add_tool(self._with_state(method), name=spec.name, description=spec.description)

    def play(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool on the state that the rollout has reached."""
        before = steps_of(self.state.so_far)
        calls = sum(step.call is not None and step.role == "assistant" for step in before)
        if calls >= _LIMITS.max_calls or (tool == END_CALL and END_CALL not in self._domain.tools):
            self.state.over = True
            return OVER
        episode = Episode(self._domain, self._task, RealClock())
        episode.restore(snapshot_of(self._domain, self._task, before))
        given = {name: value for name, value in arguments.items() if value is not None}  # not given at all
        result = episode.call(ToolCall(f"call_{len(before)}", tool, given))
        self.state.so_far = to_row(episode.finish("agent_hung_up", system=NAME))
        return dumps(result.value)


def steps_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """The steps of a trace's row; none of an empty one."""
    return from_row(row, Trace).steps if row else ()


if __name__ == "__main__":  # how verifiers starts it
    CallTools.run()
