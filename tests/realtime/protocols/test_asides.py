"""Answers outside the conversation: beside what is said, without a trace in it."""

from __future__ import annotations

import asyncio
from typing import Any

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.models.scripted import Asked, Line, Manner, ScriptedChat
from antiphon.models.scripted_sound import words_in
from antiphon.realtime.protocols.asides import MOST
from tests.realtime.serving import RATE_HZ, Client, Noting, said, served, stack

SLOW = Line(text="Slowly. And more slowly.", first_token_us=100_000, end_us=60_000_000)
OUTSIDE = ["response.created", "response.output_item.added", "response.content_part.added"]


def aside(**options: Any) -> dict[str, Any]:
    return {
        "type": "response.create",
        "response": {"conversation": "none", "output_modalities": ["text"], **options},
    }


def slow() -> ScriptedChat:
    return ScriptedChat("slow", [SLOW], RealClock(), Manner(piece_chars=8, pace=True))


async def test_an_aside_reads_the_history_and_leaves_no_trace_in_it():
    chat = Noting(Line(match="topic", text="Libraries.", completion_tokens=2), Line(text="At nine."))
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(output_modalities=["text"])
        await client.type("When?")
        await client.until("response.done")
        before = len(client.events)
        await client.send(
            aside(instructions="Name the topic.", metadata={"for": "label"}, input=[said("topic?")])
        )
        done = (await client.until("response.done"))["response"]
        assert (done["status"], done["metadata"]) == ("completed", {"for": "label"})
        assert done["output"][0]["content"] == [{"type": "output_text", "text": "Libraries."}]
        assert "conversation_id" not in done
        assert not any(event["type"].startswith("conversation.item") for event in client.events[before:])
        assert chat.asked(1) == [("system", "Name the topic."), ("user", "topic?")]
        await client.send(aside())
        await client.until("response.done")
        assert chat.asked(2) == [("user", "When?"), ("assistant", "At nine.")]


async def test_several_at_once_beside_an_answer_and_each_is_cancelled_by_its_id():
    async with served(stack(chat=slow())) as server, server.client() as socket:
        client = Client(socket)
        await client.set(output_modalities=["text"])
        await client.type("Go on.")
        await client.until("response.created")
        ids = []
        for number in range(MOST):
            await client.send(aside(metadata={"number": str(number)}))
            ids.append((await client.until("response.created"))["response"]["id"])
        await client.send(aside())
        assert f"at most {MOST}" in (await client.error())[2]
        await client.send({"type": "response.cancel", "response_id": ids[2]})
        done = (await client.until("response.done"))["response"]
        assert (done["id"], done["metadata"], done["status"]) == (ids[2], {"number": "2"}, "cancelled")
        assert done["status_details"]["reason"] == "client_cancelled"


async def test_an_aside_can_be_spoken_and_can_call_a_function():
    lines = [
        Line(match="call", tool_calls=(Asked("label", {"topic": "library"}, id="call_7"),)),
        Line(text="Done so."),
    ]
    async with served(stack(lines)) as server, server.client() as socket:
        client = Client(socket)
        await client.send(aside(input=[said("speak")], output_modalities=["audio"]))
        done = (await client.until("response.done"))["response"]
        assert done["output"][0]["content"] == [{"type": "output_audio", "transcript": "Done so."}]
        assert words_in(Clip.from_pcm16(client.sound(), RATE_HZ)) == "Done so. "
        tool = {"type": "function", "name": "label", "parameters": {"type": "object"}}
        await client.send(aside(input=[said("call")], tools=[tool], tool_choice="required"))
        done = (await client.until("response.done"))["response"]
        [call] = done["output"]
        assert (call["type"], call["name"], call["arguments"]) == (
            "function_call",
            "label",
            '{"topic": "library"}',
        )


async def test_a_session_that_ends_ends_its_asides():
    async with served(stack(chat=slow())) as server:
        async with server.client() as socket:
            client = Client(socket)
            await client.send(aside(input=[said("x")]))
            await client.until("response.output_text.delta")
        await asyncio.sleep(0.1)
        assert server.hall.sessions == set()
