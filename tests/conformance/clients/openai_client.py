"""openai-python: `client.realtime`."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from case import LONG_QUESTION, QUESTION, RESULT, TOOL, TOOL_QUESTION, Case, Seen, main
from openai import AsyncOpenAI

END = "response.done"


async def ask(connection: Any, text: str) -> None:
    part = {"type": "input_text", "text": text}
    await connection.conversation.item.create(item={"type": "message", "role": "user", "content": [part]})
    await connection.response.create()


async def until(connection: Any, seen: Seen, kind: str, times: int = 1) -> Any:
    """The events up to the one of this kind."""
    async for event in connection:
        note(event, seen)
        if event.type == kind:
            times -= 1
            if not times:
                return event
    raise EOFError(kind)


def note(event: Any, seen: Seen) -> None:
    seen.kinds.append(event.type)
    match event.type:
        case "response.output_text.done":
            seen.texts.append(event.text)
        case "response.output_audio_transcript.done":
            seen.texts.append(event.transcript)
        case "response.output_audio.delta":
            seen.audio += base64.b64decode(event.delta)
        case "conversation.item.input_audio_transcription.completed":
            seen.heard.append(event.transcript)
        case "input_audio_buffer.speech_started":
            seen.interrupted += 1
        case "response.function_call_arguments.done":
            seen.tools.append({"name": event.name, "arguments": json.loads(event.arguments)})
        case "response.done":
            seen.ended(event.response)
        case "error":
            seen.errors.append(event.error.message)
        case _:
            pass


async def speak(connection: Any, case: Case) -> None:
    async for frame in case.speech():
        await connection.input_audio_buffer.append(audio=base64.b64encode(frame).decode())


async def run(case: Case, seen: Seen) -> None:
    client = AsyncOpenAI(api_key="none", websocket_base_url=case.url)
    async with client.realtime.connect(model="antiphon") as connection:
        modality = "text" if case.name == "text" else "audio"
        await connection.session.update(
            session={
                "type": "realtime",
                "output_modalities": [modality],
                "tools": [TOOL] if case.name == "tool" else [],
            }
        )
        if case.name == "audio":
            talking = asyncio.create_task(speak(connection, case))
            await until(connection, seen, END)
            talking.cancel()
        elif case.name == "text":
            await ask(connection, QUESTION)
            await until(connection, seen, END)
        elif case.name == "tool":
            await ask(connection, TOOL_QUESTION)
            done = await until(connection, seen, END)
            [call] = done.response.output
            await connection.conversation.item.create(
                item={"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
            )
            await connection.response.create()
            await until(connection, seen, END)
        elif case.name == "cancel":
            await ask(connection, LONG_QUESTION)
            await until(connection, seen, "response.output_audio.delta")
            await connection.response.cancel()
            await until(connection, seen, END)
            await ask(connection, QUESTION)
            await until(connection, seen, END)
        else:
            await ask(connection, LONG_QUESTION)
            first = await until(connection, seen, "response.output_audio.delta")
            talking = asyncio.create_task(speak(connection, case))
            await until(connection, seen, "input_audio_buffer.speech_started")
            await connection.conversation.item.truncate(
                item_id=first.item_id, content_index=0, audio_end_ms=300
            )
            await until(connection, seen, END, times=2)
            talking.cancel()


main(run)
