from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antiphon.envs.assertions import Judgement
from antiphon.envs.domain import Domain
from antiphon.envs.requirements import Standing, Status, standing, unreachable
from antiphon.envs.terms import Terms, terms_of
from antiphon.envs.verdict import check, decide
from antiphon.trace import StopReason
from tests.envs.desk import LEND, REFUSE, open_desk
from tests.envs.lending import CLAIM, EXTRA, FAILS, GOOD, Action, play

WHEN = {"text": "Must say sorry.", "predicate": "says", "arguments": {"forms": [["sorry"]]}}
IF_FAILED: dict[str, Any] = WHEN | {"when": {"predicate": "called", "arguments": {"tool": "give_back"}}}
IF_NEVER: dict[str, Any] = WHEN | {"when": {"predicate": "not_called", "arguments": {"tool": "find"}}}
NOT_YET = {
    "text": "No loan number before the loan.", "predicate": "never_says",
    "arguments": {"forms": ["L101"], "before": "lend"},
}  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    more = [*LEND["assertions"], "Must greet.", IF_FAILED, NOT_YET]
    full = LEND | {"task_id": "full", "assertions": more}
    odd = LEND | {"task_id": "odd", "assertions": [*LEND["assertions"], IF_NEVER]}
    return open_desk(tmp_path_factory.mktemp("desk"), LEND, REFUSE, full, odd)


def stand(
    desk: Domain, actions: list[Action], task: str = "lend_emma", stop: StopReason | None = None, **more: Any
) -> Standing:
    terms = terms_of(desk, desk.task(task))
    return standing(terms, play(desk, actions, task).steps, stop=stop, **more)


def statuses(found: Standing) -> dict[str, Status]:
    return {each.what: each.status for each in found.requirements}


def test_before_anything_happens_every_requirement_is_pending(desk: Domain):
    found = stand(desk, [])
    assert set(statuses(found).values()) == {"pending"}
    assert (found.value, found.earned) == (None, 0.0)


def test_the_four_are_kept_apart_in_the_middle_of_an_episode(desk: Domain):
    assert statuses(stand(desk, GOOD[:5], "full")) == {
        "/loans/L101/member is '4711'": "satisfied",
        "/loans/L101/book is 'B1'": "satisfied",
        "/loans/L101/weeks is 1": "satisfied",
        "nothing else is written": "pending",
        "nothing is called done before it is": "pending",
        "Must find before lending.": "satisfied",
        "Must read Emma back.": "pending",
        "Must tell the loan.": "pending",
        "Must greet.": "pending",
        "Must say sorry.": "pending",
        "No loan number before the loan.": "satisfied",
    }


def test_at_the_end_nothing_waits_but_a_missing_judgement(desk: Domain):
    found = stand(desk, GOOD, "full", "partner_hung_up")
    assert [each.what for each in found.of("pending")] == ["Must greet."]
    assert [each.what for each in found.of("irrelevant")] == ["Must say sorry."]
    assert found.value is None
    kept = Judgement("Must greet.", True, "kept", "judge", "p")
    assert stand(desk, GOOD, "full", "partner_hung_up", judgements=[kept]).value == 1.0
    broken = Judgement("Must greet.", False, "violated", "judge", "p")
    assert stand(desk, GOOD, "full", "partner_hung_up", judgements=[broken]).value == 0.0


def test_by_hand_what_is_earned_is_the_share_of_duties(desk: Domain):
    assert stand(desk, GOOD[:4]).earned == 0.0
    assert stand(desk, GOOD[:5]).earned == 3 / 4  # three values of the state; the loan is not told yet
    assert stand(desk, GOOD).earned == 1.0


def test_an_unpermitted_write_is_irreversible_under_strict(desk: Domain):
    back = [*GOOD, EXTRA, ("lend", {"member": "4712", "book": "B2"})]
    found = stand(desk, back)
    assert found.of("violated")[0].why == "wrote /loans/L9/book"
    assert (found.value, found.earned) == (0.0, 0.0)


def test_under_paper_writes_wait_for_the_end(desk: Domain):
    assert stand(desk, [*GOOD, EXTRA], scoring="paper").value is None
    assert stand(desk, [*GOOD, EXTRA], scoring="paper", stop="partner_hung_up").value == 0.0


def test_a_claim_before_it_is_true_earns_nothing_ever_after(desk: Domain):
    found = stand(desk, [GOOD[0], CLAIM, *GOOD[1:]], stop="partner_hung_up")
    assert [each.why for each in found.of("violated")] == ['step 2 says "i\'ve lent you emma."']
    assert (found.value, found.earned) == (0.0, 0.0)


def test_saying_what_is_expected_does_not_make_it_so(desk: Domain):
    found = stand(desk, [GOOD[0], ("assistant", "Your loan is L101.")])
    assert found.of("satisfied") == ()


def test_a_skipped_readback_is_irreversible(desk: Domain):
    found = stand(desk, [GOOD[0], GOOD[1], GOOD[4]])
    assert [each.what for each in found.of("violated")] == ["Must read Emma back."]


def test_a_precondition_that_cannot_come_about_any_more_is_irrelevant(desk: Domain):
    assert statuses(stand(desk, GOOD[:1], "odd"))["Must say sorry."] == "pending"
    assert statuses(stand(desk, GOOD[:2], "odd"))["Must say sorry."] == "irrelevant"


def test_a_limit_ends_pending_obligations_as_violations(desk: Domain):
    found = stand(desk, GOOD[:3], stop="turn_limit")
    assert found.value == 0.0
    assert "the turn limit was reached" in [each.what for each in found.of("violated")]


def test_what_is_not_the_systems_doing_ends_no_deadline(desk: Domain):
    assert stand(desk, GOOD[:3], stop="infrastructure").value is None


def test_an_episode_is_unreachable_once_something_is_irreversible(desk: Domain):
    task = desk.task("lend_emma")
    assert unreachable(desk, task, play(desk, GOOD[:4]).steps) is None
    assert unreachable(desk, task, play(desk, [*GOOD[:4], EXTRA]).steps) == (
        "nothing else is written: wrote /loans/L9/book"
    )


MOVES: list[Action] = [
    *GOOD, EXTRA, FAILS, CLAIM, ("assistant", "One loan is the limit."), ("user", "No."),
    ("lend", {"member": "4712", "book": "B1", "weeks": 2}), ("lend", {"member": "4711", "book": "B1"}),
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    actions=st.lists(st.sampled_from(MOVES), max_size=8), task=st.sampled_from(["lend_emma", "refuse_second"])
)
def test_at_the_end_the_value_is_the_verdict_unless_something_was_claimed_too_early(
    desk: Domain, actions: list[Action], task: str
):
    terms = terms_of(desk, desk.task(task))
    trace = play(desk, actions, task)
    found = standing(terms, trace.steps, stop="partner_hung_up")
    verdict = decide(check(terms.contract, trace))
    claimed = any(each.kind == "claim" for each in found.of("violated"))
    assert found.value == (1.0 if verdict.passed and not claimed else 0.0)


@settings(max_examples=60, deadline=None)
@given(
    actions=st.lists(st.sampled_from(MOVES), max_size=8), more=st.lists(st.sampled_from(MOVES), max_size=3)
)
def test_what_is_irreversible_stays_so(desk: Domain, actions: list[Action], more: list[Action]):
    before, after = stand(desk, actions), stand(desk, [*actions, *more])
    assert {each.what for each in before.of("violated")} <= {each.what for each in after.of("violated")}


def _worse(terms: Terms, desk: Domain, actions: list[Action], extra: Action, at: int) -> tuple[float, float]:
    plain = standing(terms, play(desk, actions).steps)
    with_extra = standing(terms, play(desk, [*actions[:at], extra, *actions[at:]]).steps)
    return plain.earned, with_extra.earned


@settings(max_examples=60, deadline=None)
@given(
    actions=st.lists(st.sampled_from(MOVES), max_size=7),
    at=st.integers(0, 7),
    which=st.sampled_from([EXTRA, FAILS, CLAIM]),
)
def test_no_extra_write_failed_call_or_premature_claim_earns_anything(
    desk: Domain, actions: list[Action], at: int, which: Action
):
    terms = terms_of(desk, desk.task("lend_emma"))
    at = min(at, len(actions))
    assume(which is not CLAIM or all(each[0] != "lend" for each in actions[:at]))
    plain, with_extra = _worse(terms, desk, actions, which, at)
    assert with_extra <= plain
