"""Items that a client puts in, asks for, truncates and takes out; what the model reads of them."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from antiphon.models.scripted import Asked, Line
from antiphon.models.scripted_sound import tone
from tests.realtime.serving import ANSWER, Client, Noting, append, noise, said, served, stack

TEXT = {"output_modalities": ["text"]}
NINE = Line(text="At nine.")
MANUAL = {"input": {"turn_detection": None}}


def spoken(text: str, **more: Any) -> dict[str, Any]:
    pcm = tone(text, 1.0, 16_000).pcm16()
    part = {"type": "input_audio", "audio": base64.b64encode(pcm).decode()}
    return {"type": "message", "role": "user", "content": [part], **more}


async def test_items_of_all_kinds_are_history_in_their_order():
    chat = Noting(NINE)
    call = {"type": "function_call", "call_id": "c1", "name": "hours", "arguments": '{"day": "Monday"}'}
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(**TEXT)
        await client.create(said("You are a librarian.", "system"))
        await client.create(said("Hello!", "assistant"))
        await client.create(call)
        await client.create({"type": "function_call_output", "call_id": "c1", "output": '{"opens": 9}'})
        await client.type("When?")
        await client.until("response.done")
        messages = chat.requests[0].messages
        assert [message.role for message in messages] == ["system", "assistant", "assistant", "tool", "user"]
        assert messages[2].parts[0].arguments == {"day": "Monday"}  # type: ignore[union-attr]
        assert messages[3].parts[0].value == {"opens": 9}  # type: ignore[union-attr]
        await client.create(said("Speak slowly from now on.", "system"))
        await client.type("And on Sunday?")
        await client.until("response.done")
        assert chat.asked()[-3:] == [
            ("assistant", "At nine."), ("system", "Speak slowly from now on."), ("user", "And on Sunday?"),
        ]  # fmt: skip


async def test_sound_in_an_item_is_recognised_and_its_answer_waits_for_the_words():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio={"input": {"format": {"type": "audio/pcm", "rate": 16000}}}, **TEXT)
        await client.create(spoken("When do you open?", id="mine"))
        await client.send({"type": "response.create"})
        heard = await client.until("conversation.item.input_audio_transcription.completed")
        assert (heard["item_id"], heard["transcript"]) == ("mine", "When do you open?")
        assert heard["usage"] == {"type": "duration", "seconds": 1.0}
        await client.until("response.done")
        assert chat.asked() == [("user", "When do you open?")]
        await client.send({"type": "conversation.item.retrieve", "item_id": "mine"})
        item = (await client.until("conversation.item.retrieved"))["item"]
        assert item["content"] == [{"type": "input_audio", "transcript": "When do you open?"}]


async def test_turns_that_the_client_commits_are_items_of_their_own():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio=MANUAL, **TEXT)
        for _ in range(2):
            await client.send(append(noise(400)))
            await client.send({"type": "input_audio_buffer.commit"})
        await client.send({"type": "response.create"})
        await client.until("response.done")
        assert chat.asked() == [("user", "Please tell me about the library.")] * 2
        await client.send({"type": "input_audio_buffer.commit"})
        assert (await client.error())[0] == "input_audio_buffer_commit_empty"
        await client.send(append(noise(400)))
        await client.send({"type": "input_audio_buffer.clear"})
        await client.until("input_audio_buffer.cleared")
        await client.send({"type": "input_audio_buffer.commit"})
        assert (await client.error())[0] == "input_audio_buffer_commit_empty"


async def test_what_is_deleted_is_not_in_the_history_whoever_said_it():
    lines = [Line(match="Monday", tool_calls=(Asked("hours", {}, id="c9"),)), Line(text="At nine.")]
    chat = Noting(*lines)
    tool = {"type": "function", "name": "hours", "parameters": {"type": "object"}}
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(tools=[tool], **TEXT)
        await client.create(said("My secret is 42.", id="secret"))
        await client.type("When?")
        answer = (await client.until("response.done"))["response"]["output"][0]["id"]
        await client.type("And on Monday?")
        call = (await client.until("response.done"))["response"]["output"][0]["id"]
        await client.create({"type": "function_call_output", "call_id": "c9", "output": "9", "id": "result"})
        await client.respond()
        for name in ("secret", answer, call):
            await client.send({"type": "conversation.item.delete", "item_id": name})
            assert (await client.until("conversation.item.deleted"))["item_id"] == name
        await client.type("What do you know?")
        await client.until("response.done")
        assert chat.asked() == [
            ("user", "When?"), ("user", "And on Monday?"), ("assistant", "At nine."), ("user", "What do you know?"),
        ]  # fmt: skip
        await client.send({"type": "conversation.item.retrieve", "item_id": "secret"})
        assert (await client.error())[1] == "item_id"


async def test_the_persons_own_spoken_turn_can_be_deleted():
    chat = Noting(NINE)
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio=MANUAL, **TEXT)
        await client.send(append(noise(400)))
        await client.send({"type": "input_audio_buffer.commit"})
        item = (await client.until("input_audio_buffer.committed"))["item_id"]
        await client.respond()
        await client.send({"type": "conversation.item.delete", "item_id": item})
        await client.until("conversation.item.deleted")
        await client.respond()
        assert chat.asked() == [("assistant", "At nine.")]


async def test_a_late_truncation_takes_unheard_words_back():
    chat = Noting(Line(text="One two three four five six."))
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.type("Count.")
        item = (await client.until("response.done"))["response"]["output"][0]["id"]
        assert len(client.sound()) > 48 * 1500
        where = {
            "type": "conversation.item.truncate",
            "item_id": item,
            "content_index": 0,
            "audio_end_ms": 500,
        }
        await client.send(where)
        await client.until("conversation.item.truncated")
        await client.type("Where were you?")
        await client.until("response.created")
        await asyncio.sleep(0.05)
        assert chat.asked() == [("user", "Count."), ("assistant", "One two "), ("user", "Where were you?")]


async def test_a_retrieved_answer_holds_what_was_heard():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.type("Go on.")
        item = (await client.until("response.output_audio.delta"))["item_id"]
        await asyncio.sleep(1)
        await client.send({"type": "response.cancel"})
        await client.until("response.done")
        await client.send({"type": "conversation.item.retrieve", "item_id": item})
        heard = (await client.until("conversation.item.retrieved"))["item"]["content"][0]["transcript"]
        assert 0 < len(heard) < 40
        assert ANSWER.startswith(heard)


@pytest.mark.parametrize(
    ("item", "field", "part"),
    [
        ({"type": "message", "role": "user", "content": [{"type": "input_image"}]}, "item.content[0].type", "input_image"),
        ({"type": "function_call_output", "call_id": "no", "output": "1"}, "item.call_id", "no call 'no'"),
        ({"type": "message", "role": "user", "content": [{"type": "input_audio"}]}, "item.content", "needs audio"),
        ({"type": "message", "role": "user", "content": [{"type": "input_audio", "audio": "§"}]}, "item.content", "base64"),
        (said("x", id="item_u1"), "item.id", "the server gives"),
        (said("x", id="first"), "item.id", "already"),
        ({"type": "reasoning"}, "item.type", "no 'reasoning'"),
    ],
)  # fmt: skip
async def test_an_item_that_cannot_be_held_is_refused_by_field(item, field, part):
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("first", id="first"))
        await client.create(item)
        _, param, message = await client.error()
        assert param == field
        assert part in message


async def test_items_enter_at_the_end_and_nowhere_else():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("one", id="one"), previous_item_id="root")
        await client.create(said("two", id="two"), previous_item_id="one")
        await client.create(said("three", id="three"), previous_item_id="one")
        assert (await client.error())[1:] == (
            "previous_item_id", "conversation.item.create previous_item_id: items enter at the end, here after 'two'",
        )  # fmt: skip
        await client.create(said("three", id="three"), previous_item_id="four")
        assert "no item 'four'" in (await client.error())[2]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"item_id": "mine"}, "item_id"),
        ({"content_index": 1}, "content_index"),
        ({"audio_end_ms": 999_999}, "audio_end_ms"),
        ({"audio_end_ms": -1}, "audio_end_ms"),
    ],
)
async def test_a_truncation_that_makes_no_sense_is_refused_by_field(fields, field):
    async with served(stack([NINE])) as server, server.client() as socket:
        client = Client(socket)
        await client.create(said("When?", id="mine"))
        done = await client.respond()
        where = {"item_id": done["output"][0]["id"], "content_index": 0, "audio_end_ms": 10, **fields}
        await client.send({"type": "conversation.item.truncate", **where})
        assert (await client.error())[1] == field
