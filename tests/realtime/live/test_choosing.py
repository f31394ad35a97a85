from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.messages import says
from antiphon.models import cascade
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Chunk, Done, Kind, Request, TextDelta
from antiphon.models.scripted import Line
from antiphon.realtime import events
from antiphon.realtime.live.choosing import Chooser, chosen
from antiphon.realtime.policy.semantic import CHOICES
from tests.realtime.serving import Client, Person, served, stack


class Chat:
    """A model that says one thing, or breaks, and keeps the requests."""

    name = "scripted: one word"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, says: str | None, wait_s: float = 0.0) -> None:
        self.says, self.wait_s, self.requests = says, wait_s, list[Request]()

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        await asyncio.sleep(self.wait_s)
        if self.says is None:
            raise ModelError("scripted", "broken")
        yield TextDelta(self.says, 0)
        yield Done("stop", 0)


HISTORY = (says("user", "Tell me a story."), says("assistant", "Once upon a time"))


async def asked(chat: Chat, text: str = "mhm", patience_s: float = 3.0) -> list[tuple[Any, ...]]:
    put: list[tuple[Any, ...]] = []
    await Chooser(chat, lambda: HISTORY, patience_s)("u1", text, lambda *what: put.append(what))
    return put


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        ("others", "others"),
        (" Answer.\n", "answer"),
        ("wait, or stop", "none"),
        ("I think so", "none"),
        ("", "none"),
    ],
)
def test_one_choice_and_no_other_is_one(written: str, choice: str):
    assert chosen(written) == choice


async def test_the_choice_becomes_a_score_of_the_utterance():
    chat = Chat("acknowledge")
    assert await asked(chat) == [(events.Score, "semantic.acknowledge", 1.0, "u1")]
    [request] = chat.requests
    assert request.choices == CHOICES
    assert "Assistant: Once upon a time\n\nLast utterance: mhm" in request.messages[-1].text


async def test_a_model_that_breaks_chooses_nothing_and_one_that_is_slow_is_stopped():
    assert await asked(Chat(None)) == [(events.Score, "semantic.none", 1.0, "u1")]
    assert await asked(Chat("answer", wait_s=5), patience_s=0.01) == []
    assert await asked(silent := Chat("answer"), text="") == []
    assert silent.requests == []


async def _decided(lines: Sequence[Line]) -> dict[str, Any]:
    async with served(stack(lines, policy="semantic")) as server, server.client("&duplex=1") as socket:
        client, settled = Client(socket), None
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        person.say(900)
        while settled is None:
            event = await client.until("duplex.decided")
            settled = event if "model" in event["reason"] and "waiting" not in event["reason"] else None
        talking.cancel()
        return settled


async def test_a_served_session_asks_its_own_model():
    lines = (Line(match="Last utterance", text="others"), Line(text="An answer."))
    found = await _decided(lines)
    assert (found["floor"], found["answer"], found["reason"]) == ("LISTEN", "NONE", "the model chose others")


async def test_a_served_session_goes_on_by_the_rules_where_its_model_says_no_choice():
    found = await _decided((Line(text="Let me think about it."),))
    assert found["answer"] == "ANSWER"
    assert found["reason"].endswith("(rules: the model's choice was unintelligible)")


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_the_embedded_model_is_held_to_the_choices(weights: Callable[..., list[Path]]):
    """It is small and chooses badly; that it chooses at all, and falls back where it does not, is what is tested."""
    weights("qwen2.5-coder-0.5b")
    chat = open_chat(cascade.part_uri("cascade:", "chat"), RealClock())
    put: list[tuple[Any, ...]] = []
    for text in ("What is the capital of France?", "Tom, where are my keys?", "嗯嗯"):
        await Chooser(chat, lambda: HISTORY, 60.0)("u1", text, lambda *what: put.append(what))
    assert len(put) == 3
    assert {name.removeprefix("semantic.") for _, name, *_ in put} <= set(CHOICES)
