from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.tool_use import (
    arguments,
    exact_arguments,
    f1,
    pairs,
    passed,
    passed_exactly,
    reply,
    same,
    selection,
    tool_metrics,
)
from antiphon.bench.takes import Called
from tests.bench.suites.full_duplex.duplex import evidence, track, words

TRACK = {"function": "track_order", "args": {"order_id": "BOB12"}}
CART = {"function": "add_to_cart", "args": {"product_id": "$RESULT_0.products[0].product_id", "quantity": 2}}
EXTRA = {"expected_calls": [TRACK, CART]}
TRACKED = Called("track_order", {"order_id": "bob12"}, 4.0)
ADDED = Called("add_to_cart", {"product_id": "P-1", "quantity": 2}, 5.0)
SPOKE = track(words("Your order comes on Thursday", 6.0))


def item(*calls, agent=SPOKE, **more):
    return evidence("tool_use", EXTRA, calls=calls, agent=agent, **more)


@pytest.mark.parametrize(
    ("expected", "called", "value"),
    [
        (["a", "b", "c"], ["a", "b"], 0.8),  # recall 2/3, precision 1
        (["a"], ["a", "a"], 2 / 3),  # a repeated call is an extra one
        (["a"], [], 0.0),
        ([], [], 1.0),
        ([], ["a"], 0.0),
    ],
)
def test_tools_are_compared_as_multisets(expected, called, value):
    assert f1(expected, called) == pytest.approx(value)


def test_the_second_call_of_a_tool_meets_the_second_that_is_expected():
    twice = [
        {"function": "a", "args": {"x": 1}},
        {"function": "a", "args": {"x": 2}},
        {"function": "b", "args": {}},
    ]
    calls = [Called("a", {"x": 1}, 0.0), Called("a", {"x": 2}, 1.0)]
    assert pairs(twice, calls) == [({"x": 1}, {"x": 1}), ({"x": 2}, {"x": 2}), ({}, None)]


def test_case_underscores_and_references_do_not_matter_and_a_missing_argument_does():
    assert same({"doc_type": "driver_license"}, {"doc_type": "Driver License"})
    assert same(CART["args"], {"product_id": "anything", "quantity": 2, "more": 1})
    assert not same(CART["args"], {"quantity": 2})
    assert not same({"date": "August 20"}, {"date": "2026-08-20"})  # what needs a judge


def test_an_agent_that_is_silent_is_left_out_of_paper_and_counts_for_us():
    silent = item(agent=track(()))
    assert selection("paper", silent) == NoValue(
        "excluded", "the agent says nothing, and paper counts only where it speaks"
    )
    assert selection("strict", silent).value == 0.0
    assert passed("paper", silent).value == 0.0


def test_paper_rounds_each_sample_to_three_digits():
    one = item(TRACKED)
    assert selection("paper", one).value == 0.667
    assert selection("strict", one).value == pytest.approx(2 / 3)


def test_a_judge_counts_the_right_calls_and_calls_that_were_not_made_are_wrong():
    one = item(TRACKED, judged={"argument_accuracy": 1.0})
    assert arguments("strict", one).value == 0.5
    assert passed("strict", one) == Value(0.0, evidence={"missing": ["add_to_cart"], "unexpected": []})
    both = item(TRACKED, ADDED, judged={"argument_accuracy": 2.0})
    assert (arguments("strict", both).value, passed("strict", both).value) == (1.0, 1.0)
    assert passed("strict", item(TRACKED, ADDED, judged={"argument_accuracy": 1.0})).value == 0.0
    assert (exact_arguments("strict", both).value, passed_exactly("strict", both).value) == (1.0, 1.0)


def test_the_judge_sees_the_calls_that_were_made_and_is_asked_for_no_more_than_there_are():
    metrics = {metric.info.name: metric for metric in tool_metrics("strict")}
    ask = metrics["argument_accuracy"].ask(item(TRACKED))
    assert (ask.prompt.bottom, ask.prompt.top) == (0, 1)
    assert ask.fields == {
        "answer": 'track_order({"order_id": "BOB12"})', "response": 'track_order({"order_id": "bob12"})',
    }  # fmt: skip
    assert metrics["argument_accuracy"].ask(item()) is None
    assert arguments("strict", item()) == Value(0.0, evidence={"right": 0, "expected": 2})


def test_words_are_judged_against_the_scripted_answer():
    (judged,) = [metric for metric in tool_metrics("paper") if metric.info.name == "response_quality"]
    one = item(answer="It arrives on Thursday.", judged={"response_quality": 1.0})
    assert judged.ask(one).fields["response"] == "Your order comes on Thursday"
    assert reply("paper", one).value == 1.0
    assert reply("strict", item()) == NoValue("excluded", "the sample has no scripted answer")
    assert reply("strict", item(answer="Yes.", agent=track(()))).value == 0.0
