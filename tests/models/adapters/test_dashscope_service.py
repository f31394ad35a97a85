"""The client of the dashscope dialect against a service that is written from Model Studio's documentation alone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.live import AudioOut, SendText, TurnEdge, Update
from antiphon.messages import Message, Speech, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.adapters.realtime import open_live
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Request, Usage, collect
from antiphon.models.uri import parse
from tests.models.adapters.dashscope_server import SPEECH, Service, model_studio

CLIP = Clip(np.sin(np.arange(8_000) / 9).astype(np.float32) * 0.5, 16_000)  # half a second
SPOKEN = Request((says("system", "简短回答"), Message("user", (Speech(CLIP, "几点？"),))))
CLOCK = ToolSpec("clock", "the time", {"type": "object"})


async def ask(service: Service, request: Request = SPOKEN, options: str = "") -> Any:
    return await collect(open_chat(f"{service.uri}{options}", RealClock()), request)


async def test_a_spoken_question_arrives_at_its_rate_and_is_answered_in_words_and_sound():
    with model_studio() as service:
        reply = await ask(service, options="&voice=longanlingxin&transcribe=fun-asr")
    assert (reply.text, reply.finish, reply.usage) == ("I heard 500 ms.", "stop", Usage(42, 18))
    assert (reply.clip, reply.heard) == (Clip.from_pcm16(SPEECH, 24_000), "现在几点？")
    assert service.errors == []


async def test_words_alone_and_history_are_taken():
    request = Request(
        (says("user", "one"), says("assistant", "two"), says("user", "three")), want=frozenset({"text"})
    )
    with model_studio() as service:
        reply = await ask(service, request)
    assert (reply.text, reply.clip, service.errors) == ("You wrote three", None, [])


async def test_a_tool_is_called_and_its_result_answered():
    with model_studio() as service:
        reply = await ask(service, Request(SPOKEN.messages, tools=(CLOCK,)))
        assert (reply.tool_calls, reply.finish) == (
            (ToolCall("call_1", "clock", {"zone": "CET"}),),
            "tool_calls",
        )
        after = (
            says("user", "几点？"), Message("assistant", reply.tool_calls), Message("tool", (ToolResult("call_1", "noon"),)),
        )  # fmt: skip
        reply = await ask(service, Request(after, tools=(CLOCK,)))
    assert (reply.text, service.errors) == ("The tool says noon.", [])


async def test_what_the_service_refuses_is_told_in_its_own_words():
    with model_studio() as service, pytest.raises(ModelError) as caught:
        await ask(service, options='&session.modalities=["audio"]')
    message = "Invalid modalities: ['audio']. Supported combinations are: ['text'] and ['audio', 'text']."
    assert caught.value.problem == f"invalid_value: {message} (at session.modalities)"
    assert service.errors == [message]


async def test_a_server_error_ends_the_session_and_may_heal():
    with model_studio() as service:
        service.breaks = True
        with pytest.raises(ModelError, match="InternalError: the worker died") as caught:
            await ask(service)
    assert caught.value.transient


async def test_a_session_holds_several_turns_and_changes_of_its_settings():
    with model_studio() as service:
        async with open_live(parse(service.uri), RealClock(), "简短回答") as session:
            for text in ("one", "two"):
                await session.send(SendText(text))
                heard: list[Any] = []
                async with asyncio.timeout(5):
                    async for event in session.events():
                        heard.append(event)
                        if isinstance(event, TurnEdge) and event.edge == "answer_done":
                            break
                assert b"".join(event.pcm for event in heard if isinstance(event, AudioOut)) == SPEECH
                await session.send(Update(instructions="详细回答"))
    assert (service.errors, service.sent.count("session.update")) == ([], 3)


def test_the_service_itself_follows_the_documented_rules():
    with model_studio() as service:
        url = service.uri.removeprefix("realtime+")
        with connect(url, compression=None) as socket:

            def say(kind: str, **fields: Any) -> dict[str, Any]:
                socket.send(json.dumps({"type": kind, **fields}))
                return json.loads(socket.recv())

            assert json.loads(socket.recv())["type"] == "session.created"
            socket.send(json.dumps({"type": "input_audio_buffer.append", "audio": "AAAA"}))
            late = say("session.update", session={"turn_detection": None})
            assert late["error"]["param"] == "session.turn_detection"
            flat = say("session.update", session={"tools": [{"type": "function", "name": "clock"}]})
            assert flat["error"]["param"] == "session.tools"
            assert (
                say("session.update", session={"audio": {}})["error"]["message"]
                == "Unknown parameters: ['audio']"
            )
            assert say("conversation.item.truncate")["error"]["param"] == "type"
            assert say("session.finish")["type"] == "session.finished"
