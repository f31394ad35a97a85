from __future__ import annotations

import pytest

from antiphon.envs.assertions import (
    Judgement,
    Violation,
    applies,
    ask,
    is_positive,
    judgement,
    predicate_of,
    prompt,
    violation,
)
from antiphon.envs.story import Story
from antiphon.envs.task import Assertion, Condition
from antiphon.errors import DomainError
from antiphon.judge.judge import Verdict as Judged
from tests.envs.stories import TASK, agent, did, story

SAYS = Assertion("Must say so.", "says", {"forms": [["so"]]})


def test_a_broken_predicate_is_a_violation_and_a_kept_one_nothing():
    assert violation(SAYS, story(), {}) == Violation("Must say so.", "the agent never says so")
    assert violation(SAYS, story(agent("so")), {}) is None


def test_the_domains_own_predicates_come_first():
    def says(_: Story, forms: object) -> str:
        return f"own {forms}"

    assert violation(SAYS, story(agent("so")), {"says": says}) == Violation("Must say so.", "own [['so']]")


def test_an_assertion_is_skipped_when_its_precondition_did_not_come_about():
    after = Assertion("Must say so.", "says", {"forms": [["so"]]}, Condition("called", {"tool": "lend"}))
    assert applies(SAYS, story(), {})
    assert not applies(after, story(), {})
    assert applies(after, story(did("lend")), {})


def _fails(_: Story) -> str | None:
    raise KeyError("x")


def _returns_a_truth(_: Story) -> bool:
    return False


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_fails, r"predicate p raised KeyError: 'x'"),
        (_returns_a_truth, r"predicate p returned False; it returns"),
    ],
)
def test_a_predicate_that_does_not_work_has_checked_nothing(function: object, problem: str):
    with pytest.raises(DomainError, match=problem):
        violation(Assertion("x", "p"), story(), {"p": function})  # pyright: ignore[reportArgumentType]


def test_an_unknown_predicate_lists_those_there_are():
    with pytest.raises(DomainError, match=r"no predicate 'sais'; there are: asked, called, .*, says"):
        predicate_of("sais", {})


@pytest.mark.parametrize(
    ("assertion", "positive"),
    [
        (SAYS, True),
        (Assertion("Must not lend.", "not_called", {"tool": "lend"}), False),
        (Assertion("Order.", "called_before", {"tool": "find", "before": "lend"}), False),
        (Assertion("x", "says", {"forms": [["so"]]}, Condition("called", {"tool": "lend"})), False),
        (Assertion("Must tell the caller the limit."), True),
        (Assertion("Must not lend a reference book."), False),
        (Assertion("The agent should not cancel the booking."), False),
        (Assertion("Never ask for a card number."), False),
        (Assertion("Agent doesn't offer a refund."), False),
        (Assertion("不得索要卡号。"), False),
        (Assertion("客服不能承诺回电。"), False),
        (Assertion("必须说明不能延长。"), True),
    ],
)
def test_what_an_agent_that_does_nothing_would_break_is_positive(assertion: Assertion, positive: bool):
    assert is_positive(assertion, TASK, {}) is positive


def test_a_judge_sees_the_requirement_and_the_whole_transcript():
    asked = ask(Assertion("Must be kind."), story(agent("Hello.")))
    words = asked.prompt.fill(asked.fields)
    assert asked.prompt is prompt()
    assert asked.prompt.choices == ("kept", "violated")
    assert "Must be kind." in words
    assert "[1] Agent: Hello." in words


def test_a_judgement_keeps_the_raw_answer_the_model_and_the_prompt():
    given = Judged(False, "valid", "violated", None, "assertion@1", "m")
    assert judgement(Assertion("Must."), given) == Judgement("Must.", False, "violated", "m", "assertion@1")
    none = Judged(None, "invalid", "maybe", "no verdict first: 'maybe'", "assertion@1", "m")
    assert judgement(Assertion("Must."), none).kept is None
