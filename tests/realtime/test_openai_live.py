"""The real client openai-python (`client.live`) talks with our server: sound, transcripts, delegations, muting, close."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, get_args

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.messages import Text, ToolResult
from antiphon.models.scripted import Asked, Line, ScriptedChat
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.models.scripted_sound import words_in
from antiphon.realtime.protocols.live_settings import THEIR_VOICES
from antiphon.realtime.server.gate import Gate
from antiphon.realtime.server.stack import Limits
from tests.realtime.serving import ANSWER, PATIENCE_S, RATE_HZ, noise, quiet, served, stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.models.ports import Chunk, Request
    from antiphon.realtime.server.stack import Stack
    from tests.realtime.serving import Served

openai = pytest.importorskip("openai")
HOURS = {
    "type": "function", "name": "hours", "description": "Opening hours of one day",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
}  # fmt: skip


class Notes(ScriptedChat):
    """A script that keeps what it was asked."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__("script", lines, RealClock())
        self.asked: list[Request] = []

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.asked.append(request)
        async with aclosing(super().stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


def connect(server: Served, key: str = "no key needed") -> Any:
    client = openai.AsyncOpenAI(
        api_key=key, base_url=f"http://127.0.0.1:{server.port}/v1", websocket_base_url=server.url
    )
    return client.live.connect(websocket_connection_options={"close_timeout": 0.5})


class Caller:
    """One session: what came, and a microphone that never stops."""

    def __init__(self, connection: Any, rate_hz: int = RATE_HZ) -> None:
        self.connection, self.rate_hz = connection, rate_hz
        self.events: list[Any] = []
        self._words = bytearray()

    def say(self, ms: int) -> None:
        self._words += noise(ms, self.rate_hz)

    async def talk(self) -> None:
        loop = asyncio.get_running_loop()
        size, due = 2 * self.rate_hz // 50, loop.time()
        while True:
            frame = bytes(self._words[:size]).ljust(size, b"\0")
            del self._words[:size]
            await self.connection.session.input_audio.append(audio=base64.b64encode(frame).decode())
            due += 0.02
            await asyncio.sleep(max(0.0, due - loop.time()))

    async def until(self, kind: str, more: Any = lambda _: True) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                event = await self.connection.recv()
                self.events.append(event)
                if event.type == kind and more(event):
                    return event

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.type == kind]

    def said(self) -> str:
        return "".join(event.delta for event in self.of("session.output_transcript.delta"))

    def sound(self) -> Clip:
        pcm = b"".join(base64.b64decode(event.delta) for event in self.of("session.output_audio.delta"))
        return Clip.from_pcm16(pcm, self.rate_hz)

    async def said_all(self, text: str) -> None:
        while text not in self.said():
            await self.until("session.output_transcript.delta")


@asynccontextmanager
async def calling(
    made: Stack | None = None, limits: Limits | None = None, rate_hz: int = RATE_HZ, **session: Any
) -> AsyncGenerator[Caller]:
    """A started session with the microphone on."""
    async with served(made, limits) as server, connect(server) as connection:
        caller = Caller(connection, rate_hz)
        await connection.session.start(session={"model": "gpt-live-1", **session})
        await caller.until("session.started")
        talking = asyncio.create_task(caller.talk())
        try:
            yield caller
        finally:
            talking.cancel()


async def test_a_spoken_question_is_answered_in_sound_and_both_are_transcribed_on_one_timeline():
    async with calling(stack([Line(text="It opens at nine and not before.")])) as caller:
        caller.say(800)
        await caller.said_all("It opens at nine and not before.")
        heard = caller.of("session.input_transcript.delta")
        assert [event.delta for event in heard] == ["Please tell me about the library."]
        spoken = caller.of("session.output_transcript.delta")
        places = [(event.start_ms, event.end_ms) for event in spoken]
        assert all(start < end for start, end in places)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(places))
        assert 500 <= heard[0].end_ms - heard[0].start_ms <= 1100
        assert heard[0].end_ms <= places[0][0]
        assert len(spoken) > 1  # as it is spoken, not all at once
        assert not any(hasattr(event, "event_id") for event in caller.of("session.output_audio.delta"))


@pytest.mark.parametrize(
    ("sound", "rate_hz"), [({"type": "audio/pcm", "rate": 16000}, 16000), ({"type": "audio/pcm", "rate": 24000}, 24000)]
)  # fmt: skip
async def test_sound_goes_both_ways_in_the_format_of_the_start(sound, rate_hz):
    async with calling(stack([Line(text="Yes.")]), rate_hz=rate_hz, audio={"format": sound}) as caller:
        assert caller.events[0].session.audio.format.rate == rate_hz
        caller.say(800)
        await caller.said_all("Yes.")
        assert 0.25 <= caller.sound().duration_s <= 0.35


async def test_the_session_that_has_started_says_what_holds():
    asked = {
        "instructions": "Be brief.",
        "audio": {"output": {"voice": "marin"}},
        "delegation": {"type": "client"},
    }
    async with calling(**asked) as caller:
        session = caller.events[0].session
        assert (session.model, session.status, session.instructions) == (
            "scripted: test",
            "active",
            "Be brief.",
        )
        assert (session.audio.output.voice, session.audio.format.rate) == ("default", 24000)
        assert (session.delegation.type, session.delegation.acknowledgement_delay_ms) == ("client", 0)


def test_their_voices_are_those_of_the_package():
    assert set(get_args(openai.types.live.BuiltInVoice)) == THEIR_VOICES


async def test_work_is_delegated_and_comes_back_as_commentary():
    lines = [
        Line(match="Please tell", tool_calls=(Asked("delegate", {}, id="call_1"),)),
        Line(text="It closes at seven."),
    ]
    delegation = {"type": "client", "acknowledgement_delay_ms": 5000}
    notes = Notes(lines)
    async with calling(stack(chat=notes), delegation=delegation) as caller:
        caller.say(800)
        made = await caller.until("session.delegation.created")
        assert (made.delegation.target, made.delegation.type) == ("client", "delegation")
        assert made.offset_ms >= caller.of("session.input_transcript.delta")[0].end_ms
        assert caller.said() == ""
        thought = caller.connection.session.thinking.append
        await thought(content="Looking at the calendar.", delegation_id=made.delegation.id, event_id="t1")
        told = await caller.until("session.thinking.appended")
        assert (told.client_event_id, told.start_ms == told.end_ms) == ("t1", True)
        comment = caller.connection.session.commentary.append
        await comment(content="The library closes at seven.", delegation_id=made.delegation.id)
        await caller.until("session.commentary.appended")
        await caller.said_all("It closes at seven.")
        assert caller.of("error") == []
        last = [(message.role, message.parts) for message in notes.asked[-1].messages]
        assert last[-2:] == [
            ("tool", (ToolResult("call_1", "The library closes at seven."),)),
            (
                "system",
                (Text(f"[{made.delegation.id}] Known, not to be read out: Looking at the calendar."),),
            ),
        ]


async def test_a_silent_delegation_is_acknowledged_after_the_delay_unless_something_comes_before():
    lines = [
        Line(match="Please tell", tool_calls=(Asked("delegate", {}, id="call_1"),)),
        Line(match="on it", text="I am looking."),
    ]
    async with calling(
        stack(lines), delegation={"type": "client", "acknowledgement_delay_ms": 300}
    ) as caller:
        caller.say(800)
        made = await caller.until("session.delegation.created")
        await caller.said_all("I am looking.")
        first = caller.of("session.output_transcript.delta")[0]
        assert first.start_ms >= made.offset_ms + 300
    async with calling(
        stack(lines), delegation={"type": "client", "acknowledgement_delay_ms": 300}
    ) as caller:
        caller.say(800)
        await caller.until("session.delegation.created")
        await caller.connection.session.thinking.append(content="Nearly there.", delegation_id=None)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.9):
                await caller.until("session.output_transcript.delta")


async def test_who_announced_the_work_is_not_made_to_announce_it_again():
    lines = [
        Line(match="Please tell", text="One moment. ", tool_calls=(Asked("delegate", {}, id="call_1"),)),
        Line(text="I am looking."),
    ]
    async with calling(stack(lines), delegation={"type": "client"}) as caller:
        caller.say(800)
        await caller.said_all("One moment.")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.9):
                await caller.said_all("I am looking.")


async def test_functions_are_called_at_the_client_and_their_results_answered():
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    lines = [
        Line(match="Please tell", tool_calls=(Asked("hours", {"day": "周一"}, id="call_1"),)),
        Line(text="At nine."),
    ]
    notes = Notes(lines)
    delegation = {
        "type": "responses", "acknowledgement_delay_ms": 9000, "responses": {"model": "gpt-5.6", "tools": [HOURS]},
    }  # fmt: skip
    async with calling(stack(chat=notes), delegation=delegation) as caller:
        caller.say(800)
        done = await caller.until("response.event", lambda event: event.event["type"] == "response.completed")
        told = [event.event for event in caller.of("response.event")]
        for event in told:
            TypeAdapter(ResponseStreamEvent).validate_python(event)
        assert [event["type"] for event in told] == [
            "response.created", "response.output_item.added", "response.function_call_arguments.delta",
            "response.function_call_arguments.done", "response.output_item.done", "response.completed",
        ]  # fmt: skip
        (made,) = caller.of("session.delegation.created")
        assert made.delegation.response_id == done.event["response"]["id"]
        assert {event.delegation_id for event in caller.of("response.event")} == {made.delegation.id}
        call = told[4]["item"]
        assert (call["name"], json.loads(call["arguments"])) == ("hours", {"day": "周一"})
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": '{"opens": 9}'}
        await caller.connection.response.item.create(item=output)
        await caller.connection.response.create()
        await caller.said_all("At nine.")
        assert notes.asked[-1].messages[-1].parts == (ToolResult("call_1", {"opens": 9}),)


async def test_calls_that_were_made_together_are_answered_once_when_all_have_returned():
    calls = (Asked("hours", {"day": "Monday"}, id="call_1"), Asked("hours", {"day": "Sunday"}, id="call_2"))
    lines = [Line(match="Please tell", tool_calls=calls), Line(text="At nine, but never on a Sunday.")]
    notes = Notes(lines)
    responses = {"model": "gpt-5.6", "tools": [HOURS]}
    delegation = {"type": "responses", "acknowledgement_delay_ms": 9000, "responses": responses}
    async with calling(stack(chat=notes), delegation=delegation) as caller:
        caller.say(800)
        for call in ("call_1", "call_2"):
            await caller.until("response.event", lambda event: event.event["type"] == "response.completed")
            output = {"type": "function_call_output", "call_id": call, "output": f"{call} is done"}
            await caller.connection.response.item.create(item=output)
            await caller.connection.response.create()
        await caller.said_all("At nine, but never on a Sunday.")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.7):
                await caller.until("session.output_transcript.delta")
        assert len(notes.asked) == 2
        results = [
            part
            for message in notes.asked[1].messages
            for part in message.parts
            if isinstance(part, ToolResult)
        ]
        assert results == [ToolResult("call_1", "call_1 is done"), ToolResult("call_2", "call_2 is done")]


async def test_a_written_question_goes_to_the_background_model_and_is_answered_aloud():
    delegation = {"type": "responses", "responses": {"model": "gpt-5.6"}}
    history = [
        {"role": "user", "content": [{"type": "input_text", "text": "I am Ada."}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Hello Ada."}]},
    ]
    lines = [Line(match="Who am I", text="You are Ada.")]
    async with calling(stack(lines), delegation=delegation, input=history) as caller:
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Who am I?"}]}
        await caller.connection.response.item.create(item=item)
        await caller.connection.response.create()
        await caller.said_all("You are Ada.")
        while words_in(caller.sound()) is None:  # the last of it comes after its words
            await caller.until("session.output_audio.delta")
        assert words_in(caller.sound()) == "You are Ada. "


async def test_instructions_are_followed_and_not_spoken():
    lines = [Line(match="Please tell", text="Ahoy.")]
    async with calling(stack(lines)) as caller:
        await caller.connection.session.instructions.append(content="Talk like a pirate.", delegation_id=None)
        await caller.until("session.instructions.appended")
        caller.say(800)
        await caller.said_all("Ahoy.")
        assert caller.said() == "Ahoy."


async def test_the_agent_stops_when_it_is_interrupted_and_no_client_event_is_needed():
    async with calling(stack([Line(match="*", text=ANSWER * 3, times=1), Line(text="Sure.")])) as caller:
        caller.say(800)
        await caller.until("session.output_audio.delta")
        caller.say(2500)
        await caller.said_all("Sure.")
        assert not caller.said().startswith(ANSWER)
        assert "third" not in caller.said()


async def test_a_muted_person_is_not_heard():
    transcriber = ScriptedTranscriber(RealClock(), default="Hello.")
    async with calling(stack([Line(text="Hi.")], transcriber=transcriber)) as caller:
        await caller.connection.session.input_audio.mute(event_id="m")
        assert (await caller.until("session.input_audio.muted")).client_event_id == "m"
        caller.say(600)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.5):
                await caller.until("session.input_transcript.delta")
        await caller.connection.session.input_audio.unmute()
        await caller.until("session.input_audio.unmuted")
        caller.say(600)
        assert (await caller.until("session.input_transcript.delta")).delta == "Hello."


async def test_a_mute_ends_what_was_being_said():
    async with served(stack([Line(text="Hi.")])) as server, connect(server) as connection:
        caller = Caller(connection)
        await connection.session.start(session={"model": "m"})
        await caller.until("session.started")
        await connection.session.input_audio.append(audio=base64.b64encode(quiet(200) + noise(600)).decode())
        await connection.session.input_audio.mute()
        await caller.said_all("Hi.")


async def test_a_close_is_confirmed_with_the_time_it_took():
    async with served() as server, connect(server) as connection:
        caller = Caller(connection)
        await connection.session.start(session={"model": "m"})
        await caller.until("session.started")
        await asyncio.sleep(1.1)
        await connection.session.close(event_id="bye")
        closed = await caller.until("session.closed")
        assert (closed.reason, closed.client_event_id, closed.usage.seconds) == ("close_requested", "bye", 1)
        assert closed.session.id == caller.events[0].session.id


async def test_an_end_that_the_server_decides_has_its_reason():
    async with calling(limits=Limits(session_s=0.5)) as caller:
        assert (await caller.until("session.closed")).reason == "expired"
    async with served() as server, connect(server) as connection:
        caller = Caller(connection)
        await connection.session.start(session={"model": "m"})
        await caller.until("session.started")
        draining = asyncio.create_task(server.hall.drain())
        assert (await caller.until("session.closed")).reason == "remote_hangup"
        await draining


async def test_its_key_opens_and_a_wrong_one_does_not():
    async with served(gate=Gate("a long enough key")) as server:
        async with connect(server, key="a long enough key") as connection:
            await connection.session.start(session={"model": "m"})
            await Caller(connection).until("session.started")
        with pytest.raises(Exception, match="401"):
            async with connect(server, key="another key at all"):
                pass
