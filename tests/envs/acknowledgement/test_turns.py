from __future__ import annotations

from antiphon.envs.acknowledgement.turns import ToolTurn, tool_turns
from antiphon.messages import ToolSpec
from antiphon.trace import Trace
from tests.envs.stories import agent, did, partner

SPECS = {"find": ToolSpec("find", "", {}, slow=True), "lend": ToolSpec("lend", "", {})}


def test_turns_count_over_the_dialogue_and_since_the_partner_spoke():
    steps = (
        partner("Emma?"), agent("Let me look."), did("find"), did("lend"), agent("Done, and now?"),
        partner("More."), did("find"),
    )  # fmt: skip
    trace = Trace(
        "t", 0, 0, "s", "p", steps, "partner_hung_up", {}, meta={"replies": [{"step": s} for s in (1, 4, 6)]}
    )
    assert tool_turns(trace, SPECS) == (
        ToolTurn(1, 1, 1, ("find", "lend"), True, "Let me look.", "Emma?"),
        ToolTurn(6, 2, 1, ("find",), True, "", "More."),
    )


def test_several_turns_of_one_request():
    steps = (partner("Emma?"), did("lend"), did("find"))
    trace = Trace("t", 0, 0, "s", "p", steps, "partner_hung_up", {})
    assert [(turn.number, turn.of_request, turn.slow) for turn in tool_turns(trace, SPECS)] == [
        (1, 1, False),
        (2, 2, True),
    ]
