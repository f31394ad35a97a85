"""openai-agents: `RealtimeRunner` and its session."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import function_tool
from agents.realtime import RealtimeAgent, RealtimeRunner
from case import LONG_QUESTION, RESULT, Case, Seen, converse, main


def note(event: Any, seen: Seen) -> None:
    match event.type:
        case "audio":
            seen.audio += event.audio.data
        case "audio_interrupted":
            seen.interrupted += 1
        case "history_updated" | "history_added":
            pass
        case "tool_start":
            seen.tools.append({"name": event.tool.name, "arguments": json.loads(event.arguments)})
        case "error":
            seen.errors.append(str(event.error))
        case "raw_model_event" if event.data.type == "raw_server_event":
            raw(event.data.data, seen)
        case _:
            pass


def raw(data: dict[str, Any], seen: Seen) -> None:
    seen.kinds.append(data["type"])
    if data["type"] == "response.done":
        details = data["response"].get("status_details") or {}
        seen.ends.append([data["response"]["status"], details.get("reason")])


def words(history: list[Any], role: str) -> list[str]:
    """What one side said, as the client's history has it."""
    said = [item for item in history if item.type == "message" and item.role == role]
    parts = [
        [getattr(part, "text", None) or getattr(part, "transcript", None) for part in item.content]
        for item in said
    ]
    return ["".join(text or "" for text in texts) for texts in parts]


async def run(case: Case, seen: Seen) -> None:
    @function_tool
    def hours(day: str) -> str:
        """Opening hours of one day."""
        return RESULT

    agent = RealtimeAgent(
        name="Desk", instructions="Answer briefly.", tools=[hours] if case.name == "tool" else []
    )
    modality = "text" if case.name == "text" else "audio"
    runner = RealtimeRunner(agent)
    settings = {"output_modalities": [modality]}
    session = await runner.run(
        model_config={
            "api_key": "none",
            "url": f"{case.url}/realtime?model=antiphon",
            "initial_model_settings": settings,
        }
    )
    async with session:
        reading = asyncio.create_task(read(session, seen))
        await converse(case, seen, session.send_message, lambda: speak(session, case), session.interrupt)
        history = session._history
        seen.texts = [text for text in words(history, "assistant") if text]
        seen.heard = [text for text in words(history, "user") if "?" not in text and text != LONG_QUESTION]
        reading.cancel()
        await asyncio.wait([reading])


async def read(session: Any, seen: Seen) -> None:
    async for event in session:
        note(event, seen)


async def speak(session: Any, case: Case) -> None:
    async for frame in case.speech():
        await session.send_audio(frame)


main(run)
