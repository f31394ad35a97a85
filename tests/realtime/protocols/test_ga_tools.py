from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.messages import Progress, ToolCall, ToolResult, ToolSpec
from antiphon.models.scripted import Asked, Line
from tests.realtime.serving import Client, served, stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Slow:
    """Our own tool, which takes as long as the test wants."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    def specs(self) -> list[ToolSpec]:
        return [ToolSpec("look", "Looks.", {"type": "object"}, slow=True)]

    async def call(self, call: ToolCall) -> AsyncGenerator[Progress | ToolResult, None]:
        yield Progress(call.id, "half")
        await self.go_on.wait()
        yield ToolResult(call.id, {"found": 2})


async def test_the_agent_speaks_while_our_tool_runs_and_the_client_sees_it():
    lines = [
        Line(text="Let me look, one moment please.", tool_calls=(Asked("look", {}, id="call_1"),), times=1),
        Line(text="Two."),
    ]
    tool, made = Slow(), stack(lines)
    made = replace(
        made,
        parts=replace(made.parts, toolbox=lambda: tool),
        settings=replace(made.settings, tools=tuple(tool.specs())),
    )
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.type("Look.")
        assert (await client.until("duplex.tool_progress"))["text"] == "half"
        await client.until("response.output_audio.delta")
        assert "duplex.tool_ended" not in client.kinds()
        tool.go_on.set()
        ended = await client.until("duplex.tool_ended")
        assert (ended["state"], ended["value"]) == ("done", {"found": 2})
        while (await client.until("response.done"))["response"]["output"][-1]["type"] != "message":
            pass
