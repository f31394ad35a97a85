from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.envs.decisions import Proposal
from antiphon.envs.domain import Domain
from antiphon.envs.episode import snapshot_of
from antiphon.envs.terms import Terms, terms_of
from antiphon.envs.turns import TurnScore, due, quality_ask, score_hang_up, score_turn
from antiphon.judge.judge import Verdict as Judged
from antiphon.messages import ToolCall
from tests.envs.desk import LEND, REFUSE, open_desk
from tests.envs.lending import GOOD, Action, play

FAILING = {"tool": "lend", "arguments": {"member": "9999", "book": "B1"}, "expect_error": True}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    fails = REFUSE | {"task_id": "fails", "reference_tool_calls": [FAILING, *REFUSE["reference_tool_calls"]]}
    asks = {"text": "Must ask.", "predicate": "asked", "arguments": {"forms": ["which edition"]}}
    asking = LEND | {"task_id": "asking", "assertions": [*LEND["assertions"], asks]}
    return open_desk(tmp_path_factory.mktemp("desk"), LEND, REFUSE, fails, asking)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("c", name, arguments)


def score(
    desk: Domain, before: list[Action], *calls: ToolCall, text: str = "", task: str = "lend_emma", **more: Any
) -> TurnScore:
    terms = terms_of(desk, desk.task(task))
    moment = snapshot_of(desk, terms.task, play(desk, before, task).steps)
    return score_turn(terms, moment, Proposal(text, calls), **more)


FIND, LEND_IT = call("find", title="Emma"), call("lend", member="4711", book="B1")


def test_the_expected_call_with_grounded_arguments_is_worth_one(desk: Domain):
    assert score(desk, GOOD[:1], FIND) == TurnScore(
        1.0, {"choice": 1.0, "grounding": 1.0}, notes=("find is to be called",)
    )
    assert score(desk, GOOD[:4], LEND_IT).value == 1.0


def test_talk_while_a_call_is_due_is_worth_nothing(desk: Domain):
    assert score(desk, GOOD[:1], text="Nice weather.").value == 0.0
    assert score(desk, GOOD[:1]).value == 0.0


def test_words_are_right_where_an_assertion_asks_for_a_question(desk: Domain):
    assert score(desk, GOOD[:1], text="Which edition?", task="asking").value == 1.0
    assert score(desk, GOOD[:1], FIND, task="asking").value == 1.0


def test_before_the_readback_words_are_due_and_the_write_is_wrong(desk: Domain):
    assert score(desk, GOOD[:2], text="Emma, for one week?") == TurnScore(
        1.0, {"choice": 1.0}, notes=("lend is not confirmed yet",)
    )
    early = score(desk, GOOD[:2], LEND_IT)
    assert (early.value, early.parts) == (0.5, {"choice": 0.0, "grounding": 1.0})


def test_an_argument_that_nobody_told_must_be_asked_for(desk: Domain):
    before: list[Action] = [("user", "Emma, please."), GOOD[1], GOOD[2], GOOD[3]]
    assert score(desk, before, text="What is your member number?").notes == (
        "member of lend is not known yet",
    )
    guessed = score(desk, before, LEND_IT)
    assert guessed.parts == {"choice": 0.0, "grounding": 0.5}
    assert guessed.notes[1:] == ("lend: member '4711' comes from nowhere",)


def test_where_something_must_be_asked_other_words_are_wrong(desk: Domain):
    assert score(desk, GOOD[:2], text="That is all I can say.").value == 0.0
    assert score(desk, GOOD[:2], text="Please confirm: Emma.").value == 1.0


def hang_up(desk: Domain, before: list[Action], task: str = "lend_emma") -> TurnScore:
    terms = terms_of(desk, desk.task(task))
    return score_hang_up(terms, snapshot_of(desk, terms.task, play(desk, before, task).steps))


def test_hanging_up_is_right_once_nothing_is_open(desk: Domain):
    assert hang_up(desk, GOOD).value == 1.0
    early = hang_up(desk, GOOD[:5])
    assert (early.value, early.notes) == (0.0, ("Must tell the loan.",))
    assert hang_up(desk, GOOD[:4]).notes[-1] == "lend is to be called"
    assert hang_up(desk, [], "refuse_second").value == 0.0
    said: list[Action] = [
        ("user", "Emma?"),
        ("find", {"title": "Emma"}),
        ("assistant", "One loan is the limit."),
    ]
    assert hang_up(desk, said, "refuse_second").value == 1.0


def test_lookups_beside_the_reference_are_harmless_once(desk: Domain):
    assert score(desk, GOOD[:4], call("find", title="Emma")).parts["choice"] == 0.0  # seen already
    assert score(desk, GOOD[:4], call("find", title="E")).parts["choice"] == 0.5


def test_a_tool_that_is_not_there_and_a_failing_call_are_worth_nothing(desk: Domain):
    assert score(desk, GOOD[:1], call("pay", amount=3)).value == 0.0
    assert score(desk, GOOD[:4], call("lend", member="4711", book="B9")).value == 0.0


def test_the_expected_write_with_other_values_is_wrong_though_its_paths_are_permitted(desk: Domain):
    two: list[Action] = [
        ("user", "Emma or Dune, for one or two weeks, please. I am member 4711."),
        *GOOD[1:4],
    ]
    found = score(desk, two, call("lend", member="4711", book="B1", weeks=2))
    assert (found.parts, found.vetoes) == ({"choice": 0.0, "grounding": 1.0}, ())


@pytest.mark.parametrize("arguments", [[1, 2], None, {"title": "x" * 100_000}, {"title": float("nan")}])
def test_arguments_that_no_tool_takes_are_a_failed_call(desk: Domain, arguments: Any):
    found = score(desk, GOOD[:1], ToolCall("c", "find", arguments))
    assert (found.value, found.parts) == (0.0, {"choice": 0.0, "grounding": 0.0})


def test_an_unauthorised_write_is_vetoed_whatever_else_is_right(desk: Domain):
    found = score(desk, GOOD[:4], LEND_IT, call("give_back", loan="L9"))
    assert found.value == 0.0
    assert found.vetoes == ("give_back writes /loans/L9/book",)


def test_a_claim_in_the_very_turn_of_the_call_is_premature(desk: Domain):
    found = score(desk, GOOD[:4], LEND_IT, text="I've lent you Emma.")
    assert (found.value, found.vetoes) == (0.0, ('claims "i\'ve lent you emma." before it is true',))
    assert score(desk, GOOD[:5], text="I've lent you Emma. The loan is L101.").value == 1.0


def test_a_failure_that_the_reference_plans_neither_earns_nor_costs(desk: Domain):
    planned = call("lend", member="9999", book="B1")
    said: list[Action] = [("user", "Emma for 9999?")]
    assert score(desk, said, planned, FIND, task="fails").parts["choice"] == 1.0
    assert score(desk, said, planned, task="fails").value == 0.0


def judged(value: float | None) -> Judged:
    status = "valid" if value is not None else "invalid"
    return Judged(value, status, "[x]", None if value is not None else "no score in brackets", "p", "judge")


def test_by_hand_a_judged_reply(desk: Domain):
    found = score(desk, GOOD[:2], text="Emma?", reply=judged(4.0))
    assert found.parts == {"choice": 1.0, "reply": 0.75}
    assert found.value == 0.875


def test_a_missing_judgement_is_no_value_but_a_veto_stands(desk: Domain):
    found = score(desk, GOOD[:2], text="Emma?", reply=judged(None))
    assert (found.value, found.reason) == (None, "the reply has no judgement: no score in brackets")
    assert score(desk, GOOD[:2], text="I've lent it.", reply=judged(None)).value == 0.0


def test_the_judge_sees_rules_dialogue_and_the_words(desk: Domain):
    terms = terms_of(desk, desk.task("lend_emma"))
    moment = snapshot_of(desk, terms.task, play(desk, GOOD[:2]).steps)
    ask = quality_ask(terms, moment, "Emma?")
    text = ask.prompt.fill(ask.fields)
    assert "at most one loan" in text
    assert "Agent calls find" in text
    assert text.count("Emma?") == 1


def test_checking_a_proposal_leaves_the_moment_as_it_was(desk: Domain):
    terms = terms_of(desk, desk.task("lend_emma"))
    moment = snapshot_of(desk, terms.task, play(desk, GOOD[:4]).steps)
    first = score_turn(terms, moment, Proposal("", (LEND_IT,)))
    assert "L101" not in moment.db["loans"]
    assert score_turn(terms, moment, Proposal("", (LEND_IT,))) == first


def test_after_every_call_words_are_due(desk: Domain):
    terms = terms_of(desk, desk.task("lend_emma"))
    moment = snapshot_of(desk, terms.task, play(desk, GOOD[:5]).steps)
    assert due(terms, moment.steps, moment.db).call is None


CALLS = [
    FIND, LEND_IT, call("find", title="E"), call("find", title="zzz"), call("lend", member="1", book="B1"),
    call("give_back", loan="L9"), call("give_back", loan="L1"), call("pay"),
]  # fmt: skip
BAD = [
    call("find", title="zzz"),
    call("lend", member="1", book="B1"),
    call("give_back", loan="L9"),
    call("pay"),
]


def _scored(terms: Terms, desk: Domain, before: list[Action], text: str, calls: list[ToolCall]) -> float:
    moment = snapshot_of(desk, terms.task, play(desk, before).steps)
    value = score_turn(terms, moment, Proposal(text, tuple(calls))).value
    assert value is not None
    return value


@settings(max_examples=80, deadline=None)
@given(
    cut=st.integers(0, 6), text=st.sampled_from(["", "Emma?", "Your loan is L101."]),
    calls=st.lists(st.sampled_from(CALLS), max_size=3), at=st.integers(0, 3), bad=st.sampled_from(BAD),
)  # fmt: skip
def test_a_failed_call_or_an_unauthorised_write_never_improves_a_turn(
    desk: Domain, cut: int, text: str, calls: list[ToolCall], at: int, bad: ToolCall
):
    terms = terms_of(desk, desk.task("lend_emma"))
    plain = _scored(terms, desk, GOOD[:cut], text, calls)
    at = min(at, len(calls))
    assert _scored(terms, desk, GOOD[:cut], text, [*calls[:at], bad, *calls[at:]]) <= plain


@settings(max_examples=40, deadline=None)
@given(
    cut=st.integers(0, 4),
    text=st.sampled_from(["", "Emma?"]),
    calls=st.lists(st.sampled_from(CALLS), max_size=3),
)
def test_a_premature_claim_never_improves_a_turn(desk: Domain, cut: int, text: str, calls: list[ToolCall]):
    terms = terms_of(desk, desk.task("lend_emma"))
    plain = _scored(terms, desk, GOOD[:cut], text, calls)
    claiming = _scored(terms, desk, GOOD[:cut], f"{text} I've lent it to you.".strip(), calls)
    assert claiming == 0.0 <= plain
