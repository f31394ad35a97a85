from __future__ import annotations

from antiphon.envs.decisions import Decision, Proposal, decisions
from antiphon.messages import ToolCall
from antiphon.trace import Step, Trace
from tests.envs.stories import agent, did, partner

STEPS = (
    partner("Emma?"),
    agent("Let me look."),
    did("find", title="Emma"),
    did("find", title="E"),
    agent("Yes."),
    partner("Bye."),
)
CALLS = (ToolCall("c", "find", {"title": "Emma"}), ToolCall("c", "find", {"title": "E"}))


def trace(steps: tuple[Step, ...] = STEPS, *begins: int) -> Trace:
    meta = {"replies": [{"step": each} for each in begins]} if begins else {}
    return Trace("t", 0, 0, "s", "p", steps, "partner_hung_up", {}, meta=meta)


def test_the_replies_that_a_rollout_noted_are_the_decisions():
    assert decisions(trace(STEPS, 1, 4)) == (
        Decision(1, 4, Proposal("Let me look.", CALLS)),
        Decision(4, 5, Proposal("Yes.")),
    )


def test_without_notes_words_go_with_the_call_after_them():
    assert decisions(trace()) == (
        Decision(1, 3, Proposal("Let me look.", CALLS[:1])),
        Decision(3, 4, Proposal("", CALLS[1:])),
        Decision(4, 5, Proposal("Yes.")),
    )


def test_a_reply_that_left_no_step_is_none():
    assert [each.begin for each in decisions(trace(STEPS, 1, 4, 5, 6))] == [1, 4]


def test_the_partners_calls_are_no_decisions():
    steps = (agent("Please renew."), did("renew_card", role="user"), partner("Done."))
    assert decisions(trace(steps)) == (Decision(0, 1, Proposal("Please renew.")),)
    assert decisions(trace(steps, 0)) == (Decision(0, 1, Proposal("Please renew.")),)
