"""An MCP server of a domain's tools: each session plays its own episode on its own state.

Beside the domain's tools there are three for whoever runs the session: `episode_reset` begins a task, `episode_say`
speaks to the caller, `episode_finish` gives the verdict.
"""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from antiphon import __version__
from antiphon.envs.bridges.methods import refuse_names
from antiphon.envs.prompt import prompt_for
from antiphon.errors import AntiphonError, ConfigError
from antiphon.jsonl import dumps, to_row
from antiphon.messages import ToolSpec
from antiphon.models.native import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.envs.bridges.practice import Practice
    from antiphon.envs.bridges.seat import Seat, Turn
    from antiphon.jsonl import Appender
    from antiphon.trace import Trace

Wire = dict[str, Any]

EXTRA = "pip install 'antiphon[mcp]'"
NAME = "mcp"
RESET, SAY, FINISH = "episode_reset", "episode_say", "episode_finish"
MOST_SESSIONS = 1000
_ALONE = "stdio"  # the one session of a connection that has no other


def _spec(name: str, description: str, **properties: str) -> ToolSpec:
    parts = {each: {"type": "string", "description": words} for each, words in properties.items()}
    schema = {"type": "object", "properties": parts, "required": [*parts], "additionalProperties": False}
    return ToolSpec(name, description, schema)


_CONTROL = (
    _spec(SAY, "Say something to the caller, and hear the answer.", text="what to say"),
    _spec(RESET, "Begin an episode: the rules, and what the caller opens with.", task_id="which task"),
    _spec(FINISH, "End the episode: the verdict on it, with the reason, and its reward."),
)


@dataclass
class Session:
    """What one session plays: its seat, how many episodes it has begun, and whether the trace has been kept."""

    seat: Seat | None = None
    begun: int = 0
    kept: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Desk:
    """The sessions of a server. `first` is the task that a session plays before it begins another.

    `traces` gets the trace of every episode when it ends. With `control` off a model is offered the domain's tools
    and `episode_say` alone, and its episode ends with its session. The least recently used session goes when there
    are more than `most`. Raises ConfigError for a task that is not there.
    """

    def __init__(
        self,
        practice: Practice,
        first: str,
        traces: Appender | None = None,
        *,
        control: bool = True,
        most: int = MOST_SESSIONS,
    ) -> None:
        domain = practice.domain
        own = tuple(tool.spec for tool in domain.tools.values())
        refuse_names((RESET, SAY, FINISH), own, "the MCP server")
        self.practice = practice
        self.first = practice.task(first).task_id
        self.instructions = prompt_for(domain, practice.task(first)).text
        self.specs = (*own, *(_CONTROL if control else _CONTROL[:1]))
        self._control = control
        self._traces = traces
        self._most = most
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    async def call(self, session: str, tool: str, arguments: Mapping[str, Any]) -> tuple[Any, bool]:
        """The result of a tool in a session, and whether it is an error. Raises ConfigError for an unknown task."""
        mine = self._sessions.setdefault(session, Session())
        self._sessions.move_to_end(session)
        await self._make_room()
        async with mine.lock:
            if self._control and tool == RESET:
                return await self._reset(mine, str(arguments.get("task_id", ""))), False
            seat = mine.seat or (await self._begin(mine, self.first))[0]
            if tool == SAY:
                return _of_words(await seat.say(str(arguments.get("text", "")))), False
            if self._control and tool == FINISH:
                return await self._finish(mine), False
            return _of_call(await seat.call(tool, arguments))

    async def close(self) -> None:
        """End every episode that is still open, and keep its trace."""
        while self._sessions:
            await self._drop(self._sessions.popitem()[1])

    async def _make_room(self) -> None:
        while len(self._sessions) > self._most:
            await self._drop(self._sessions.popitem(last=False)[1])

    async def _drop(self, mine: Session) -> None:
        async with mine.lock:
            if mine.seat is not None:
                await self._end(mine, mine.seat)

    async def _begin(self, mine: Session, task: str) -> tuple[Seat, Turn]:
        if mine.seat is not None:
            await self._end(mine, mine.seat)
        mine.seat, mine.kept = self.practice.seat(task, NAME, trial=mine.begun), False
        mine.begun += 1
        return mine.seat, await mine.seat.open()

    async def _reset(self, mine: Session, task: str) -> Wire:
        found = self.practice.task(task)
        _, turn = await self._begin(mine, task)
        rules = prompt_for(self.practice.domain, found).text
        return {"task_id": task, "instructions": rules, "caller": turn.words}

    async def _finish(self, mine: Session) -> Wire:
        assert mine.seat is not None
        found = await self.practice.outcome(await self._end(mine, mine.seat))
        row = to_row(found.verdict)
        shown = ("task", "stop", "status", "passed", "reason", "state", "writes", "violations")
        return {"reward": found.reward.value, **{name: row[name] for name in shown if name in row}}

    async def _end(self, mine: Session, seat: Seat) -> Trace:
        trace = await seat.leave(why="the session ended it")
        if self._traces is not None and not mine.kept:
            self._traces.append(to_row(trace))
        mine.kept = True
        return trace


def _of_call(turn: Turn) -> tuple[Any, bool]:
    if not turn.results:
        return {"error": "the episode is over"}, True
    return turn.results[0].value, turn.results[0].error is not None


def _of_words(turn: Turn) -> Wire:
    return {"caller": turn.words, "over": turn.trace is not None}


def server(desk: Desk) -> Any:
    """The `Server` of the official SDK. Raises UnavailableError without it."""
    need("mcp", EXTRA)
    from mcp import types
    from mcp.server.lowlevel import Server

    listed = [
        types.Tool(name=spec.name, description=spec.description, input_schema=dict(spec.parameters))
        for spec in desk.specs
    ]

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: Any) -> Any:
        try:
            value, failed = await desk.call(_session_of(context), params.name, params.arguments or {})
        except AntiphonError as error:  # of the client or the domain; the session goes on
            value, failed = {"error": str(error)}, True
        structured: Wire = cast("Wire", value) if isinstance(value, dict) else {"result": value}
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=dumps(value))],
            structured_content=structured,
            is_error=failed,
        )

    return Server(
        desk.practice.domain.name, version=__version__, instructions=desk.instructions,
        on_list_tools=list_tools, on_call_tool=call_tool,
    )  # fmt: skip


def _session_of(context: Any) -> str:
    """Which session a call belongs to. Raises ConfigError where a client over HTTP names none."""
    request = context.request
    if request is None:
        return _ALONE
    named = request.query_params.get("session") or request.headers.get("mcp-session-id")
    if not named:
        raise ConfigError(
            "this protocol version keeps no session: add one to the address, …/mcp?session=NAME"
        )
    return str(named)


async def serve_stdio(desk: Desk) -> None:
    """Serve one client over stdin and stdout, until it goes."""
    made = server(desk)
    from mcp.server.stdio import stdio_server

    try:
        async with stdio_server() as (reading, writing):
            await made.run(reading, writing, made.create_initialization_options())
    finally:
        await desk.close()


async def serve_http(desk: Desk, host: str, port: int, announce: Callable[[str], object]) -> None:
    """Serve any number of clients over streamable HTTP at /mcp, until stopped; `announce` is told the address.

    `port` 0 takes a free one. Raises ConfigError for a port that is taken.
    """
    made = server(desk)
    import uvicorn

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(
            f"{host} port {port} cannot be had ({error.strerror}); choose another --port, 0 for any"
        ) from None
    announce(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/mcp")
    config = uvicorn.Config(made.streamable_http_app(host=host), host=host, port=port, log_level="warning")
    try:
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        listening.close()
        await desk.close()
