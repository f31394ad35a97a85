"""OpenEnv: a domain as an `Environment` and its server; every session plays its own episode.

    uvicorn.run(app(Practice("flight_search_desk")))

An action says something (`text`), calls a tool, or both. `end_call` hangs up, and the last observation has the reward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.envs.bridges.background import wait_for
from antiphon.errors import ConfigError, UnavailableError
from antiphon.ids import seed_for
from antiphon.messages import ToolCall

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
except ImportError as error:
    raise UnavailableError("the package openenv is missing", "pip install 'antiphon[openenv]'") from error

if TYPE_CHECKING:
    from antiphon.envs.bridges.practice import Practice
    from antiphon.envs.bridges.seat import Seat, Turn

NAME = "openenv"
SPLIT = "all"


class CallAction(Action):  # pyright: ignore[reportUntypedBaseClass]  optional, so not always here
    """What the agent does: words for the caller, a tool call (`tool` with `arguments`), or both."""

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = {}  # noqa: RUF012  pydantic copies it


class CallObservation(Observation):  # pyright: ignore[reportUntypedBaseClass]  as above
    """What it gets: the caller's words, the tool's result (`failed` where it is an error), and after a reset the
    instructions and the tools on offer. `reward` comes with `done`: 1, 0, or None for an invalid episode."""

    caller: str = ""
    result: Any = None
    failed: bool = False
    instructions: str = ""
    tools: list[dict[str, Any]] = []  # noqa: RUF012  pydantic copies it


class CallState(State):  # pyright: ignore[reportUntypedBaseClass]  as above
    """Where the episode is: its task, and once it is over how it stopped and why it did not pass."""

    task_id: str = ""
    stop: str = ""
    status: str = ""
    reason: str | None = None


class CallEnvironment(Environment):  # pyright: ignore[reportUntypedBaseClass]  as above
    """One episode at a time, its tasks in one split. The state of a domain is private to each of them."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, practice: Practice) -> None:
        super().__init__()
        self._practice = practice
        self._seat: Seat | None = None
        self._episodes = 0
        self._state = CallState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_id: str | None = None,
        split: str = SPLIT,
        index: int | None = None,
    ) -> CallObservation:
        """Begin the task of that id or index; without either, the next one in the order that `seed` gives.

        Raises ConfigError for one that is not there.
        """
        chosen = task_id or self._id(split, index if index is not None else self._next(seed))
        found = wait_for(self._open(chosen, seed or 0))
        self._state = CallState(episode_id=episode_id, task_id=chosen)
        self._episodes += 1
        return found

    def step(self, action: CallAction, timeout_s: float | None = None) -> CallObservation:
        """Say and call. Once the episode is over nothing happens any more. `timeout_s` is for the partner's model,
        whose own limits hold."""
        del timeout_s
        if self._seat is None:
            raise ConfigError("reset the environment before the first step")
        self._state.step_count += 1
        return wait_for(self._act(self._seat, action))

    @property
    def state(self) -> CallState:
        return self._state

    def close(self) -> None:
        """End an episode that is still open."""
        if self._seat is not None:
            wait_for(self._seat.leave())

    def list_splits(self) -> list[str]:
        return [SPLIT]

    def num_tasks(self, split: str) -> int:
        return len(self._tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return self._tasks(split)[index]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        return self._tasks(split)

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        return self._tasks(split)[start:stop]

    def _tasks(self, split: str) -> list[dict[str, Any]]:
        if split != SPLIT:
            raise ConfigError(f"no split {split!r}; there are: {SPLIT}")
        return [
            {
                "id": task.task_id,
                "index": at,
                "expected_outcome": task.expected_outcome,
                "tags": list(task.tags),
            }
            for at, task in enumerate(self._practice.tasks)
        ]

    def _id(self, split: str, index: int) -> str:
        count = self.num_tasks(split)
        if not 0 <= index < count:
            raise ConfigError(f"no task {index}; there are {count}, from 0")
        return self._practice.tasks[index].task_id

    def _next(self, seed: int | None) -> int:
        count = len(self._practice.tasks)
        return self._episodes % count if seed is None else seed_for(seed, self._episodes) % count

    async def _open(self, task_id: str, seed: int) -> CallObservation:
        if self._seat is not None:
            await self._seat.leave()
        self._seat = seat = self._practice.seat(task_id, NAME, seed=seed, trial=self._episodes)
        turn = await seat.open()
        tools = [
            {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
            for spec in seat.tools
        ]
        return CallObservation(caller=turn.words, instructions=seat.system_prompt, tools=tools)

    async def _act(self, seat: Seat, action: CallAction) -> CallObservation:
        call = ToolCall(f"call_{self._state.step_count}", action.tool, action.arguments)
        turn = await seat.act(action.text, (call,) if action.tool else ())
        result = turn.results[0] if turn.results else None
        return CallObservation(
            caller=turn.words,
            result=result.value if result else None,
            failed=result is not None and result.error is not None,
            done=turn.trace is not None,
            reward=await self._judge(turn),
        )

    async def _judge(self, turn: Turn) -> float | None:
        if turn.trace is None:
            return None
        found = await self._practice.outcome(turn.trace)
        verdict = found.verdict
        self._state.stop, self._state.status = verdict.stop, verdict.status
        self._state.reason = found.reward.reason
        return found.reward.value


def app(practice: Practice, *, most_sessions: int = 64) -> Any:
    """The FastAPI application that serves it over HTTP and WebSocket."""
    return create_fastapi_app(
        lambda: CallEnvironment(practice), CallAction, CallObservation,
        max_concurrent_envs=most_sessions, env_name=practice.domain.name, state_cls=CallState,
    )  # fmt: skip
