"""What a client asks of one response, and what it is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.models.ports import Chunk, Done, Request
from antiphon.models.scripted import Asked, Line, Manner, ScriptedChat
from antiphon.models.scripted_sound import words_in
from tests.realtime.serving import RATE_HZ, Client, Noting, Person, said, served, stack

HOURS = {"type": "function", "name": "hours", "parameters": {"type": "object", "properties": {}}}
ROOMS = {**HOURS, "name": "rooms"}
CALLS = Line(text="Let me see.", tool_calls=(Asked("hours", {"day": "Monday"}, id="call_1"),))
NINE = Line(text="At nine.", completion_tokens=3)
UNCUT = "This answer is not to be cut by anybody at all."


async def test_one_response_differs_from_the_session_and_the_next_does_not():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(instructions="Be kind.", tools=[HOURS])
        await client.create(said("When?"))
        done = await client.respond(
            instructions="Be brief.", output_modalities=["text"], tools=[ROOMS], max_output_tokens=7,
            metadata={"topic": "hours"},
        )  # fmt: skip
        assert (done["metadata"], done["output_modalities"], done["max_output_tokens"]) == (
            {"topic": "hours"}, ["text"], 7,
        )  # fmt: skip
        assert done["output"][0]["content"] == [{"type": "output_text", "text": "At nine."}]
        assert chat.asked() == [("system", "Be brief."), ("user", "When?")]
        assert [tool.name for tool in chat.requests[0].tools] == ["rooms"]
        assert chat.requests[0].sampling.max_tokens == 7
        done = await client.respond()
        assert "metadata" not in done
        assert (done["output_modalities"], done["max_output_tokens"]) == (["audio"], "inf")
        assert chat.asked()[0] == ("system", "Be kind.")
        assert [tool.name for tool in chat.requests[1].tools] == ["hours"]
        assert chat.requests[1].sampling.max_tokens is None


async def test_a_written_answer_in_a_spoken_session_makes_no_sound():
    async with served(stack([NINE])) as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("When?"))
        await client.respond(output_modalities=["text"])
        assert client.sound() == b""
        await client.respond()
        assert words_in(Clip.from_pcm16(client.sound(), RATE_HZ)) == "At nine. "


async def test_the_limit_of_tokens_makes_a_response_incomplete():
    async with served(stack([Line(text="At", finish="length")])) as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("When?"))
        done = await client.respond(max_output_tokens=1, output_modalities=["text"])
        assert done["status"] == "incomplete"
        assert done["status_details"] == {"type": "incomplete", "reason": "max_output_tokens"}
        assert done["output"][0]["status"] == "incomplete"


async def test_tool_choice_none_offers_no_tools():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(tools=[HOURS], tool_choice="none", output_modalities=["text"])
        await client.type("When?")
        await client.until("response.done")
        assert (chat.requests[0].tools, chat.requests[0].must_call) == ((), False)


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "hours"}])
async def test_a_required_call_is_all_that_the_response_holds(choice):
    chat = Noting(CALLS)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(tools=[HOURS, ROOMS])
        await client.create(said("When?"))
        done = await client.respond(tool_choice=choice)
        assert [item["type"] for item in done["output"]] == ["function_call"]
        assert chat.requests[0].must_call
        offered = [tool.name for tool in chat.requests[0].tools]
        assert offered == (["hours", "rooms"] if choice == "required" else ["hours"])


async def test_a_model_that_calls_nothing_though_it_must_fails_the_response():
    async with served(stack([NINE])) as server, server.client() as socket:
        client = Client(socket)
        await client.set(tools=[HOURS])
        await client.create(said("When?"))
        done = await client.respond(tool_choice="required")
        assert (done["status"], done["output"]) == ("failed", [])
        assert "called no tool" in done["status_details"]["error"]["message"]


async def test_a_function_of_one_response_is_run_by_the_client():
    lines = [Line(match="When", tool_calls=CALLS.tool_calls), NINE]
    async with served(stack(lines)) as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("When?"))
        done = await client.respond(tools=[HOURS])
        assert [(item["type"], item["status"]) for item in done["output"]] == [("function_call", "completed")]
        await client.create({"type": "function_call_output", "call_id": "call_1", "output": "9"})
        done = await client.respond(metadata={"after": "tool"})
        assert (done["output"][0]["content"][0]["transcript"], done["metadata"]) == (
            "At nine.",
            {"after": "tool"},
        )


async def test_a_result_may_come_before_the_response_that_asked_for_it_is_done():
    """Some clients answer a call as soon as its item is done."""
    chat = ScriptedChat(
        "slow", [Line(match="When", tool_calls=CALLS.tool_calls), NINE], RealClock(), Manner(pace=True)
    )
    async with served(stack(chat=Late(chat))) as server, server.client() as socket:
        client = Client(socket)
        await client.set(tools=[HOURS], output_modalities=["text"])
        await client.type("When?")
        await client.until("response.output_item.done")
        await client.create({"type": "function_call_output", "call_id": "call_1", "output": "9"})
        await client.send({"type": "response.create", "response": {"metadata": {"after": "tool"}}})
        assert "metadata" not in (await client.until("response.done"))["response"]
        done = (await client.until("response.done"))["response"]
        assert (done["output"][0]["content"][0]["text"], done["metadata"]) == ("At nine.", {"after": "tool"})


class Late:
    """A model that thinks for a while after its call."""

    accepts = gives = frozenset({"text"})

    def __init__(self, chat: ScriptedChat) -> None:
        self.chat, self.name = chat, chat.name

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        async for chunk in self.chat.stream(request):
            if isinstance(chunk, Done):
                await asyncio.sleep(0.3)
            yield chunk


async def test_input_stands_in_for_the_history():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(output_modalities=["text"])
        await client.create(said("My name is Ada.", id="name"))
        await client.create(said("When?"))
        await client.respond(input=[{"type": "item_reference", "id": "name"}, said("Who am I?")])
        assert chat.asked() == [("user", "My name is Ada."), ("user", "Who am I?")]
        await client.respond()
        assert [text for _, text in chat.asked()] == ["My name is Ada.", "When?", "At nine."]


async def test_a_second_response_has_to_wait_and_a_cancel_names_its_response():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.type("Go on.")
        created = await client.until("response.created")
        await client.send({"type": "response.create", "event_id": "second"})
        assert (await client.error())[0] == "conversation_already_has_active_response"
        await client.send({"type": "response.cancel", "response_id": "another"})
        assert (await client.error())[0] == "response_cancel_not_active"
        await client.send({"type": "response.cancel", "response_id": created["response"]["id"]})
        done = (await client.until("response.done"))["response"]
        assert (done["id"], done["status"]) == (created["response"]["id"], "cancelled")
        assert done["status_details"]["reason"] == "client_cancelled"


async def test_a_cancel_that_follows_at_once_cancels_the_response():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.type("Go on.")
        await client.send({"type": "response.cancel"})
        done = (await client.until("response.done"))["response"]
        assert (done["status"], done["status_details"]["reason"]) == ("cancelled", "client_cancelled")


async def test_what_is_left_of_the_sound_is_dropped_on_demand():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.type("Go on.")
        delta = await client.until("response.output_audio.delta")
        await client.send({"type": "output_audio_buffer.clear"})
        cleared = await client.until("output_audio_buffer.cleared")
        assert cleared["response_id"] == delta["response_id"]
        assert (await client.until("response.done"))["response"]["status"] == "cancelled"


def hearing(**detection: object) -> dict[str, object]:
    return {"input": {"turn_detection": {"type": "server_vad", **detection}}}


async def test_turns_without_answers_are_kept_until_the_client_asks():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio=hearing(create_response=False), output_modalities=["text"])
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await asyncio.sleep(0.3)
        person.say(700)
        await client.until("conversation.item.input_audio_transcription.completed")
        await asyncio.sleep(0.5)
        assert chat.requests == []
        await client.respond()
        talking.cancel()
        assert chat.asked() == [("user", "Please tell me about the library.")]


async def test_speech_over_an_answer_that_may_not_be_interrupted_is_answered_after_it():
    chat = Noting(Line(match="library", text="It is open."), Line(text=UNCUT))
    async with served(stack(chat=chat)) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.set(audio=hearing(interrupt_response=False))
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await client.type("Go on.")
        await client.until("response.output_audio.delta")
        person.say(1000)
        first = (await client.until("response.done"))["response"]
        second = (await client.until("response.done"))["response"]
        talking.cancel()
        assert (first["status"], first["output"][0]["content"][0]["transcript"]) == ("completed", UNCUT)
        assert second["output"][0]["content"][0]["transcript"] == "It is open."
        assert "duplex.paused" not in client.kinds()
