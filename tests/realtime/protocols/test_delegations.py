"""What leaves a Live session as work, and what of it may come back; the round trips are in test_openai_live.py."""

from __future__ import annotations

from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import WireError
from antiphon.messages import ToolCall, ToolResult
from antiphon.models.wire import live
from antiphon.models.wire.ga.shapes import Event
from antiphon.realtime import events as e
from antiphon.realtime.protocols.delegations import Delegations

CALL = ToolCall("c1", "delegate", {})


class Driver:
    """Keeps what it is told, as its own desk; `open` are the calls whose results somebody waits for."""

    def __init__(self) -> None:
        self.desk = self.asking = self
        self.told: list[Any] = []
        self.open = {"c1", "c2"}

    def now_us(self) -> int:
        return 0

    def put(self, kind: Any, *args: Any, **more: Any) -> None:
        self.told.append(kind(0, *args, **more))

    def returned(self, result: ToolResult) -> bool:
        known = result.call_id in self.open
        self.open.discard(result.call_id)
        if known:
            self.told.append(result)
        return known


class Desk:
    def __init__(self, kind: str = "client") -> None:
        self.driver, self.events = Driver(), list[Event]()
        self.works = Delegations("s", self.driver, self.events.append, lambda: 1234, VirtualClock())  # type: ignore[arg-type]
        responses = {"model": "m"} if kind == "responses" else None
        self.works.settle(live.DelegationSettings(type=kind, responses=responses))

    def message(self, role: str, text: str) -> None:
        self.works.item({"type": "message", "role": role, "content": text})

    def output(self, call: str, value: str) -> None:
        self.works.item({"type": "function_call_output", "call_id": call, "output": value})


def test_a_delegation_says_who_does_it_and_when_it_left():
    desk = Desk()
    desk.works.created("i1", CALL)
    assert desk.events == [
        live.DelegationCreated(
            delegation=live.Delegation(id="delegation_s_1", target="client"), offset_ms=1234
        )
    ]


def test_the_first_commentary_is_the_result_and_later_ones_are_news():
    desk = Desk()
    desk.works.created("i1", CALL)
    for content in ("It is seven.", "It is eight."):
        desk.works.appended(live.CommentaryAppend(content=content, delegation_id="delegation_s_1"))
    assert desk.driver.told == [
        ToolResult("c1", "It is seven."),
        e.Background(
            0, "delegation_s_1", "Speak to the person now, in your own words, about this: It is eight."
        ),
    ]


def test_a_result_that_nobody_waits_for_is_told_all_the_same():
    desk = Desk()
    desk.works.created("i1", CALL)
    desk.driver.open.clear()  # the call was taken back
    desk.works.appended(live.CommentaryAppend(content="It is seven.", delegation_id="delegation_s_1"))
    assert desk.driver.told == [e.Background(0, "delegation_s_1", "It is seven.")]


def test_thinking_is_known_and_not_spoken_and_commentary_about_nothing_is_spoken():
    desk = Desk()
    desk.works.appended(live.ThinkingAppend(content="The shop is shut."))
    desk.works.appended(live.CommentaryAppend(content="A parcel came."))
    assert desk.driver.told == [
        e.Background(0, "", "Known, not to be read out: The shop is shut.", speaks=False),
        e.Background(0, "", "Speak to the person now, in your own words, about this: A parcel came."),
    ]


@pytest.mark.parametrize(("kind", "part"), [("client", "no delegation 'x'"), ("responses", "is null")])
def test_a_delegation_that_there_is_not_is_named(kind, part):
    desk = Desk(kind)
    with pytest.raises(WireError) as caught:
        desk.works.appended(live.CommentaryAppend(content="x", delegation_id="x"))
    assert (caught.value.field, part in caught.value.problem) == ("delegation_id", True)
    with pytest.raises(WireError):
        desk.works.check(live.InstructionsAppend(content="x", delegation_id="x"))
    assert desk.driver.told == []


def test_results_of_functions_come_back_together_when_the_client_says_so():
    desk = Desk("responses")
    desk.works.created("i1", CALL)
    desk.works.created("i1", ToolCall("c2", "hours", {}))
    desk.output("c1", '{"a": 1}')
    desk.output("c2", "plain words")
    desk.message("user", "and?")
    assert desk.driver.told == []
    desk.works.respond()
    assert desk.driver.told == [
        ToolResult("c1", {"a": 1}), ToolResult("c2", "plain words"), e.Typed(0, "and?", answer=False),
    ]  # fmt: skip
    with pytest.raises(WireError, match="no open call 'c1'"):
        desk.output("c1", "again")


def test_what_was_written_is_answered_and_nothing_at_all_asks_for_an_answer():
    desk = Desk("responses")
    desk.message("developer", "It is May.")
    desk.message("user", "Hello.")
    desk.message("user", "Which month?")
    desk.works.respond()
    assert desk.driver.told == [
        e.Background(0, "", "It is May.", speaks=False),
        e.Typed(0, "Hello.", answer=False),
        e.Typed(0, "Which month?"),
    ]
    desk.works.respond()
    assert desk.driver.told[-1] == e.Asked(0)


def test_items_wait_in_bounded_number_and_only_of_known_kinds():
    desk = Desk("responses")
    for item in (
        {"type": "reasoning"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": 7},
    ):
        with pytest.raises(WireError):
            desk.works.item(item)
    for _ in range(128):
        desk.message("user", "x")
    with pytest.raises(WireError, match="128 items wait already"):
        desk.message("user", "x")


def test_a_session_that_delegates_to_its_client_has_no_background_model():
    desk = Desk()
    for act in (lambda: desk.message("user", "x"), desk.works.respond):
        with pytest.raises(WireError, match="needs the delegation type responses"):
            act()
