"""Calls that we run ourselves, told as GA tells calls of an MCP server: a client knows that they are not its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.shapes import Item, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.messages import ToolCall, ToolResult
    from antiphon.models.wire.ga.shapes import Event
    from antiphon.realtime import events

LABEL = "antiphon"


class OwnCalls:
    """The items of one session's own calls."""

    def __init__(self, say: Callable[[Event | Unknown], None], items: dict[str, Item]) -> None:
        self._say, self._items = say, items
        self._places: dict[str, tuple[str, int]] = {}  # call → (response, index), while it runs

    def started(self, call: ToolCall, response: str, index: int) -> Item:
        """The call runs, as part of this response's output; its item."""
        name = f"mcp_{call.id}"[:64]
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        asked = Item(
            type="mcp_call", object="realtime.item", id=name, status="in_progress", name=call.name, arguments="",
            server_label=LABEL,
        )  # fmt: skip
        previous = next(reversed(self._items), None)
        self._say(server.OutputItemAdded(response_id=response, output_index=index, item=asked))
        self._say(server.ItemAdded(item=asked, previous_item_id=previous))
        self._tell("response.mcp_call_arguments.done", name, index, response_id=response, arguments=arguments)
        self._tell("response.mcp_call.in_progress", name, index)
        self._places[call.id] = (response, index)
        self._items[name] = known = replace(asked, arguments=arguments)
        return known

    def ended(self, ended: events.ToolEnded, open_response: str | None) -> None:
        """The call is over; `open_response` is the response under way, if any."""
        response, index = self._places.pop(ended.call.id, (None, 0))
        if response is None:
            return
        name = f"mcp_{ended.call.id}"[:64]
        result = ended.result
        failed = result.error is not None
        error = {"type": "tool_execution_error", "message": result.error} if failed else None
        output = None if failed else json.dumps(result.value, ensure_ascii=False)
        state = "incomplete" if failed else "completed"
        done = replace(self._items[name], status=state, output=output, error=error)
        self._items[name] = done
        self._tell("response.mcp_call.failed" if failed else "response.mcp_call.completed", name, index)
        self._say(server.ItemDone(item=done))
        if response == open_response:
            self._say(server.OutputItemDone(response_id=response, output_index=index, item=done))

    def _tell(self, kind: str, item: str, index: int, **more: Any) -> None:
        self._say(Unknown(kind, {"type": kind, "item_id": item, "output_index": index, **more}))


def extension(ended: events.ToolEnded) -> dict[str, Any]:
    """The fields of `duplex.tool_ended`."""
    result: ToolResult = ended.result
    state = "cancelled" if ended.cancelled else "failed" if result.error is not None else "done"
    return {"call_id": ended.call.id, "name": ended.call.name, "state": state, "value": result.value, "error": result.error}  # fmt: skip
