"""Whatever a client sends is obeyed or refused with an event; nothing it sends breaks its session."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antiphon.models.wire.ga.codec import CLIENT
from antiphon.models.wire.ga.dialect import BETA, GA
from antiphon.realtime.meter import Meter
from antiphon.realtime.server.session import ClientSession
from antiphon.realtime.server.stack import Limits, Wishes
from tests.realtime.serving import stack

ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
_SOUND = st.binary(max_size=5000).map(lambda data: base64.b64encode(data).decode())
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "audio": _SOUND | ANY,
    "item": st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "function_call", "function_call_output", "reasoning"])},
        optional={
            "role": st.sampled_from(["user", "assistant", "system", "cook"]), "id": st.sampled_from(["a", "b"]),
            "content": st.lists(st.fixed_dictionaries({"type": st.sampled_from(["input_text", "input_audio", "output_text"])}, optional={"text": st.text(max_size=9), "audio": st.text(max_size=9) | _SOUND}), max_size=2),
            "call_id": st.text(max_size=5), "output": st.text(max_size=9), "arguments": st.text(max_size=9), "name": st.text(max_size=5),
        },
    ) | ANY,
    "session": st.fixed_dictionaries(
        {},
        optional={
            "output_modalities": st.sampled_from([["text"], ["audio"], []]),
            "audio": st.fixed_dictionaries({}, optional={
                "input": st.fixed_dictionaries({}, optional={
                    "turn_detection": st.none() | st.fixed_dictionaries({"type": st.just("server_vad")}, optional={
                        "create_response": st.booleans(), "interrupt_response": st.booleans(), "idle_timeout_ms": st.sampled_from([1, 1000]),
                    }),
                    "format": st.sampled_from([{"type": "audio/pcmu"}, {"type": "audio/pcm", "rate": 16000}, {"type": "x"}]),
                }),
                "output": st.fixed_dictionaries({}, optional={"speed": st.floats(0, 9), "voice": st.text(max_size=4)}),
            }),
            "instructions": st.text(max_size=9),
        },
    ) | ANY,
    "item_id": st.sampled_from(["a", "item-2"]) | ANY,
    "audio_end_ms": st.integers(-5, 5000) | ANY,
    "audio_ms": st.integers(-5, 5000) | ANY,
    "content_index": st.integers(0, 2),
    "response": st.none() | st.fixed_dictionaries(
        {},
        optional={
            "conversation": st.sampled_from(["none", "auto", "both"]),
            "output_modalities": st.sampled_from([["text"], ["audio"], []]),
            "instructions": st.text(max_size=5),
            "tools": st.lists(st.fixed_dictionaries({"type": st.just("function"), "name": st.text(max_size=3)}), max_size=2),
            "tool_choice": st.sampled_from(["auto", "none", "required", "x", {"type": "function", "name": "a"}]),
            "max_output_tokens": st.sampled_from([0, 1, "inf", "many"]),
            "metadata": st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
            "input": st.lists(st.fixed_dictionaries({"type": st.sampled_from(["item_reference", "message"])}, optional={"id": st.text(max_size=2), "role": st.just("user")}), max_size=2),
        },
    ) | ANY,
    "response_id": st.none() | st.text(max_size=4),
    "previous_item_id": st.none() | st.sampled_from(["root", "a"]),
    "text": st.text(max_size=9),
}  # fmt: skip
_NAMES = st.sampled_from([*CLIENT, "playback.acknowledged", "tool.confirmed", "duplex.typed", "dance"])
EVENTS = st.builds(
    lambda name, fields: {"type": name, **fields}, _NAMES, st.fixed_dictionaries({}, optional=_FIELDS)
)


class Scripted:
    """A socket that sends what a test says, then goes; what comes back is kept."""

    def __init__(self, frames: list[str | None]) -> None:
        self.frames, self.got, self.closed = frames, list[str](), list[int]()
        self.left: list[asyncio.Task[Any]] = []  # tasks that outlived the session

    async def receive(self) -> str | None:
        await asyncio.sleep(0)
        if not self.frames:
            await asyncio.sleep(0.02)  # let what was asked begin
            raise EOFError
        return self.frames.pop(0)

    async def send(self, text: str) -> None:
        self.got.append(text)

    async def close(self, code: int, reason: str) -> None:
        self.closed.append(code)


async def session(frames: list[str | None], *, beta: bool = False) -> Scripted:
    socket = Scripted(frames)
    wishes = Wishes(duplex=True, resume=True)
    made = ClientSession("s", stack(), Limits(), Meter(), BETA if beta else GA, wishes)
    await asyncio.wait_for(made.run(socket), 20)
    socket.left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    return socket


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(events=st.lists(EVENTS, max_size=12), beta=st.booleans())
def test_any_events_leave_the_session_alive(events: list[dict[str, Any]], beta: bool):
    frames: list[str | None] = [json.dumps(event) for event in events]
    socket = asyncio.run(
        session([*frames, '{"type": "conversation.item.retrieve", "item_id": "last"}'], beta=beta)
    )
    assert socket.left == []
    told = [json.loads(text) for text in socket.got]
    assert socket.closed == [1000]
    assert any("no item 'last'" in event["error"]["message"] for event in told if event["type"] == "error")
    assert not any(
        event["error"]["type"] == "server_error"
        for event in told
        if event["type"] == "error" and "voice does not follow" not in event["error"]["message"]
    )


@settings(max_examples=60, deadline=None)
@given(frames=st.lists(st.none() | st.text(max_size=50), max_size=20))
def test_any_frames_are_answered_with_errors(frames: list[str | None]):
    socket = asyncio.run(session(list(frames)))
    told = [json.loads(text) for text in socket.got]
    assert [event["type"] for event in told] == [
        "session.created",
        "conversation.created",
        "duplex.session",
        *["error"] * len(frames),
    ]
    assert socket.closed == [1000]
