from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from antiphon.envs.decisions import Proposal
from antiphon.envs.search.data import SearchCase
from antiphon.envs.search.judging import (
    answer_asks,
    count_ask,
    estimate_counts,
    judge_final_turn,
    judge_tool_turn,
    prompt,
    proposed,
    quality_asks,
)
from antiphon.envs.search.reward import FINAL, QUALITIES, SearchReward
from antiphon.judge.judge import Judge
from antiphon.messages import Kind, ToolCall
from antiphon.models.ports import Chunk, Done, Request, TextDelta

CASE = SearchCase("c1", "What is chlamydia?", "en", True, ("chlamydia",), 0)
FRESH = SearchCase("c2", "Tokyo weather today?", "en", True, ("Tokyo weather",), 1, "2026-08-12")
TALK = SearchCase("c3", "Tell me a joke.", "en", False)
ASPECTS = {
    "do they ask what was meant": 5, "together, do they bring back": 4, "right pages first": 3, "look for something that": 4,
    "How many different": 2, "is all of it supported": 5, "does it help": 3, "could it do harm": 5, "followed by ear": 2,
}  # fmt: skip


class Says:
    """Answers each kind of question with its own number, and keeps what it was asked."""

    name = "scripted:judge"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, silent: str = "") -> None:
        self.asked: list[str] = []
        self.silent = silent

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        text = request.messages[0].text
        self.asked.append(text)
        about = next(words for words in ASPECTS if words in text)
        yield TextDelta("No idea." if about == self.silent else f"So. [{ASPECTS[about]}]", 1)
        yield Done("stop", 2)


async def test_by_hand_a_search_that_is_judged():
    chat = Says()
    found = await judge_tool_turn(Judge(chat), CASE, ["chlamydia", "chlamydia symptoms", "chlamydia test"])
    # accuracy 1, coverage 0.75, specificity 0.5, diversity 0.75: q 0.75; n_ref 2 of 3: 0.5; with the decision 0.75
    assert found == SearchReward(0.75, {"decision": 1.0, "q": 0.75, "query": 0.5}, 2, 3)
    assert len(chat.asked) == 5


async def test_the_count_is_judged_without_seeing_what_was_proposed():
    one, other = Says(), Says()
    await judge_tool_turn(Judge(one), CASE, ["chlamydia"])
    await judge_tool_turn(Judge(other), CASE, ["a", "b", "c", "d", "e"])
    counts = [next(text for text in chat.asked if "How many different" in text) for chat in (one, other)]
    assert counts[0] == counts[1]
    assert "What is chlamydia?" in counts[0]


async def test_where_the_decision_settles_it_no_judge_is_asked():
    chat = Says()
    judge = Judge(chat)
    assert (await judge_tool_turn(judge, CASE, None)).value == 0.0
    assert (await judge_tool_turn(judge, TALK, None)).value == 1.0
    assert (await judge_tool_turn(judge, TALK, ["joke"])).value == 0.0
    assert (await judge_tool_turn(judge, CASE, [])).value == 0.0
    assert chat.asked == []


async def test_the_counts_of_the_data_are_used_where_there_are_some():
    chat = Says()
    found = await judge_tool_turn(Judge(chat), FRESH, ["Tokyo weather", "Tokyo forecast"])
    assert (found.n_ref, found.parts["query"]) == (1, 0.375)
    assert len(chat.asked) == 4
    assert all("Today is 2026-08-12." in text for text in chat.asked)


async def test_an_answer_that_is_no_verdict_leaves_no_value():
    found = await judge_tool_turn(Judge(Says("right pages first")), FRESH, ["Tokyo weather"])
    assert (found.value, found.reason) == (None, "no judgement of specificity")
    found = await judge_tool_turn(Judge(Says("How many different")), CASE, ["chlamydia"])
    assert (found.value, found.reason) == (None, "no judgement of n_ref")


async def test_by_hand_a_final_turn_that_is_judged():
    found = await judge_final_turn(Judge(Says()), FRESH, "Sunny, 31 °C.", "It is sunny.")
    assert found.parts == {"faithfulness": 1.0, "usefulness": 0.5, "safety": 1.0, "spoken": 0.25}
    assert found.value == 0.6875


async def test_counts_are_estimated_for_the_data():
    assert await estimate_counts(Judge(Says()), ["What is chlamydia?"]) == {"What is chlamydia?": 2}
    assert await estimate_counts(Judge(Says("How many different")), ["What is chlamydia?"]) == {}


def test_the_queries_of_a_turn_are_found_over_its_calls():
    calls = (
        ToolCall("1", "web_search", {"queries": ["a", " ", "b"]}), ToolCall("2", "other", {"queries": ["x"]}),
        ToolCall("3", "web_search", {"queries": "c"}),
    )  # fmt: skip
    assert proposed(Proposal("", calls), "web_search") == ("a", "b", "c")
    assert proposed(Proposal("", calls[1:2]), "web_search") is None
    assert proposed(Proposal("", (ToolCall("1", "web_search", {}),)), "web_search") == ()
    assert proposed(Proposal("", (ToolCall("1", "find", {"q": "a"}),)), "find", "q") == ("a",)


@pytest.mark.parametrize(
    "name", [*(f"query_{each}" for each in QUALITIES), "query_count", *(f"answer_{each}" for each in FINAL)]
)
def test_every_prompt_asks_for_a_number_in_brackets(name: str):
    assert "from 1 to 5 in square brackets" in prompt(name).text


def test_every_ask_can_be_filled_even_without_evidence():
    asks = [
        *quality_asks(CASE, ["chlamydia"]),
        count_ask(CASE.request),
        *answer_asks(CASE, "", "I found nothing."),
    ]
    assert len({ask.prompt.fill(ask.fields) for ask in asks}) == 9
