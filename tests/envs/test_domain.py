from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from antiphon.envs.domain import folder_of, open_domain, own_domains, read_domain
from antiphon.envs.tools import Tool
from antiphon.errors import ConfigError, DomainError
from antiphon.messages import ToolSpec
from tests.envs.desk import DB, LEND, RULES, TOOLS, open_desk, write


def test_a_domain_is_read_from_its_folder(tmp_path: Path):
    domain = open_desk(tmp_path)
    assert (domain.name, domain.rules) == ("desk", RULES.strip())
    assert [*domain.tools] == ["find", "lend", "give_back"]
    assert [*domain.partner_tools] == ["renew_card"]
    assert domain.dbs == {"main.json": DB}
    assert domain.initial(domain.task("lend_emma")) is domain.dbs["main.json"]
    assert domain.files == {"lend_emma": "tasks/all.json", "refuse_second": "tasks/all.json"}
    assert domain.settings.audit == ("/log",)


def test_a_task_may_bring_its_own_initial_state(tmp_path: Path):
    inline = {**DB, "current_date": "2027-01-01"}
    domain = open_desk(tmp_path, LEND | {"db": inline})
    assert domain.initial(domain.tasks[0]) == inline


def test_the_version_is_of_everything_but_the_tasks(tmp_path: Path):
    first = open_desk(tmp_path / "1").version
    assert open_desk(tmp_path / "2", LEND).version == first
    assert open_desk(tmp_path / "3", rules_md=f"{RULES}\nMore.").version != first
    assert open_desk(tmp_path / "4", tools_py=f"{TOOLS}\n").version != first


def test_two_versions_of_a_tool_do_not_mix(tmp_path: Path):
    one = open_desk(tmp_path / "1")
    other = open_desk(tmp_path / "2", tools_py=TOOLS.replace("Find books by title.", "Search."))
    descriptions = [each.tools["find"].spec.description for each in (one, other)]
    assert descriptions == ["Find books by title.", "Search."]


def test_every_problem_of_the_files_is_collected(tmp_path: Path):
    home = write(tmp_path, rules_md=" ", tools_py="def f(:", dbs__main_json="[]", domain_toml="x")
    domain, problems = read_domain(home)
    assert domain is None
    assert [Path(problem.path).name for problem in problems] == [
        "domain.toml",
        "rules.md",
        "main.json",
        "tools.py",
    ]


def test_a_domain_that_is_broken_does_not_open(tmp_path: Path):
    home = write(tmp_path, rules_md=" ", dbs__main_json="[]")
    with pytest.raises(DomainError, match=r"rules\.md: is empty; .* \(1 more: antiphon envs check"):
        open_domain(str(home))


def test_a_name_that_is_none_lists_those_there_are():
    with pytest.raises(ConfigError, match=r"no domain 'nowhere'; there are: .*flight_search_desk"):
        folder_of("nowhere")
    assert "flight_search_desk" in own_domains()


def test_a_task_or_database_that_is_none_lists_those_there_are(tmp_path: Path):
    domain = open_desk(tmp_path, LEND | {"db": "@dbs/other.json"})
    with pytest.raises(DomainError, match=r"no database '@dbs/other.json'; there are: @dbs/main\.json"):
        domain.initial(domain.tasks[0])
    with pytest.raises(ConfigError, match="no task of desk 'x'; there are: lend_emma"):
        domain.task("x")


def test_tools_may_be_made_elsewhere_and_nothing_of_the_domain_then_runs_here(tmp_path: Path):
    home = write(tmp_path, tools_py="raise SystemExit(1)", predicates_py="raise SystemExit(1)")
    tool = Tool(ToolSpec("far", "Far away.", {}), lambda db: {"ok": True}, dict)
    asked: list[str] = []

    def read(path: Path, behaviour: Mapping[str, object]) -> dict[str, Tool]:
        asked.append(f"{path.name} {dict(behaviour)}")
        if path.name == "partner_tools.py":
            raise DomainError("the sandbox refuses it")
        return {"far": tool}

    domain, problems = read_domain(home, read)
    assert asked == ["tools.py {}", "partner_tools.py {}"]
    assert domain is None
    assert [str(problem).removeprefix(f"{home}/") for problem in problems] == [
        "partner_tools.py: the sandbox refuses it",
        "predicates.py: would run in this process; a domain whose tools run elsewhere has none of its own",
    ]
