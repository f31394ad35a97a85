from __future__ import annotations

import pytest

from antiphon.messages import ToolCall, ToolResult, ToolSpec
from antiphon.realtime.settings import Settings
from antiphon.realtime.tools import Running, Tools, Verdict, refusal

PAY = ToolCall("c", "pay", {"euro": 5})
SETTINGS = Settings(
    tools=(
        ToolSpec("pay", "", {}),
        ToolSpec("look", "", {}),
        ToolSpec("wipe", "", {}),
        ToolSpec("fly", "", {}),
    ),
    permissions={"pay": "confirm", "wipe": "deny"},
    needs={"fly": "wings"},
)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("look", Verdict("tool", "permitted")),
        ("pay", Verdict("confirm", "'pay' needs the person's yes")),
        ("wipe", Verdict("refuse", "'wipe' is not permitted in this session")),
        ("fly", Verdict("refuse", "capability 'wings' is off")),
        ("sing", Verdict("refuse", "no tool 'sing'")),
    ],
)
def test_the_settings_decide_whether_a_call_runs(name: str, verdict: Verdict):
    assert Tools(SETTINGS).judge(ToolCall("c", name, {})) == verdict


def test_a_yes_counts_once_for_exactly_the_call_it_was_asked_for():
    tools = Tools(SETTINGS)
    tools.ask(PAY)
    tools.heard()
    tools.answered(yes=True)
    assert tools.judge(ToolCall("d", "pay", {"euro": 500})).kind == "confirm"
    assert tools.judge(ToolCall("e", "pay", {"euro": 5})).kind == "tool"
    assert tools.judge(ToolCall("f", "pay", {"euro": 5})).kind == "confirm"


def test_a_yes_before_the_question_was_heard_is_none():
    tools = Tools(SETTINGS)
    tools.ask(PAY)
    tools.answered(yes=True)
    assert tools.judge(PAY).kind == "confirm"


def test_a_no_withdraws_the_question():
    tools = Tools(SETTINGS)
    tools.ask(PAY)
    tools.heard()
    tools.answered(yes=False)
    tools.answered(yes=True)
    assert tools.judge(PAY).kind == "confirm"


def test_a_pressed_button_grants_the_call_it_stands_under():
    tools = Tools(SETTINGS)
    tools.ask(PAY)
    tools.pressed("another", granted=True)
    assert tools.judge(PAY).kind == "confirm"
    tools.pressed("c", granted=True)
    assert tools.judge(PAY).kind == "tool"


def test_an_interruption_ends_the_calls_that_ask_for_it_and_waiting_is_per_tool():
    tools = Tools(SETTINGS)
    fragile = Running(PAY, ToolSpec("pay", "", {}, cancel_on_interrupt=True, blocks_answer=False), 1, "r")
    solid = Running(PAY, ToolSpec("look", "", {}), 2, "r")
    tools.running = {"a": fragile, "b": solid}
    assert tools.interrupted() == [("a", fragile)]
    assert tools.blocks("r")
    tools.running = {"a": fragile}
    assert not tools.blocks("r")


def test_the_model_is_told_that_a_refused_call_was_not_done():
    assert refusal(PAY, Verdict("refuse", "no")) == ToolResult("c", error="not done: no")
    assert refusal(PAY, Verdict("confirm", "ask")).error == "not done: ask; ask, and call again after it"
