from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.clock import VirtualClock
from antiphon.envs.assertions import Judgement, Violation
from antiphon.envs.contract import Contract, contract_of
from antiphon.envs.domain import Domain, read_domain
from antiphon.envs.episode import Episode
from antiphon.envs.verdict import Verdict, check, decide, verdict
from antiphon.errors import ModelError
from antiphon.judge.judge import Judge
from antiphon.messages import Kind, ToolCall
from antiphon.models.ports import Chunk, Done, Request, TextDelta
from antiphon.trace import Step, StopReason, Trace
from tests.envs.desk import LEND, REFUSE, write

WORDS = "Must greet."


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    judged = LEND | {"task_id": "judged", "assertions": [*LEND["assertions"], WORDS]}
    unlabelled = REFUSE | {"task_id": "unlabelled", "expected_outcome": "unlabelled"}
    domain, _ = read_domain(write(tmp_path_factory.mktemp("desk"), LEND, REFUSE, judged, unlabelled))
    assert domain is not None
    return domain


Action = tuple[Any, ...]
GOOD: list[Action] = [
    ("user", "Emma, please."),
    ("find", {"title": "Emma"}),
    ("assistant", "Emma?"),
    ("user", "Yes."),
    ("lend", {"member": "4711", "book": "B1"}),
    ("assistant", "Your loan is L101."),
]


def play(
    desk: Domain, actions: list[Action], task: str = "lend_emma", stop: StopReason = "partner_hung_up"
) -> tuple[Contract, Trace]:
    episode = Episode(desk, desk.task(task), VirtualClock())
    for action in actions:
        if action[0] in ("user", "assistant"):
            episode.say(action[0], action[1])
        else:
            episode.call(ToolCall("c", action[0], action[1]), *action[2:])
    return contract_of(desk, desk.task(task)), episode.finish(stop, seed=1)


def judge_of(desk: Domain, actions: list[Action], **more: Any) -> Verdict:
    return decide(check(*play(desk, actions, **more)))


def test_the_reference_with_its_words_passes(desk: Domain):
    found = judge_of(desk, GOOD)
    assert (found.status, found.passed, found.reason) == ("valid", True, None)
    assert (found.state, found.writes, found.violations) == ((), (), ())


def test_a_wrong_state_fails_first(desk: Domain):
    found = judge_of(desk, [*GOOD[:4], ("lend", {"member": "4711", "book": "B2"}), GOOD[5]])
    assert found.passed is False
    assert found.reason == "terminal state: /loans/L101/book must be 'B1', and is 'B2'"


def test_a_write_elsewhere_vetoes_the_right_state(desk: Domain):
    found = judge_of(desk, [*GOOD, ("give_back", {"loan": "L9"})])
    assert found.state == ()
    assert found.writes == ("/loans/L9/book", "/loans/L9/member", "/loans/L9/weeks")
    assert (found.passed, found.reason) == (False, "unauthorised write: /loans/L9/book")


def test_a_broken_rule_fails_the_right_state(desk: Domain):
    found = judge_of(desk, [GOOD[0], GOOD[1], *GOOD[4:]])
    assert found.violations == (
        Violation("Must read Emma back.", "step 3 calls lend without Emma read back and agreed to"),
    )
    assert found.passed is False


def test_audit_tables_are_no_writes(desk: Domain):
    _, trace = play(desk, GOOD)
    assert "/log/0" in trace.steps[4].changes
    assert judge_of(desk, GOOD).writes == ()


def test_a_write_that_is_taken_back_counts_under_strict_only(desk: Domain):
    more = [("lend", {"member": "4712", "book": "B2"}), ("give_back", {"loan": "L102"})]
    actions = [*GOOD, *GOOD[2:4], *more]
    contract, trace = play(desk, actions)
    assert decide(check(contract, trace, "strict")).passed is False
    assert decide(check(contract, trace, "paper")).passed is True


def test_doing_nothing_fails_a_refusal_and_saying_why_passes(desk: Domain):
    assert judge_of(desk, [], task="refuse_second").reason == (
        "Must say that one loan is the limit.: the agent never says one loan"
    )
    assert judge_of(desk, [("assistant", "One loan is the limit.")], task="refuse_second").passed is True


def test_a_write_in_a_refusal_fails_state_and_writes(desk: Domain):
    actions = [("assistant", "One loan is the limit."), ("lend", {"member": "4712", "book": "B1"})]
    found = judge_of(desk, actions, task="refuse_second")
    assert found.state[0] == "/loans/L101/book changed, and nothing should"
    assert found.writes == ("/loans/L101/book", "/loans/L101/member", "/loans/L101/weeks")


@pytest.mark.parametrize("stop", ["turn_limit", "tool_limit", "unreachable"])
def test_limits_are_valid_failures_even_in_the_right_state(desk: Domain, stop: StopReason):
    found = judge_of(desk, GOOD, stop=stop)
    assert (found.status, found.passed, found.state) == ("valid", False, ())


@pytest.mark.parametrize("stop", ["infrastructure", "partner_left_script", "partner_stopped_early"])
def test_what_is_not_the_systems_doing_has_no_verdict(desk: Domain, stop: StopReason):
    found = judge_of(desk, GOOD, stop=stop)
    assert (found.status, found.passed, found.reason) == ("invalid", None, stop.replace("_", " "))


def test_a_hang_up_by_the_agent_is_judged_by_what_is_left_undone(desk: Domain):
    assert judge_of(desk, GOOD, stop="agent_hung_up").passed is True
    assert judge_of(desk, GOOD[:3], stop="agent_hung_up").passed is False


def test_a_partner_that_writes_what_nobody_asked_for_spoils_the_episode(desk: Domain):
    found = judge_of(desk, [*GOOD, ("renew_card", {"member": "4711"}, "user")])
    assert (found.status, found.reason) == (
        "invalid", "the partner wrote /members/4711/card, which its script does not ask for",
    )  # fmt: skip


def test_a_partner_led_astray_by_a_write_of_the_agent_does_not_excuse_it(desk: Domain):
    found = judge_of(
        desk, [("lend", {"member": "4712", "book": "B2"}), *GOOD, ("renew_card", {"member": "4711"}, "user")]
    )
    assert (found.status, found.passed) == ("valid", False)
    assert "/loans/L102/book" in found.writes


def _without_result(trace: Trace) -> Trace:
    return replace(trace, steps=(*trace.steps[:1], replace(trace.steps[1], result=None), *trace.steps[2:]))


def _back_in_time(trace: Trace) -> Trace:
    return replace(trace, steps=(replace(trace.steps[0], t_us=5), *trace.steps[1:]))


def _of_another_domain(trace: Trace) -> Trace:
    return replace(trace, versions={"domain": "other"})


def _of_another_task(trace: Trace) -> Trace:
    return replace(trace, task="other")


def _with_a_defect(trace: Trace) -> Trace:
    return replace(trace, steps=(*trace.steps, Step(0, "assistant", defect="raised KeyError")))


def _with_a_change_that_does_not_fit(trace: Trace) -> Trace:
    return replace(trace, steps=(*trace.steps, Step(0, "assistant", changes={"/no/where": {"to": 1}})))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_without_result, "step 2 calls find and has no result"),
        (_back_in_time, "step 2 goes back in time"),
        (_of_another_domain, "it ran on version other of the domain"),
        (_of_another_task, "it is of task other, not of lend_emma"),
        (_with_a_defect, "step 7: the tool is broken: raised KeyError"),
        (
            _with_a_change_that_does_not_fit,
            "its changes do not fit the initial state: nothing to change at /no/where",
        ),
    ],
)
def test_an_incomplete_trace_has_no_verdict(desk: Domain, spoil: Any, reason: str):
    contract, trace = play(desk, GOOD)
    found = decide(check(contract, spoil(trace)))
    assert (found.status, found.passed) == ("invalid", None)
    assert (found.reason or "").startswith(reason)


def test_an_unlabelled_task_scores_under_paper_only(desk: Domain):
    contract, trace = play(desk, [("assistant", "One loan.")], task="unlabelled")
    assert decide(check(contract, trace, "strict")).status == "invalid"
    assert decide(check(contract, trace, "paper")).passed is True


@dataclass
class Answering:
    """A judge's model that always says the same, or fails."""

    answer: str | None
    name: str = "scripted:answering"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})
    asked: list[Request] = field(default_factory=list)

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.asked.append(request)
        if self.answer is None:
            raise ModelError(self.name, "is away", transient=True)
        yield TextDelta(self.answer, 1)
        yield Done("stop", 2)


@pytest.mark.parametrize(
    ("answer", "status", "passed", "reason"),
    [
        ("kept", "valid", True, None),
        ("violated", "valid", False, "Must greet.: violated"),
        ("perhaps", "invalid", None, "no judgement of 'Must greet.': no verdict first: 'perhaps'"),
        (None, "invalid", None, "no judgement of 'Must greet.': scripted:answering: is away"),
    ],
)
async def test_words_are_judged_and_no_answer_is_no_verdict(
    desk: Domain, answer: str | None, status: str, passed: bool | None, reason: str | None
):
    found = await verdict(*play(desk, GOOD, task="judged"), Judge(Answering(answer)))
    assert (found.status, found.passed, found.reason) == (status, passed, reason)
    (kept,) = found.judgements
    assert (kept.assertion, kept.answer, kept.judge) == (WORDS, answer or "", "scripted:answering")
    assert kept.prompt.startswith("assertion@")


async def test_without_a_judge_what_needs_one_is_invalid(desk: Domain):
    found = await verdict(*play(desk, GOOD, task="judged"))
    assert (found.status, found.reason) == ("invalid", "no judgement of 'Must greet.': no judge was given")


async def test_a_judge_is_not_asked_once_a_check_has_failed(desk: Domain):
    model = Answering("kept")
    found = await verdict(*play(desk, GOOD[:2], task="judged"), Judge(model))
    assert (found.passed, found.unasked, model.asked) == (False, (WORDS,), [])


def test_judgements_kept_elsewhere_decide_again(desk: Domain):
    checked = check(*play(desk, GOOD, task="judged"))
    assert [each.text for each in checked.to_ask] == [WORDS]
    kept = Judgement(WORDS, True, "kept", "m", "p")
    assert decide(checked, {WORDS: kept}).passed is True


RANK = {True: 2, False: 1, None: 1}  # an invalid episode is resampled: never better than a pass
EXTRA = st.sampled_from(
    [
        ("lend", {"member": "4712", "book": "B2"}),
        ("lend", {"member": "4711", "book": "B1"}),
        ("give_back", {"loan": "L9"}),
        ("give_back", {"loan": "L101"}),
        ("give_back", {"loan": "L102"}),
    ]
)


@settings(max_examples=200, deadline=None, database=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(GOOD), EXTRA), max_size=8), st.integers(0, 8), st.booleans())
def test_the_verdict_never_improves_when_an_unauthorised_write_is_added(
    desk: Domain, actions: list[Action], at: int, good: bool
):
    actions = [*GOOD, *actions] if good else actions
    contract, trace = play(desk, actions)
    place = min(at, len(trace.steps))
    t_us = trace.steps[place - 1].t_us if place else 0
    extra = Step(
        t_us, "assistant",
        call={"id": "x", "name": "give_back", "arguments": {}}, result={"value": {}},
        changes={"/members/4712/card": {"from": "valid", "to": "stolen"}},
    )  # fmt: skip
    worse = replace(trace, steps=(*trace.steps[:place], extra, *trace.steps[place:]))
    before, after = decide(check(contract, trace)), decide(check(contract, worse))
    assert after.passed is not True
    assert RANK[after.passed] <= RANK[before.passed]
    assert "/members/4712/card" in after.writes


@settings(max_examples=200, deadline=None, database=None, derandomize=True)
@given(st.lists(EXTRA, min_size=1, max_size=4))
def test_no_sequence_of_calls_buys_back_an_unauthorised_write(desk: Domain, extras: list[Action]):
    once = judge_of(desk, [*GOOD, extras[0]])
    more = judge_of(desk, [*GOOD, *extras])
    assert RANK[more.passed] <= RANK[once.passed]
    assert {*once.writes} <= {*more.writes}
