from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.contract import replay
from antiphon.envs.knowledge import leaks, missing, spoken
from tests.envs.desk import LEND, TOOLS, open_desk

SCRIPT: dict[str, Any] = LEND["script"]


def test_everything_a_partner_says_is_looked_at_and_what_it_listens_for_is_not(tmp_path: Path):
    script = SCRIPT | {
        "insists": ["one"],
        "more": ["two"],
        "done": ["L101"],
        "agrees": "yes",
        "corrects": "no, {say}",
    }
    domain = open_desk(tmp_path, LEND | {"script": script})
    assert [*spoken(domain.tasks[0])] == [
        ("user_system_prompt", LEND["user_system_prompt"]),
        ("script.opening", "Emma, please."),
        ("script.agrees", "yes"),
        ("script.corrects", "no, {say}"),
        ("script.goodbye", "Bye."),
        ("script.insists[0]", "one"),
        ("script.more[0]", "two"),
        ("script.facts[0]", "4711 4711"),
    ]
    assert [*leaks(domain, domain.tasks[0], replay(domain, domain.tasks[0]))] == []


@pytest.mark.parametrize(
    ("value", "say", "forms", "told"),
    [
        ("2026-08-20", "August 20", [], "I fly on August 20."),
        ("4155551234", "my number", [], "Call 415 555 1234."),
        ("B1", "the red one", ["Emma"], "I want emma."),
    ],
)
def test_a_fact_is_told_as_it_is_said_by_value_or_in_another_form(
    tmp_path: Path, value: str, say: str, forms: list[str], told: str
):
    fact = {"name": "it", "value": value, "say": say, "forms": forms}
    domain = open_desk(
        tmp_path,
        LEND
        | {
            "user_system_prompt": f"{LEND['user_system_prompt']} {told}",
            "script": SCRIPT | {"facts": [fact]},
        },
    )
    assert [*missing(domain, domain.tasks[0], replay(domain, domain.tasks[0]))] == []


def test_an_argument_may_come_from_an_earlier_result_the_rules_or_the_choices(tmp_path: Path):
    steps = [
        {"tool": "find", "arguments": {"title": "Emma"}},
        {"tool": "lend", "arguments": {"member": "4711", "book": "B1", "weeks": 2}},
        {"tool": "give_back", "arguments": {"loan": "L101"}},
    ]
    domain = open_desk(tmp_path, LEND | {"reference_tool_calls": steps})
    assert [*missing(domain, domain.tasks[0], replay(domain, domain.tasks[0]))] == []
    without = open_desk(tmp_path / "2", LEND | {"reference_tool_calls": steps[1:]})
    assert [*missing(without, without.tasks[0], replay(without, without.tasks[0]))] == [
        (
            "reference_tool_calls[0].arguments.book",
            "'B1' is nothing that the partner says or an earlier call shows",
        )
    ]


def test_where_references_leave_out_look_ups_the_database_tells_too(tmp_path: Path):
    steps = [
        {"tool": "lend", "arguments": {"member": "4711", "book": "B1"}},
        {"tool": "give_back", "arguments": {"loan": "L77"}, "expect_error": False},
        {"tool": "find", "arguments": {"title": "a summary of the agent's own"}},
    ]
    toml = "partial_references = true\n"
    domain = open_desk(tmp_path, LEND | {"reference_tool_calls": steps}, domain_toml=toml)
    assert [*missing(domain, domain.tasks[0], replay(domain, domain.tasks[0]))] == [
        (
            "reference_tool_calls[1].arguments.loan",
            "'L77' is nothing that the partner says or an earlier call shows",
        )
    ]


def test_a_value_that_the_description_of_a_parameter_tells_is_known(tmp_path: Path):
    told = TOOLS.replace("title: part of the title", "title: part of the title, e.g. Emma")
    steps = [{"tool": "find", "arguments": {"title": "Emma"}}]
    unsaid = {
        "user_system_prompt": "You are Ada, member 4711.",
        "script": None,
        "reference_tool_calls": steps,
    }
    for number, (tools, problems) in enumerate(((told, 0), (TOOLS, 1))):
        domain = open_desk(tmp_path / str(number), LEND | unsaid, tools_py=tools)
        assert len([*missing(domain, domain.tasks[0], replay(domain, domain.tasks[0]))]) == problems


def test_a_partner_knows_the_names_of_its_own_tools(tmp_path: Path):
    told = {
        "user_system_prompt": f"{LEND['user_system_prompt']} Call renew_card when asked, never give_back."
    }
    domain = open_desk(tmp_path, LEND | told)
    assert [*leaks(domain, domain.tasks[0], replay(domain, domain.tasks[0]))] == [
        ("user_system_prompt", "'give_back' is a name of give_back; a partner must not know it")
    ]
