from __future__ import annotations

from dataclasses import dataclass

import pytest

from antiphon.judge.budget import Budget
from antiphon.judge.judge import Ask, Judge
from antiphon.judge.prompt import Prompt
from antiphon.messages import says
from antiphon.models.ports import Done, Reply, Request, Sampling, TextDelta, Usage

TYPE = Prompt("knowledge", "{question}|{answer}|{response} yes no", ("yes", "no"))


def request(text: str) -> Request:
    return Request((says("user", text),), sampling=Sampling(max_tokens=10))


def reply(usage: Usage, cost: float | None = None) -> Reply:
    return Reply("yes", None, (), "stop", None, None, 1, usage=usage, cost_usd=cost)


def test_a_call_holds_the_most_it_can_cost_and_then_what_it_did():
    budget = Budget(most_usd=1.0, price=(1e6, 2e6))  # a dollar a token in, two a token out
    assert budget.hold(request("abc"), paid=True) == (
        "not asked: 0 of 1 USD are spent, and the next call may exceed it"
    )
    budget = Budget(most_usd=100.0, price=(1e6, 2e6))
    held = budget.hold(request("北"), paid=True)
    assert held == 3 + 32 + 2 * 10  # three bytes, the template, ten tokens out
    assert budget.usd == held
    assert isinstance(held, float)
    budget.settle(held, reply(Usage(5, 1)))
    assert budget.usd == 5 + 2
    budget.settle(0.0, reply(Usage(5, 1)))
    assert (budget.usd, budget.calls) == (7, 1)


def test_a_reply_that_states_its_cost_is_believed_and_one_that_says_nothing_costs_what_was_held():
    budget = Budget(most_usd=100.0, price=(1e6, 2e6))
    first = budget.hold(request("abc"), paid=True)
    assert isinstance(first, float)
    budget.settle(first, reply(Usage(1, 1), cost=0.5))
    assert budget.usd == 0.5
    other = budget.hold(request("abc"), paid=True)
    assert isinstance(other, float)
    budget.settle(other, reply(Usage()))
    assert budget.usd == 0.5 + other


def test_what_is_not_paid_for_counts_as_a_call_only():
    budget = Budget(most_calls=2, most_usd=0.0, price=(1.0, 1.0))
    assert [budget.hold(request("abc"), paid=False) for _ in range(3)] == [
        0.0, 0.0, "not asked: the judge's 2 calls are made",
    ]  # fmt: skip
    assert budget.usd == 0.0


@dataclass
class Yes:
    name: str = "scripted:yes"
    accepts = frozenset({"text"})
    gives = frozenset({"text"})
    asked: int = 0

    async def stream(self, request: Request):
        self.asked += 1
        yield TextDelta("yes", 1)
        yield Done("stop", 2)


class Kept(dict):
    get_row = dict.get
    put_row = dict.__setitem__


@pytest.mark.parametrize("most", [0, 1])
async def test_a_judge_without_budget_left_says_so_and_what_is_cached_needs_none(most: int):
    chat, kept = Yes(), Kept()
    judge = Judge(chat, answers=kept, budget=Budget(most_calls=most))
    asks = [Ask(TYPE, {"question": "?", "answer": "a", "response": each}) for each in ("a", "b")]
    found = [await judge.verdict(ask) for ask in asks]
    assert [verdict.status for verdict in found] == ["valid"] * most + ["not judged"] * (2 - most)
    assert found[-1].transient
    assert chat.asked == most
    again = Judge(chat, answers=kept, budget=Budget(most_calls=0))
    assert [(await again.verdict(ask)).cached for ask in asks] == [True] * most + [False] * (2 - most)
