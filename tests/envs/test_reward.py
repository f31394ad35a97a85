from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antiphon.envs.domain import Domain
from antiphon.envs.reward import Reward, judge_replies, outcome_reward, partial_reward, prefix_id, rewards_of
from antiphon.envs.terms import terms_of
from antiphon.envs.verdict import Verdict, check, decide
from antiphon.judge.judge import Judge
from antiphon.messages import Kind
from antiphon.models.ports import Chunk, Done, Request, TextDelta
from antiphon.trace import StopReason, Trace
from tests.envs.desk import open_desk
from tests.envs.lending import CLAIM, EXTRA, FAILS, GOOD, Action, play


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return open_desk(tmp_path_factory.mktemp("desk"))


def judged(desk: Domain, trace: Trace) -> Verdict:
    return decide(check(terms_of(desk, desk.task(trace.task)).contract, trace))


def outcome(desk: Domain, actions: list[Action], stop: StopReason = "partner_hung_up") -> Reward:
    trace = play(desk, actions, stop=stop)
    return outcome_reward(terms_of(desk, desk.task("lend_emma")), trace, judged(desk, trace))


def test_a_passed_episode_returns_one_and_a_failed_one_nothing(desk: Domain):
    good = outcome(desk, GOOD)
    assert (good.level, good.value, good.reason, good.begin, good.end) == ("dialogue", 1.0, None, 0, 6)
    assert good.evidence == {
        "stop": "partner_hung_up",
        "passed": True,
        "milestones": {"reached": [1, 4], "of": 2},
    }
    bad = outcome(desk, GOOD[:5])
    assert (bad.value, bad.reason) == (0.0, "Must tell the loan.: the agent never says L101 after lend")
    assert bad.group == good.group


def test_a_premature_claim_costs_a_passed_episode_its_return(desk: Domain):
    found = outcome(desk, [GOOD[0], CLAIM, *GOOD[1:]])
    assert (found.value, found.evidence["passed"]) == (0.0, True)
    assert found.reason == 'step 2 says "i\'ve lent you emma." before it is true'


def test_an_invalid_episode_has_no_reward_and_no_turns(desk: Domain):
    trace = play(desk, GOOD, stop="infrastructure")
    terms = terms_of(desk, desk.task("lend_emma"))
    found = list(rewards_of(terms, trace, judged(desk, trace)))
    assert [(each.value, each.reason) for each in found] == [(None, "infrastructure")]


def test_one_trace_gives_its_outcome_and_every_turn(desk: Domain):
    trace = play(desk, GOOD)
    terms = terms_of(desk, desk.task("lend_emma"))
    found = list(rewards_of(terms, trace, judged(desk, trace)))
    assert [(each.level, each.begin, each.end, each.value) for each in found] == [
        ("dialogue", 0, 6, 1.0), ("turn", 1, 2, 1.0), ("turn", 2, 3, 1.0), ("turn", 4, 5, 1.0), ("turn", 5, 6, 1.0),
    ]  # fmt: skip
    assert len({each.group for each in found}) == 5
    assert [each.level for each in rewards_of(terms, trace, judged(desk, trace), ["dialogue"])] == [
        "dialogue"
    ]


def test_equal_prefixes_share_a_group_whatever_their_times(desk: Domain):
    one, other = play(desk, GOOD).steps, tuple(replace(step, t_us=7) for step in play(desk, GOOD).steps)
    assert prefix_id(one[:3]) == prefix_id(other[:3])
    assert prefix_id(one[:3]) != prefix_id(one[:4])


def test_a_continuation_is_rewarded_at_the_milestone_from_there_on(desk: Domain):
    moment = {"id": "abc", "step": 2, "milestone": 1, "trial": 0}
    trace = replace(play(desk, GOOD), meta={"moment": moment})
    terms = terms_of(desk, desk.task("lend_emma"))
    found = list(rewards_of(terms, trace, judged(desk, trace)))
    assert (found[0].level, found[0].group, found[0].begin) == ("milestone", f"{terms.group}#abc", 2)
    assert [each.begin for each in found[1:]] == [2, 4, 5]


def test_a_cut_off_episode_waits_for_its_deadlines(desk: Domain):
    terms = terms_of(desk, desk.task("lend_emma"))
    trace = play(desk, GOOD)
    part = partial_reward(terms, trace, 2, 5)
    assert (part.value, part.reason) == (None, "waits for: nothing else is written")
    assert part.parts == {"earned": 0.75}
    assert part.evidence["satisfied"] == [
        "/loans/L101/member is '4711'", "/loans/L101/book is 'B1'", "/loans/L101/weeks is 1", "Must find before lending.",
    ]  # fmt: skip
    assert partial_reward(terms, trace, 2, 6).value == 1.0
    broken = play(desk, [*GOOD[:2], EXTRA, *GOOD[2:]])
    assert partial_reward(terms, broken, 2, 3).value == 0.0


class Says:
    name = "scripted:judge"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        yield TextDelta("Clear. [3]" if "says:\nYour loan" in request.messages[0].text else "Hm.", 1)
        yield Done("stop", 2)


async def test_replies_are_judged_and_a_missing_judgement_is_no_zero(desk: Domain):
    terms = terms_of(desk, desk.task("lend_emma"))
    trace = play(desk, GOOD)
    answers = await judge_replies(terms, trace, Judge(Says()))
    assert {step: answer.value for step, answer in answers.items()} == {2: None, 5: 3.0}
    found = list(rewards_of(terms, trace, judged(desk, trace), ["turn"], answers))
    assert [each.value for each in found] == [1.0, None, 1.0, 0.75]
    assert found[3].parts == {"choice": 1.0, "reply": 0.5}


MOVES: list[Action] = [*GOOD, ("find", {"title": "E"}), ("assistant", "Hello."), ("user", "No.")]
STOPS: list[StopReason] = ["partner_hung_up", "agent_hung_up", "turn_limit"]


@settings(max_examples=60, deadline=None)
@given(
    actions=st.one_of(st.just(GOOD), st.lists(st.sampled_from(MOVES), max_size=8)), at=st.integers(0, 8),
    which=st.sampled_from([EXTRA, FAILS, CLAIM]), stop=st.sampled_from(STOPS),
)  # fmt: skip
def test_a_return_never_improves_by_an_unauthorised_write_a_failed_call_or_a_premature_claim(
    desk: Domain, actions: list[Action], at: int, which: Action, stop: StopReason
):
    at = min(at, len(actions))
    assume(which is not CLAIM or all(each[0] != "lend" for each in actions[:at]))
    plain = outcome(desk, actions, stop).value
    worse = outcome(desk, [*actions[:at], which, *actions[at:]], stop).value
    assert plain is not None
    assert worse is not None
    assert worse <= plain
    if which is not FAILS:
        assert worse == 0.0
