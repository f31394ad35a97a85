from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from antiphon.envs.domain import Domain, open_domain
from antiphon.envs.plan import FLAWS, Do, Flaw, Say, facts_needed, flaw_applies, plan, script_tools
from antiphon.envs.task import ReferenceCall, Task
from antiphon.errors import DomainError
from antiphon.partner.script import Act
from tests.envs.desk import LEND, REFUSE, open_desk

FIND = Do("find", {"title": "Emma"})
LENT = Do("lend", {"member": "4711", "book": "B1"})
OTHER = LEND | {
    "task_id": "lend_dune",
    "reference_tool_calls": [{"tool": "lend", "arguments": {"member": "4712", "book": "B2"}}],
    "expected_db": {"loans": {"L101": {"member": "4712"}}},
    "assertions": [],
}


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return open_desk(tmp_path, LEND, REFUSE, OTHER)


def test_the_reference_is_played_with_the_words_that_its_assertions_ask_for(domain: Domain):
    assert plan(domain, domain.task("lend_emma")) == (FIND, Say("Emma?"), LENT, Say("L101."))
    assert plan(domain, domain.task("refuse_second")) == (FIND, Say("one loan."))


@pytest.mark.parametrize(
    ("flaw", "moves"),
    [
        ("wrong_argument", (FIND, Say("Emma?"), Do("lend", {"member": "4712", "book": "B1"}), Say("L101."))),
        ("missing_write", (FIND, Say("That is all I can say."))),
        ("extra_write", (FIND, Say("Emma?"), LENT, Do("lend", LENT.arguments), Say("L101."))),
        ("claims_success", (FIND, Say("L101."))),
        ("refuses_allowed", (Say("I'm sorry, that cannot be done here."),)),
        ("hangs_up", (Do("end_call", {}),)),
    ],
)
def test_each_flaw_spoils_one_thing(domain: Domain, flaw: Flaw, moves: tuple[Say | Do, ...]):
    assert plan(domain, domain.task("lend_emma"), flaw) == moves


def test_a_flaw_that_a_task_does_not_allow_leaves_the_reference_as_it_is(domain: Domain):
    task = domain.task("refuse_second")
    allowed = [flaw for flaw in FLAWS if flaw_applies(domain, task, flaw)]
    assert allowed == ["extra_write", "hangs_up"]
    assert plan(domain, task, "missing_write") == plan(domain, task)
    assert [flaw for flaw in FLAWS if flaw_applies(domain, domain.task("lend_emma"), flaw)] == list(FLAWS)


def test_a_word_that_ends_the_script_is_said_where_no_assertion_asks_for_it(domain: Domain):
    task = _with(domain.task("lend_dune"), done=("never", "lent"))
    quiet = msgspec.structs.replace(
        task,
        assertions=({"text": "…", "predicate": "never_says", "arguments": {"forms": ["never"]}},),
    )
    checked = msgspec.convert(msgspec.to_builtins(quiet), Task)
    assert plan(domain, checked)[-1] == Say("lent.")
    assert plan(domain, task)[-1] == Say("never.")


def _with(task: Task, **script: object) -> Task:
    assert task.script is not None
    return msgspec.structs.replace(task, script=msgspec.structs.replace(task.script, **script))


def test_the_facts_that_calls_need_are_those_it_asks_for(domain: Domain):
    assert [fact.name for fact in facts_needed(domain.task("lend_emma"))] == ["member"]
    assert [fact.name for fact in facts_needed(domain.task("lend_dune"))] == []
    assert list(facts_needed(domain.task("refuse_second"))) == []


def test_a_partner_uses_the_tools_that_the_reference_asks_it_to_use(domain: Domain):
    task = domain.task("lend_emma")
    renew = ReferenceCall("renew_card", {"member": "4711"}, requestor="user")
    with_tool = msgspec.structs.replace(task, reference_tool_calls=(renew, *task.reference_tool_calls))
    assert script_tools(task) == task.script
    assert script_tools(with_tool).acts == (
        Act("renew_card", ("renew card",), "All right, I have done that.", {"member": "4711"}),
    )
    assert plan(domain, with_tool)[0] == Say("renew card.")
    own = _with(with_tool, acts=(Act("renew_card", ("your card",), "Done."),))
    assert script_tools(own) == own.script
    assert plan(domain, own)[0] == Say("your card.")
    with pytest.raises(DomainError, match="refuse_second has no script"):
        script_tools(domain.task("refuse_second"))


def test_the_flight_desk_can_be_spoilt_in_every_way():
    desk = open_domain("flight_search_desk")
    writes = [task for task in desk.tasks if task.expected_outcome == "write"]
    assert len(writes) == 12
    assert all(flaw_applies(desk, task, flaw) for task in writes for flaw in FLAWS)
