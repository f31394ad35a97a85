from __future__ import annotations

from antiphon.envs.domain import open_domain
from antiphon.envs.predicates import BUILT_IN
from tests.envs.stories import agent, did, story

DESK = open_domain("clinic_desk_zh")


def test_own_predicates_do_not_hide_built_in_ones():
    assert not {*DESK.predicates} & {*BUILT_IN}


def test_payment_is_looked_at_after_it_was_made():
    check = DESK.predicates["looked_after_partner"]
    arguments = {"tool": "list_appointments", "did": "pay_in_app"}
    looked, paid = did("list_appointments"), did("pay_in_app", role="user")
    assert check(story(looked, paid, looked), **arguments) is None
    missing = "list_appointments was not called after the partner did pay_in_app"
    assert check(story(looked, paid), **arguments) == missing
    assert check(story(looked), **arguments) == missing


def test_nothing_is_claimed_before_the_payment():
    check = DESK.predicates["never_says_before_partner"]
    arguments = {"forms": ["预约完成了"], "did": "pay_in_app"}
    paid = did("pay_in_app", role="user")
    assert check(story(agent("请缴费。"), paid, agent("预约完成了。")), **arguments) is None
    early = "step 1 says '预约完成了' before the partner did pay_in_app"
    assert check(story(agent("预约完成了。"), paid), **arguments) == early
    assert check(story(agent("预约完成了。")), **arguments) == early
