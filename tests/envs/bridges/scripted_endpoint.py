"""An OpenAI-compatible endpoint on this host whose replies are scripted, for libraries that ask one over HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

Reply = str | tuple[str, dict[str, Any]]
"""Words, or a tool and its arguments."""


@asynccontextmanager
async def endpoint(script: Callable[[str], Reply]) -> AsyncIterator[str]:
    """Its base URL. `script` gets all messages but the first as JSON, and gives the reply."""
    uvicorn = pytest.importorskip("uvicorn")
    applications = pytest.importorskip("starlette.applications")
    responses = pytest.importorskip("starlette.responses")
    routing = pytest.importorskip("starlette.routing")

    async def chat(request: Any) -> Any:
        asked = await request.json()
        seen = json.dumps(asked["messages"][1:], ensure_ascii=False)
        rows = [json.dumps(row) for row in _chunks(script(seen), len(asked["messages"]))]
        body = "".join(f"data: {row}\n\n" for row in [*rows, "[DONE]"])
        return responses.Response(body, media_type="text/event-stream")

    app = applications.Starlette(routes=[routing.Route("/v1/chat/completions", chat, methods=["POST"])])
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    serving = asyncio.create_task(running.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        running.should_exit = True
        await serving


def _chunks(reply: Reply, number: int) -> list[dict[str, Any]]:
    head = {"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    if isinstance(reply, str):
        delta: dict[str, Any] = {"role": "assistant", "content": reply}
        finish = "stop"
    else:
        call = {"name": reply[0], "arguments": json.dumps(reply[1])}
        asked = {"index": 0, "id": f"c{number}", "type": "function", "function": call}
        delta = {"role": "assistant", "content": None, "tool_calls": [asked]}
        finish = "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**head, "choices": [], "usage": usage},
    ]
