from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.errors import ModelError
from antiphon.messages import ToolCall, says
from antiphon.models.ports import (
    Done,
    Reply,
    Request,
    SpeechChunk,
    SpeechDelta,
    TextDelta,
    Tokens,
    ToolAsk,
    Usage,
    collect,
    speak,
)

A, B = Clip([0.1, 0.2], 16_000), Clip([0.3], 16_000)
CALL = ToolCall("1", "f", {"x": 1})


class Fake:
    name = "fake"
    accepts = gives = frozenset({"text", "speech"})

    def __init__(self, *chunks):
        self.chunks = chunks
        self.closed = False

    async def stream(self, *_):
        try:
            for chunk in self.chunks:
                yield chunk
        finally:
            self.closed = True


REQUEST = Request((says("user", "q"),))


async def test_a_stream_becomes_a_reply_with_its_first_times():
    tokens = Tokens((1,), (2,), (-0.5,))
    done = Done("tool_calls", 90, Usage(3, 4), 0.01, tokens, "heard", {"s": 5})
    chat = Fake(
        TextDelta("a", 10),
        SpeechDelta(A, 20),
        TextDelta("b", 30),
        SpeechDelta(B, 40),
        ToolAsk(CALL, 50),
        done,
    )
    assert await collect(chat, REQUEST) == Reply(
        "ab", join([A, B]), (CALL,), "tool_calls", 10, 20, 90, Usage(3, 4), 0.01, tokens, "heard", {"s": 5}
    )


async def test_what_did_not_come_is_none_and_not_zero():
    assert await collect(Fake(Done("stop", 7)), REQUEST) == Reply("", None, (), "stop", None, None, 7)


async def test_a_stream_without_an_end_is_a_transient_error():
    chat = Fake(TextDelta("a", 1))
    with pytest.raises(ModelError, match="ended before the reply did") as caught:
        await collect(chat, REQUEST)
    assert caught.value.transient
    assert chat.closed


async def test_speaking_joins_all_sound():
    assert await speak(Fake(SpeechChunk(A, 1), SpeechChunk(B, 1)), "hi") == join([A, B])


async def test_a_voice_without_sound_is_an_error():
    with pytest.raises(ModelError, match="no sound for 'hi'"):
        await speak(Fake(SpeechChunk(Clip([], 16_000), 2)), "hi")
