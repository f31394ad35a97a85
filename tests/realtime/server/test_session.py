from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace

import pytest
from websockets.exceptions import ConnectionClosed

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.models.scripted import Asked, Failure, Line
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.models.scripted_sound import words_in
from antiphon.realtime.server.stack import Limits
from antiphon.realtime.settings import Settings
from tests.realtime.serving import ANSWER, RATE_HZ, Client, Person, append, noise, quiet, served, stack

OPENING = ["session.created", "conversation.created"]
SPEECH = [
    "response.created", "response.output_item.added", "conversation.item.added", "response.content_part.added",
]  # fmt: skip
CLOSING = [
    "response.output_audio.done", "response.output_audio_transcript.done", "response.content_part.done",
    "response.output_item.done", "conversation.item.done", "response.done",
]  # fmt: skip


async def test_a_typed_question_is_answered_in_speech_event_by_event():
    async with served(stack([Line(text="Nine o'clock.")])) as server, server.client() as socket:
        client = Client(socket)
        await client.type("When?")
        done = await client.until("response.done")
        kinds = [
            kind for kind in client.kinds() if "audio.delta" not in kind and "transcript.delta" not in kind
        ]
        assert kinds == [*OPENING, "conversation.item.added", "conversation.item.done", *SPEECH, *CLOSING]
        assert done["response"]["status"] == "completed"
        assert done["response"]["output"][0]["content"] == [
            {"type": "output_audio", "transcript": "Nine o'clock."}
        ]
        assert words_in(Clip.from_pcm16(client.sound(), RATE_HZ)) == "Nine o'clock. "
        assert len({event["event_id"] for event in client.events}) == len(client.events)


async def test_speech_is_heard_committed_and_answered():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await asyncio.sleep(0.3)
        person.say(900)
        await client.until("response.output_audio.delta")
        talking.cancel()
        wanted = [
            "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
            "conversation.item.added", "conversation.item.done",
            "conversation.item.input_audio_transcription.completed", *SPEECH,
        ]  # fmt: skip
        assert [kind for kind in client.kinds() if kind in wanted] == wanted
        started, stopped = client.events[2], client.events[3]
        assert abs(stopped["audio_end_ms"] - started["audio_start_ms"] - 900) < 100
        heard = next(event for event in client.events if event["type"].endswith("transcription.completed"))
        assert heard["transcript"] == "Please tell me about the library."
        assert started["item_id"] == stopped["item_id"] == heard["item_id"]


async def test_an_interruption_stops_the_answer_and_only_then_speech_started_is_said():
    async with served(stack([Line(text=ANSWER * 3)])) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await client.type("Tell me everything.")
        await client.until("response.output_audio.delta")
        person.say(1500)
        await client.until("duplex.paused")
        assert "input_audio_buffer.speech_started" not in client.kinds()
        await client.until("input_audio_buffer.speech_started")
        done = await client.until("response.done")
        talking.cancel()
        assert done["response"]["status"] == "cancelled"
        assert done["response"]["status_details"]["reason"] == "turn_detected"
        seen = next(e for e in client.events if e["type"] == "duplex.speech" and e["edge"] == "began")
        paused = next(e for e in client.events if e["type"] == "duplex.paused")
        assert client.events.index(seen) < client.events.index(paused)


async def test_a_cancel_ends_the_answer_and_a_late_one_is_an_error():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.type("Go on.")
        await client.until("response.output_audio.delta")
        await client.send({"type": "response.cancel"})
        done = await client.until("response.done")
        assert done["response"]["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}
        await client.send({"type": "response.cancel"})
        assert (await client.until("error"))["error"]["code"] == "response_cancel_not_active"


async def test_a_tool_of_the_client_is_asked_and_its_result_answered():
    lines = [
        Line(match="opens", text="At nine."),
        Line(match="When", text="", tool_calls=(Asked("hours", {"day": "Monday"}, id="call_1"),)),
        Line(text="At nine."),
    ]
    tool = {
        "type": "function",
        "name": "hours",
        "description": "Opening hours",
        "parameters": {"type": "object"},
    }
    async with served(stack(lines)) as server, server.client() as socket:
        client = Client(socket)
        await client.send(
            {
                "type": "session.update",
                "session": {"type": "realtime", "tools": [tool], "output_modalities": ["text"]},
            }
        )
        await client.type("When?")
        asked = await client.until("response.function_call_arguments.done")
        assert (asked["name"], asked["arguments"], asked["call_id"]) == (
            "hours",
            '{"day": "Monday"}',
            "call_1",
        )
        done = await client.until("response.done")
        assert [item["type"] for item in done["response"]["output"]] == ["function_call"]
        item = {"type": "function_call_output", "call_id": "call_1", "output": '{"opens": 9}'}
        await client.send({"type": "conversation.item.create", "item": item})
        await client.send({"type": "response.create"})
        done = await client.until("response.done")
        assert done["response"]["output"][0]["content"][0]["text"] == "At nine."


async def test_a_client_that_takes_its_own_turns_commits_them():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        settings = {
            "type": "realtime",
            "audio": {"input": {"turn_detection": None}},
            "output_modalities": ["text"],
        }
        await client.send({"type": "session.update", "session": settings})
        updated = await client.until("session.updated")
        assert updated["session"]["audio"]["input"]["turn_detection"] is None
        await client.send({"type": "input_audio_buffer.commit"})
        assert "no sound" in (await client.until("error"))["error"]["message"]
        await client.send(append(noise(500)))
        await client.send({"type": "input_audio_buffer.commit"})
        await client.send({"type": "response.create"})
        done = await client.until("response.done")
        assert done["response"]["output"][0]["content"][0]["text"] == ANSWER
        heard = next(event for event in client.events if event["type"].endswith("transcription.completed"))
        assert heard["transcript"] == "Please tell me about the library."


async def test_a_model_that_fails_fails_the_response_and_not_the_session():
    lines = [Line(match="fail", error=Failure("out of order")), Line(text="Fine.")]
    async with served(stack(lines)) as server, server.client() as socket:
        client = Client(socket)
        await client.type("fail")
        done = await client.until("response.done")
        assert done["response"]["status"] == "failed"
        assert "out of order" in done["response"]["status_details"]["error"]["message"]
        await client.type("again")
        assert (await client.until("response.done"))["response"]["status"] == "completed"


@pytest.mark.parametrize(
    ("event", "param", "part"),
    [
        ({"type": "session.update", "session": {"output_modalities": ["smell"]}}, "session.output_modalities", "either"),
        ({"type": "session.update", "session": {"audio": {"output": {"speed": 9}}}}, "session.audio.output.speed", "0.25"),
        (
            {"type": "session.update", "session": {"audio": {"input": {"format": {"type": "audio/opus"}}}}},
            "session.audio.input.format", "audio/pcmu",
        ),
        ({"type": "conversation.item.retrieve", "item_id": "no"}, "item_id", "no item 'no'"),
        ({"type": "conversation.item.truncate", "item_id": "no", "content_index": 0, "audio_end_ms": 1}, "item_id", "no item"),
        ({"type": "input_audio_buffer.append", "audio": 7}, "audio", "Expected `bytes`"),
        ({"type": "dance"}, None, "no such event"),
        ({"no": "type"}, "type", "every event has one"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_is_said_by_field_and_the_session_goes_on(event, param, part):
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.send({"event_id": "mine", **event})
        error = (await client.until("error"))["error"]
        assert (error.get("param"), error["event_id"]) == (param, "mine")
        assert part in error["message"]
        await client.type("still there?")
        await client.until("response.created")


async def test_garbage_is_answered_with_errors_until_patience_ends():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        with suppress(ConnectionClosed):
            for at in range(60):
                await socket.send(b"\xff\x00" if at % 2 else "{not json")
        with pytest.raises(ConnectionClosed) as closed:
            await client.until("never")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        assert {event["type"] for event in client.events} == {*OPENING, "error"}


async def test_a_frame_that_is_too_large_ends_its_own_session_only():
    async with (
        served(limits=Limits(frame_bytes=10_000)) as server,
        server.client() as good,
        server.client() as bad,
    ):
        await bad.send("x" * 20_000)
        with pytest.raises(ConnectionClosed) as closed:
            await Client(bad).until("never")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        client = Client(good)
        await client.type("hello")
        await client.until("response.done")


async def test_a_session_and_a_silent_client_end_in_time():
    async with served(limits=Limits(session_s=0.4)) as server, server.client() as socket:
        client = Client(socket)
        assert (await client.until("error"))["error"]["code"] == "session_expired"
        with pytest.raises(ConnectionClosed):
            await client.until("never")
    async with served(limits=Limits(idle_s=0.3)) as server, server.client() as socket:
        with pytest.raises(ConnectionClosed) as closed:
            await Client(socket).until("never")
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "nothing came for 0.3 s")


async def test_a_client_that_does_not_read_is_let_go_and_harms_nobody():
    limits = Limits(unsent_bytes=50_000)
    async with served(limits=limits) as server, server.client(max_queue=1) as slow, server.client() as good:
        client = Client(good)
        # It asks and asks and never reads: answers pile up on the server's side of the socket.
        with suppress(ConnectionClosed):
            part = {"type": "input_text", "text": "x" * 500_000}
            item = {"type": "message", "role": "user", "id": "long", "content": [part]}
            await slow.send(json.dumps({"type": "conversation.item.create", "item": item}))
            for _ in range(100):
                await slow.send('{"type": "conversation.item.retrieve", "item_id": "long"}')
        await client.type("hello")
        await client.until("response.done")
        ended = ("sessions_ended", "code", "1013")
        async with asyncio.timeout(5):
            while ended not in server.hall.meter.counts:  # noqa: ASYNC110 - a dict has no event to wait for
                await asyncio.sleep(0.02)
        slow.transport.abort()


async def test_a_client_that_dies_leaves_nothing_behind():
    async with served() as server:
        async with server.client() as socket:
            client = Client(socket)
            await client.type("hello")
            await client.until("response.output_audio.delta")
            socket.transport.abort()
        async with asyncio.timeout(5):
            while server.hall.sessions:  # noqa: ASYNC110 - a set has no event to wait for
                await asyncio.sleep(0.02)
        assert server.hall.meter.sessions == 0


async def test_the_beta_dialect_is_spoken_to_who_asks_for_it():
    async with (
        served(stack([Line(text="Yes.")])) as server,
        server.client(additional_headers={"OpenAI-Beta": "realtime=v1"}) as socket,
    ):
        client = Client(socket)
        await client.send(
            {"type": "session.update", "session": {"modalities": ["text"], "turn_detection": None}}
        )
        assert (await client.until("session.updated"))["session"]["modalities"] == ["text"]
        await client.type("Is it?")
        await client.until("response.done")
        assert "response.text.delta" in client.kinds()
        assert "conversation.item.created" in client.kinds()
        assert "response.output_text.delta" not in client.kinds()


async def test_telephone_sound_goes_both_ways():
    async with served(stack([Line(text="Yes.")])) as server, server.client() as socket:
        client = Client(socket)
        pcmu = {"type": "audio/pcmu"}
        settings = {"type": "realtime", "audio": {"input": {"format": pcmu}, "output": {"format": pcmu}}}
        await client.send({"type": "session.update", "session": settings})
        await client.until("session.updated")
        await client.send(append(b"\xff" * 160))
        await client.type("Is it?")
        await client.until("response.done")
        assert abs(len(client.sound()) - 0.3 * 8000) <= 200


async def test_sound_in_one_piece_is_understood_as_well():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.send(append(quiet(300) + noise(800) + quiet(600)))
        await client.until("response.created")


async def test_cues_that_the_voice_cannot_follow_are_told():
    async with served() as server, server.client() as socket:
        client = Client(socket)
        await client.send(
            {"type": "session.update", "session": {"type": "realtime", "audio": {"output": {"speed": 1.5}}}}
        )
        error = (await client.until("error"))["error"]
        assert error["message"] == "the voice does not follow rate=1.5: scripted: cannot"


async def test_a_backchannel_pauses_the_answer_and_it_goes_on_at_the_word():
    # A patient yield: on a machine that stalls, 700 ms may pass before the words of 250 ms are there.
    patient = Settings(yield_us=3_000_000)
    made = replace(stack(transcriber=ScriptedTranscriber(RealClock(), default="Uh-huh.")), settings=patient)
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await client.type("Tell me everything.")
        await client.until("response.output_audio.delta")
        await asyncio.sleep(0.8)
        person.say(250)
        await client.until("duplex.paused")
        resumed = await client.until("duplex.resumed")
        done = await client.until("response.done")
        said = await client.until("duplex.said")
        talking.cancel()
        assert "input_audio_buffer.speech_started" not in client.kinds()
        assert done["response"]["status"] == "completed"
        assert (said["heard_chars"], said["finish"]) == (len(ANSWER), "stop")
        again = client.events.index(resumed)
        before = [event["at_ms"] for event in client.events[:again] if event["type"] == "duplex.audio_at"]
        after = [event["at_ms"] for event in client.events[again:] if event["type"] == "duplex.audio_at"]
        assert after[0] == resumed["from_ms"] // 20 * 20 <= before[-1] + 20
        assert before == list(range(0, before[-1] + 20, 20))
        assert after == list(range(after[0], after[-1] + 20, 20))
        spoken = ANSWER[: resumed["from_char"]]
        assert spoken == "" or spoken[-1] == " "


async def test_tools_may_change_while_the_session_lives():
    lines = [Line(match="now", tool_calls=(Asked("later", {}, id="call_2"),)), Line(text="Hello.")]
    tool = {"type": "function", "name": "later", "description": "", "parameters": {"type": "object"}}
    async with served(stack(lines)) as server, server.client() as socket:
        client = Client(socket)
        await client.send({"type": "session.update", "session": {"output_modalities": ["text"]}})
        await client.type("hello")
        await client.until("response.done")
        await client.send({"type": "session.update", "session": {"tools": [tool]}})
        await client.type("now")
        asked = await client.until("response.function_call_arguments.done")
        assert asked["name"] == "later"
