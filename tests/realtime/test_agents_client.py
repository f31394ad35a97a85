"""The real client openai-agents (optional: pip install openai-agents) completes audio, a tool call and an interruption."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from antiphon.models.scripted import Asked, Line
from tests.realtime.serving import ANSWER, PATIENCE_S, noise, served, stack

agents = pytest.importorskip("agents", reason="pip install openai-agents")
realtime = pytest.importorskip("agents.realtime")


async def until(session: Any, kind: str) -> list[Any]:
    """All events up to the first of this kind."""
    events: list[Any] = []
    async with asyncio.timeout(PATIENCE_S):
        async for event in session:
            events.append(event)
            assert event.type != "error", event
            if event.type == kind:
                return events
    raise AssertionError(f"the session ended without {kind}")


async def run(server: Any, *tools: Any) -> Any:
    agent = realtime.RealtimeAgent(name="Desk", instructions="Answer briefly.", tools=list(tools))
    runner = realtime.RealtimeRunner(agent)
    return await runner.run(model_config={"api_key": "none", "url": f"{server.url}/realtime?model=m"})


async def test_audio():
    async with served(stack([Line(text="At nine.")])) as server, await run(server) as session:
        await session.send_message("When?")
        events = await until(session, "agent_end")
        sound = b"".join(event.audio.data for event in events if event.type == "audio")
        assert len(sound) > 48 * 300


async def test_a_tool_call():
    called: list[str] = []

    @agents.function_tool
    def hours(day: str) -> str:
        """Opening hours of one day."""
        called.append(day)
        return "from nine"

    lines = [
        Line(match="When", tool_calls=(Asked("hours", {"day": "Monday"}, id="call_1"),)),
        Line(text="At nine."),
    ]
    async with served(stack(lines)) as server, await run(server, hours) as session:
        await session.send_message("When?")
        await until(session, "tool_end")
        await until(session, "audio")
        assert called == ["Monday"]


async def test_an_interruption():
    async with served(stack([Line(text=ANSWER * 3)])) as server, await run(server) as session:
        await session.send_message("Tell me everything.")
        await until(session, "audio")

        async def speak() -> None:
            pcm = noise(2500)
            for at in range(0, len(pcm), 960):
                await session.send_audio(pcm[at : at + 960])
                await asyncio.sleep(0.02)

        speaking = asyncio.create_task(speak())
        await until(session, "audio_interrupted")
        speaking.cancel()
