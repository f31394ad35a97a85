from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import Domain, open_domain, own_domains
from antiphon.envs.plan import FLAWS, Flaw, flaw_applies, script_tools
from antiphon.envs.reference import ReferenceChat, flaw_of, heard
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.envs.task import Task
from antiphon.envs.verdict import check, decide
from antiphon.errors import ConfigError
from antiphon.messages import Message, says
from antiphon.models.ports import Reply, Request, collect, is_scripted
from antiphon.partner.script import Fact
from antiphon.partner.user import ScriptedPartner
from antiphon.text.mentions import fold
from antiphon.trace import Trace
from tests.envs.desk import open_desk

DESK = open_domain("flight_search_desk")


async def rolled(domain: Domain, task: Task, flaw: Flaw | None) -> Trace:
    return await roll_out(
        domain, task, ReferenceChat(domain, task, flaw), ScriptedPartner(script_tools(task), task.language),
        RolloutSettings(), seed=0, trial=0, clock=VirtualClock(),
    )  # fmt: skip


@pytest.mark.parametrize("flaw", [None, *FLAWS])
@pytest.mark.parametrize("name", own_domains())
async def test_the_reference_passes_and_each_flaw_fails_wherever_it_applies(name: str, flaw: Flaw | None):
    domain = open_domain(name)
    wrong: list[str] = []
    for task in domain.tasks:
        trace = await rolled(domain, task, flaw)
        verdict = decide(check(contract_of(domain, task), trace))
        spoilt = flaw is not None and flaw_applies(domain, task, flaw)
        if verdict.passed is not (not spoilt):
            wrong.append(f"{task.task_id}: {verdict.passed}, {verdict.reason}")
    assert wrong == []


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        ("wrong_argument", "terminal state: /holds/HD482902/user_id must be 'U70001', and is 'U70007'"),
        ("missing_write", "terminal state: /holds/HD482902 must be {"),
        ("extra_write", "unauthorised write: /holds/HD482903/amount"),
        ("claims_success", "terminal state: /holds/HD482902 must be {"),
        ("refuses_allowed", "terminal state: /holds/HD482902 must be {"),
        ("hangs_up", "terminal state: /holds/HD482902 must be {"),
    ],
)
async def test_a_flaw_is_named_by_what_it_breaks(flaw: Flaw, reason: str):
    task = DESK.task("write_hold_flex_basic")
    trace = await rolled(DESK, task, flaw)
    verdict = decide(check(contract_of(DESK, task), trace))
    assert (verdict.reason or "").startswith(reason)
    assert trace.stop == ("agent_hung_up" if flaw == "hangs_up" else "partner_hung_up")
    assert trace.system == f"scripted:reference?flaw={flaw}"
    assert is_scripted(trace.system)


async def ask(domain: Domain, *dialogue: str) -> Reply:
    chat = ReferenceChat(domain, domain.task("lend_emma"))
    told: list[Message] = [says("system", "…")]
    told += [says("user" if at % 2 == 0 else "assistant", line) for at, line in enumerate(dialogue)]
    return await collect(chat, Request(tuple(told)))


async def test_it_asks_for_what_it_has_not_heard_and_gives_up_after_three_times(tmp_path: Path):
    desk = open_desk(tmp_path)
    question = "May I ask: number?"
    assert (await ask(desk, "Emma, please.")).text == question
    assert (await ask(desk, "I am 4711.")).tool_calls[0].name == "find"
    assert (await ask(desk, "Emma.", question, "4711.")).tool_calls[0].name == "find"
    deaf = ["Emma.", question, "47 12.", question, "Four.", question, "Hm."]
    last = await ask(desk, *deaf)
    assert last.text == "I'm sorry, I cannot help you without that."
    assert (await ask(desk, *deaf, last.text, "Why?")).text == last.text
    assert (await ask(desk, *deaf, last.text, "4711!")).tool_calls[0].name == "find"


@pytest.mark.parametrize(
    ("words", "there"),
    [
        ("on S K 28 59, please", True),
        ("flight SK-2859", True),
        ("flight SK 2895", False),
        ("to Tokyo, Narita.", False),
    ],
)
def test_letters_and_digits_are_heard_however_they_are_cut_apart(words: str, there: bool):
    assert heard(Fact("flight", "SK2859", "SK2859"), fold(words)) is there


def test_a_name_is_heard_with_a_comma_in_it():
    assert heard(Fact("to", "NRT", "Tokyo Narita"), fold("To Tokyo, Narita."))


def test_a_uri_names_one_of_the_flaws():
    assert flaw_of("reference:") is None
    assert flaw_of("reference:?flaw=hangs_up") == "hangs_up"
    with pytest.raises(ConfigError, match="no flaw 'lazy'; there are: claims_success, "):
        flaw_of("reference:?flaw=lazy")
    with pytest.raises(ConfigError, match="takes no path"):
        flaw_of("reference:task")
