"""TRL's `environment_factory`: a domain as tools in the trainer's own loop.

    trainer = GRPOTrainer(model, train_dataset=Dataset.from_list(rows(practice)),
                          environment_factory=environment(practice), args=…)

TRL ends an episode at the first reply without a tool call, so here the agent speaks through the tool `say_to_user`;
`trl_rollout` plays the call as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.envs.bridges.background import wait_for
from antiphon.envs.bridges.methods import method_of, refuse_names
from antiphon.envs.prompt import END_CALL, prompt_for
from antiphon.errors import ConfigError
from antiphon.jsonl import dumps
from antiphon.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.envs.bridges.practice import Outcome, Practice
    from antiphon.envs.bridges.seat import Seat, Turn

Row = dict[str, Any]

NAME = "trl"
SAY = "say_to_user"
OVER = "The call has ended. Nobody hears you any more."
_SAY = ToolSpec(
    SAY,
    "Say something to the caller, and hear the answer. Words outside this tool are not heard.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "what to say"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
_HOW = {
    "en": "The caller hears only what you say with the tool {say}; speak with it, and call the other tools in between.",
    "zh": "来电者只能听到你用工具 {say} 说的话：用它说话，其间调用别的工具。",
}


def rows(practice: Practice) -> list[Row]:
    """A dataset for `environment_factory`: prompt, task id, outcome and tags of each task."""
    return [
        {
            "prompt": [
                {"role": "system", "content": f"{prompt_for(practice.domain, task).text}\n\n{_HOW[task.language].format(say=SAY)}"},
                {"role": "user", "content": ""},
            ],
            "task_id": task.task_id,
            "expected_outcome": task.expected_outcome,
            "tags": list(task.tags),
        }
        for task in practice.tasks
    ]  # fmt: skip


class CallEnvironment:
    """The environment of one episode at a time. Its tools are methods that `environment` adds."""

    def __init__(self, practice: Practice) -> None:
        self._practice = practice
        self._seat: Seat | None = None
        self._trial = 0
        self.outcome: Outcome | None = None

    @classmethod
    def with_tools(cls, practice: Practice) -> type[CallEnvironment]:
        """The class for a domain: TRL offers its public methods to the model."""
        specs = tuple(tool.spec for tool in practice.domain.tools.values())
        refuse_names((SAY, END_CALL, "reset", "get_reward", "outcome"), specs, "the bridge to TRL")
        methods = {spec.name: method_of(spec, cls._run) for spec in (*specs, _SAY)}
        return type(practice.domain.name, (cls,), methods)

    def reset(self, task_id: str = "", **_row: Any) -> str:
        """Begin an episode of the row's task; what the caller opens with. Raises ConfigError without a task."""
        if not task_id:
            raise ConfigError(
                "a row of the dataset has no task_id; build it with antiphon.envs.bridges.trl_environment.rows"
            )
        self._trial += 1
        self.outcome = None
        return wait_for(self._open(task_id))

    def get_reward(self) -> float | None:
        """The return of the episode, 1 or 0, or None for an invalid one: TRL leaves it out of its group."""
        self.outcome = wait_for(self._judge())
        return self.outcome.reward.value

    async def _open(self, task_id: str) -> str:
        if self._seat is not None:
            await self._seat.leave()
        self._seat = self._practice.seat(task_id, NAME, trial=self._trial)
        return (await self._seat.open()).words

    async def _judge(self) -> Outcome:
        trace = await self._sat().leave(why="its last reply called no tool")
        return await self._practice.outcome(trace)

    def _sat(self) -> Seat:
        if self._seat is None:
            raise RuntimeError("reset() comes first")
        return self._seat

    def _run(self, tool: str, arguments: dict[str, Any]) -> str:
        """What a tool gives back to the model: JSON, or the caller's words."""
        seat = self._sat()
        if tool == SAY:
            return _told(wait_for(seat.say(str(arguments.get("text", "")))))
        return _told(wait_for(seat.call(tool, arguments)))


def environment(practice: Practice) -> Callable[[], CallEnvironment]:
    """A factory of environments for `environment_factory`. Raises ConfigError for tools that it cannot offer."""
    kind = CallEnvironment.with_tools(practice)
    return lambda: kind(practice)


def _told(turn: Turn) -> str:
    said = [dumps(result.value) for result in turn.results]
    if turn.words:
        said.append(turn.words)
    if turn.trace is not None:
        said.append(OVER)
    return "\n".join(said)
