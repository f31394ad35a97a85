"""Whatever a client of the Live protocol sends is obeyed or refused with an event; nothing breaks its session."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antiphon.models.wire.ga.dialect import GA
from antiphon.models.wire.live import CLIENT
from antiphon.realtime.meter import Meter
from antiphon.realtime.server.live_session import LiveSession
from antiphon.realtime.server.stack import Limits, Wishes
from tests.realtime.protocols.test_ga_in import ANY, Scripted
from tests.realtime.serving import stack

_RESPONSES = st.fixed_dictionaries({"model": st.just("m")}, optional={
    "tools": st.just([{"type": "function", "name": "look"}]) | ANY, "instructions": st.text(max_size=9) | ANY,
    "reasoning": ANY, "tool_choice": ANY,
})  # fmt: skip
_DELEGATION = st.fixed_dictionaries(
    {"type": st.sampled_from(["client", "responses", "decisions"])},
    optional={"acknowledgement_delay_ms": st.integers(-1, 90_000) | ANY, "responses": _RESPONSES | ANY},
)
_SESSION = st.fixed_dictionaries({}, optional={
    "model": st.just("m") | ANY, "delegation": _DELEGATION | ANY, "instructions": st.text(max_size=9),
    "audio": st.fixed_dictionaries({}, optional={
        "format": st.sampled_from([{"type": "audio/pcmu", "rate": 8000}, {"type": "audio/pcm", "rate": 16000}, {"type": "x"}]),
        "output": st.fixed_dictionaries({}, optional={"voice": st.text(max_size=4) | ANY}),
    }),
    "input": st.lists(st.fixed_dictionaries({"role": st.sampled_from(["user", "developer", "cook"]), "content": st.text(max_size=5) | ANY}), max_size=2),
    "triggers": ANY, "store": st.booleans(),
})  # fmt: skip
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "audio": st.binary(max_size=5000).map(lambda data: base64.b64encode(data).decode()) | ANY,
    "session": _SESSION | ANY,
    "content": st.text(max_size=20) | ANY,
    "delegation_id": st.none() | st.just("delegation_s_1") | ANY,
    "item": st.fixed_dictionaries({"type": st.sampled_from(["message", "function_call_output", "reasoning"])}, optional={
        "role": st.sampled_from(["user", "assistant", "system"]), "content": st.text(max_size=9) | ANY,
        "call_id": st.text(max_size=5), "output": ANY,
    }) | ANY,
    "event_id": st.text(max_size=5) | ANY,
}  # fmt: skip
_NAMES = st.sampled_from([*CLIENT, "decision.create", "response.cancel", "dance"])
EVENTS = st.builds(
    lambda name, fields: {"type": name, **fields}, _NAMES, st.fixed_dictionaries({}, optional=_FIELDS)
)
STARTS = st.builds(
    lambda session: {"type": "session.start", "session": {"model": "m", **session}},
    st.fixed_dictionaries({}, optional={"delegation": st.sampled_from([
        {"type": "client"}, {"type": "responses", "responses": {"model": "m"}},
    ])}),
)  # fmt: skip
LAST = {"type": "session.thinking.append", "content": "x" * 4001}


async def talk(frames: list[str | None]) -> Scripted:
    """A session from its first frame to its end."""
    socket = Scripted(frames)
    made = LiveSession("s", stack(), Limits(), Meter(), GA, Wishes())
    await asyncio.wait_for(made.run(socket), 20)
    socket.left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    return socket


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(start=STARTS, events=st.lists(EVENTS, max_size=12))
def test_any_events_leave_the_session_alive_and_no_task_behind(
    start: dict[str, Any], events: list[dict[str, Any]]
):
    frames: list[str | None] = [json.dumps(event) for event in (start, *events, LAST)]
    closes = any(
        event["type"] == "session.close" and isinstance(event.get("event_id", ""), str | None)
        for event in events
    )
    socket = asyncio.run(talk(frames))
    told = [json.loads(text) for text in socket.got]
    assert told[0]["type"] == "session.started"
    assert socket.closed == [1000]
    assert socket.left == []
    assert closes or any(
        "4001 characters" in event["error"]["message"] for event in told if event["type"] == "error"
    )
    broken = [
        event for event in told if event["type"] == "error" and event["error"]["type"] == "server_error"
    ]
    assert [event for event in broken if "the voice does not follow" not in event["error"]["message"]] == []
    if closes:
        assert told[-1]["type"] == "session.closed"


@settings(max_examples=60, deadline=None)
@given(frames=st.lists(st.none() | st.text(max_size=50), max_size=20))
def test_any_frames_are_answered_with_errors(frames: list[str | None]):
    socket = asyncio.run(talk(list(frames)))
    assert [json.loads(text)["type"] for text in socket.got] == ["error"] * len(frames)
    assert (socket.closed, socket.left) == ([1000], [])


def test_a_client_that_never_says_an_event_is_let_go():
    socket = asyncio.run(talk(["{"] * 60))
    assert (len(socket.got), socket.closed, socket.left) == (50, [1008], [])


def test_context_is_taken_in_bounded_number():
    start = json.dumps({"type": "session.start", "session": {"model": "m"}})
    more = json.dumps({"type": "session.thinking.append", "content": "x"})
    socket = asyncio.run(talk([start, *[more] * 5001]))
    kinds = [json.loads(text)["type"] for text in socket.got]
    assert kinds.count("session.thinking.appended") == 5000
    assert "at most 5000" in json.loads(socket.got[kinds.index("error")])["error"]["message"]
