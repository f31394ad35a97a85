from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.claims import Claim, claims_in, participle, premature_claims, writing_tools
from antiphon.trace import Step
from tests.envs.stories import agent, did, partner

TOOLS = frozenset({"place_hold", "release_hold"})


def wrote(tool: str) -> Step:
    return Step(
        0, "assistant", call={"id": "c", "name": tool, "arguments": {}}, result={"value": {"ok": True}},
        changes={"/holds/H1": {"to": {}}},
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "I've placed the hold for you.",
        "We have just placed it.",
        "I placed your hold, and it will expire on Friday.",
        "Your hold has been placed.",
        "Great, all done!",
        "You're all set.",
        "The fare is now reserved.",
        "Placed!",
        "I’ve placed it.",
        "Your hold is confirmed.",
        "Your booking is complete!",
        "已成功为您预订。",
        "您的预约已成功提交。",
        "您的保留已取消。",
        "已经为您办理保留。",
        "已为您保留好这个票价。",
        "好的，帮您预订好了。",
        "我们已经取消了。",
        "办好了。",
        "预订成功。",
    ],
)
def test_a_claim_before_the_call_is_premature(text: str):
    assert [claim.step for claim in premature_claims([partner("Hi"), agent(text)], TOOLS)] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "Shall I place the hold?",
        "Once I've placed the hold, I'll tell you the reference.",
        "I haven't placed it yet.",
        "I have found two flights.",
        "I've checked the fares.",
        "The hold will be placed when you confirm.",
        "No hold has been placed.",
        "Only flex fares can be held.",
        "Tickets are booked on the website.",
        "Has it been placed?",
        "Your phone number is confirmed.",
        "保留尚未取消。",
        "已取消的保留不能恢复。",
        "The fare, once paid, is not refunded.",
        "我帮您查一下。",
        "等办好了再告诉您。",
        "还没有为您办理。",
        "需要帮您保留吗？",
        "我马上为您办理。",
        "保留不能延长。",
        "这个航班已经起飞了。",
    ],
)
def test_plans_questions_conditions_and_lookups_claim_nothing(text: str):
    assert premature_claims([agent(text)], TOOLS) == ()


def test_after_the_write_the_same_words_are_true():
    words = agent("I've placed the hold. 已经为您保留好了。")
    assert premature_claims([wrote("place_hold"), words], TOOLS) == ()
    assert len(premature_claims([words, wrote("place_hold")], TOOLS)) == 2


def test_a_failed_call_makes_no_claim_true():
    failed = did("place_hold", error="no seat is left")
    assert premature_claims([failed, agent("I've placed the hold.")], TOOLS) == (
        Claim(1, "i've placed the hold."),
    )


def test_releasing_does_not_prove_placing():
    steps = [wrote("release_hold"), agent("I've released the hold."), agent("I've placed the new hold.")]
    assert [claim.step for claim in premature_claims(steps, TOOLS)] == [2]


def test_one_deed_does_not_prove_another_tools_but_may_be_put_in_other_words():
    tools = {"place_hold", "send_message"}
    assert [c.step for c in premature_claims([wrote("send_message"), agent("I've placed it.")], tools)] == [1]
    assert premature_claims([wrote("place_hold"), agent("I've reserved the fare.")], tools) == ()


def test_once_a_record_was_shown_the_passive_may_report_it():
    shown = Step(
        0, "assistant", call={"id": "c", "name": "list_holds", "arguments": {}},
        result={"value": {"holds": [{"hold_ref": "HD1"}]}},
    )  # fmt: skip
    assert premature_claims([shown, agent("A hold has been placed on that flight.")], TOOLS) == ()
    assert len(premature_claims([shown, agent("I've placed the hold.")], TOOLS)) == 1


def test_names_tell_which_tools_do_things():
    assert writing_tools({"find_airport", "list_holds", "price_grid", "place_hold"}) == {"place_hold"}


def test_participles():
    verbs = ("place", "cancel", "lend", "modify", "book", "pay", "delay")
    assert [participle(verb) for verb in verbs] == [
        "placed", "cancelled", "lent", "modified", "booked", "paid", "delayed",
    ]  # fmt: skip


def test_one_word_may_report_how_things_are():
    assert premature_claims([agent("Parked.")], {"park_car"}) == ()
    assert len(premature_claims([agent("Booked.")], {"park_car"})) == 1


def test_claims_are_quoted_by_their_clause():
    assert list(claims_in("Thanks, I've placed the hold, and HD1 is its reference.", TOOLS)) == [
        "i've placed the hold"
    ]


def test_no_recorded_dialogue_claims_anything_too_early(data: Path):
    """100 dialogues of GPT-4o with a desk; every claim that is found in them comes after the write."""
    with gzip.open(data / "tau-bench" / "gpt-4o-airline-trajectories-even.json.gz") as file:
        rows: list[dict[str, Any]] = json.load(file)
    episodes = [(row["reward"], list(_recorded(row["traj"]))) for row in rows]
    tools = writing_tools({step.call["name"] for _, steps in episodes for step in steps if step.call})
    assert [premature_claims(steps, tools) for _, steps in episodes] == [()] * 100
    said = [step.text for _, steps in episodes for step in steps if step.role == "assistant" and step.text]
    assert sum(len(list(claims_in(text, tools))) for text in said) == 80


def _recorded(messages: list[dict[str, Any]]) -> Iterator[Step]:
    results = {each.get("tool_call_id"): each["content"] for each in messages if each["role"] == "tool"}
    for message in messages:
        if message["role"] in ("user", "assistant") and message.get("content"):
            yield Step(0, message["role"], message["content"])
        for call in message.get("tool_calls") or ():
            given = results.get(call["id"], "")
            failed = {"error": given} if given.startswith("Error") else {}
            asked = {"id": call["id"], "name": call["function"]["name"], "arguments": {}}
            yield Step(0, "assistant", call=asked, result={"value": given, **failed})
