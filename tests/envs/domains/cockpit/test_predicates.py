from __future__ import annotations

from antiphon.envs.domain import open_domain
from antiphon.envs.predicates import BUILT_IN
from tests.envs.stories import agent, did, story

CAR = open_domain("cockpit")


def test_an_act_must_wait_for_what_the_partner_does():
    check = CAR.predicates["called_after_partner"]
    arguments = {"tool": "open_trunk", "did": "park_the_car"}
    parked, opened = did("park_the_car", role="user"), did("open_trunk", which="rear")
    assert check(story(parked, agent("Opening."), opened), **arguments) is None
    assert check(story(agent("No.")), **arguments) is None
    early = "calls open_trunk before the partner did park_the_car"
    assert check(story(opened, parked), **arguments) == f"step 1 {early}"
    assert (
        check(story(did("park_the_car", role="user", error="no"), opened), **arguments) == f"step 2 {early}"
    )
    assert not {*CAR.predicates} & {*BUILT_IN}
