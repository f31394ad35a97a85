from __future__ import annotations

from typing import Any

import pytest

from antiphon.envs.predicates import BUILT_IN, of_tools
from antiphon.trace import Step
from tests.envs.stories import agent, did, partner, story

FIND, LEND = did("find", title="Emma"), did("lend", member="4711", book="B1")
READ, YES, NO = agent("You want Emma?"), partner("Yes, please."), partner("No, Dune.")

FARES = [[["Monday"], ["560"]], [["Tuesday"], ["540"]]]

HOLDS: list[tuple[str, dict[str, Any], list[Step]]] = [
    ("called", {"tool": "lend", "arguments": {"book": "B1"}}, [LEND]),
    ("not_called", {"tool": "lend"}, [FIND]),
    ("not_called", {"tool": "lend", "arguments": {"book": "B2"}}, [LEND]),
    ("called_before", {"tool": "find", "before": "lend"}, [FIND, LEND]),
    ("called_before", {"tool": "find", "before": "lend"}, []),
    ("says", {"forms": [["loan", "L1"], ["one week"]]}, [agent("L1"), agent("for one week")]),
    ("says", {"forms": [["L1"]], "after": "lend"}, [LEND, agent("It is L1.")]),
    ("never_says", {"forms": ["done"]}, [partner("done?"), agent("not yet")]),
    ("never_says", {"forms": ["done"], "before": "lend"}, [LEND, agent("done")]),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, YES, LEND]),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, NO, READ, partner("对"), LEND]),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, partner("没错，可以"), FIND, LEND]),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, []),
    ("confirmed_before", {"tool": "lend", "forms": [["Dune"]], "arguments": {"book": "B2"}}, [LEND]),
    ("never_mixes", {"things": FARES}, [agent("Monday is 560, Tuesday 540.")]),
    ("never_mixes", {"things": FARES}, [agent("Monday and Tuesday, for 560 and 540.")]),
    (
        "never_mixes",
        {"things": FARES},
        [agent("On Tuesday it's 540 instead of 560."), partner("Monday is 540?")],
    ),
    (
        "never_mixes",
        {"things": FARES},
        [agent("Monday or Tuesday? Tuesday is 540. 560 on Monday; 540 the other day.")],
    ),
    ("asked", {"forms": ["your number"]}, [agent("What is your number?")]),
    ("asked", {"forms": ["哪个机场"]}, [agent("请问是哪个机场？")]),
]
VIOLATED: list[tuple[str, dict[str, Any], list[Step], str]] = [
    ("called", {"tool": "lend"}, [did("lend", error="no")], "lend was never called with success"),
    ("called", {"tool": "lend", "arguments": {"book": "B2"}}, [LEND], "lend was never called with success with {'book': 'B2'}"),
    ("not_called", {"tool": "lend"}, [did("lend", error="no")], "step 1 calls lend"),
    ("called_before", {"tool": "find", "before": "lend"}, [LEND, FIND], "step 1 calls lend before find"),
    ("called_before", {"tool": "find", "before": "lend"}, [did("find", error="x"), LEND], "step 2 calls lend before find"),
    ("says", {"forms": [["L1"], ["week"]]}, [agent("L1"), partner("week")], "the agent never says week"),
    ("says", {"forms": [["L1"]], "after": "lend"}, [agent("L1"), LEND], "the agent never says L1 after lend"),
    ("never_says", {"forms": ["done"], "before": "lend"}, [agent("It's done!"), LEND], "step 1 says 'done' before lend"),
    ("never_mixes", {"things": FARES}, [agent("Monday is 540, Tuesday 560.")], "step 1 mixes up 540"),
    ("never_mixes", {"things": FARES}, [agent("Monday is 540.")], "step 1 mixes up 540"),
    ("never_mixes", {"things": FARES}, [agent("540 on Monday and 560 on Tuesday.")], "step 1 mixes up 540"),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [LEND], "step 1 calls lend without Emma read back and agreed to"),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, NO, LEND], "step 3 calls lend without Emma read back and agreed to"),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, LEND, YES], "step 2 calls lend without Emma read back and agreed to"),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, YES, LEND, LEND], "step 4 calls lend without Emma read back and agreed to"),
    ("confirmed_before", {"tool": "lend", "forms": [["Emma"]]}, [READ, partner("不对"), LEND], "step 3 calls lend without Emma read back and agreed to"),
    ("asked", {"forms": ["your number"]}, [agent("I know your number.")], "the agent never asks for your number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "steps"), HOLDS)
def test_what_holds_is_not_recorded(name: str, arguments: dict[str, Any], steps: list[Step]):
    assert BUILT_IN[name](story(*steps), **arguments) is None


@pytest.mark.parametrize(("name", "arguments", "steps", "why"), VIOLATED)
def test_a_violation_says_where_and_what(name: str, arguments: dict[str, Any], steps: list[Step], why: str):
    assert BUILT_IN[name](story(*steps), **arguments) == why


def test_each_predicate_has_an_example_that_holds_and_one_that_does_not():
    assert {name for name, *_ in HOLDS} == {name for name, *_ in VIOLATED} == {*BUILT_IN}


def test_the_tools_that_a_predicate_is_about_are_known():
    assert of_tools({"tool": "find", "before": "lend", "forms": [["x"]], "after": ""}) == ["find", "lend"]
