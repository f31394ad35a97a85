from __future__ import annotations

import pytest

from antiphon.envs.acknowledgement.rules import Rule, labels, rules_of
from antiphon.envs.acknowledgement.turns import ToolTurn
from antiphon.errors import ConfigError

TOOLS = ("search_flights", "place_hold", "list_holds")


def turn(number: int, of_request: int, tool: str, *, slow: bool = False) -> ToolTurn:
    return ToolTurn(number, number, of_request, (tool,), slow, "", "")


TURNS = (
    turn(1, 1, "search_flights", slow=True), turn(2, 2, "list_holds"), turn(3, 1, "place_hold"),
    turn(4, 2, "search_flights", slow=True),
)  # fmt: skip
R, D, O = "required", "disallowed", "optional"  # noqa: E741  three letters for a table


@pytest.mark.parametrize(
    ("english", "mandarin", "expected"),
    [
        ("Always acknowledge.", "每次调用前都要告知。", (R, R, R, R)),
        ("Never acknowledge.", "调用前不要告知。", (D, D, D, D)),
        ("Acknowledge if you like.", "调用前可以告知。", (O, O, O, O)),
        ("Acknowledge the first call.", "第一次调用前要告知。", (R, O, O, O)),
        ("Acknowledge only the first call.", "只在第一次调用前告知。", (R, D, D, D)),
        ("Acknowledge only the first call of each request.", "每个请求只在第一次调用前告知。", (R, D, R, D)),
        ("Acknowledge slow tools.", "慢的工具要告知。", (R, O, O, R)),
        ("Acknowledge only slow tools.", "只在慢的工具前告知。", (R, D, D, R)),
        ("Acknowledge place_hold.", "place_hold前要告知", (O, O, R, O)),
        (
            "Acknowledge only search_flights, place_hold.",
            "只在search_flights、place_hold前告知。",
            (R, D, R, R),
        ),
        ("Never acknowledge list_holds.", "list_holds前不要告知", (O, D, O, O)),
    ],
)
def test_a_rule_compiles_to_a_label_for_each_turn(english: str, mandarin: str, expected: tuple[str, ...]):
    assert labels(rules_of(english, TOOLS), TURNS) == expected
    assert labels(rules_of(mandarin, TOOLS), TURNS) == expected


def test_the_first_rule_that_covers_a_turn_decides():
    rules = (Rule("disallowed", tools=("list_holds",)), Rule("required", first=True, scope="request"))
    assert labels(rules, TURNS) == (R, D, R, O)
    assert labels((), TURNS) == (O, O, O, O)


@pytest.mark.parametrize("words", ["Say something.", "Acknowledge only pay_now.", "", "随便说"])
def test_a_sentence_that_is_no_rule_names_those_there_are(words: str):
    with pytest.raises(
        ConfigError, match=r"no rule .* never acknowledge; .*search_flights, place_hold, list_holds"
    ):
        rules_of(words, TOOLS)
