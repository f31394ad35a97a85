"""EVA-Bench as domains: airline and ITSM records from a copy of its data, tools from the user's own checkout of EVA.

Source: EVA (MIT). Its data hold schemas only; the tools are plain functions `f(params, db, call_index)` of its
repository. Expected is the state that a record states (`expected_scenario_db`); whether its reference trace reaches
it is shown by replay, and each miss is named. Names are those of one language; places are spoken as EVA speaks them.
"""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import diff
from antiphon.envs.contract import unaudited
from antiphon.envs.importers.corpus import first_of, load
from antiphon.envs.importers.expect import expectation
from antiphon.envs.importers.folder import Content, Imported, write
from antiphon.envs.importers.foreign import CALLS, from_checkout
from antiphon.envs.importers.source import Function, Parameter, annotation, module_source, no_tools
from antiphon.errors import ConfigError, DataError, UnavailableError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

DOMAINS = ("airline", "itsm")
PACKAGES = ("eva", "eva.assistant", "eva.assistant.tools")
NO_CHECKOUT = "EVA's data hold the schemas of its tools, not the tools"
CLONE = "git clone https://github.com/ServiceNow/eva, and name it with --tools"
EXTRA = "pip install 'antiphon[eva]'"
LANGUAGE = "en"
AUDIT = ("/session", f"/{CALLS}")
_PLACE = re.compile(r"<LOC:([^>]+)>")
_OLD_ID = re.compile(r"Invalid (\w+) '([^']+)': must be")
# Lists whose order EVA does not compare.
_UNORDERED = {
    "standby_list", "notifications", "bookings", "system_accounts", "group_memberships", "asset_recoveries",
}  # fmt: skip


def import_eva(
    data: Path, out: Path, names: Sequence[str] = DOMAINS, checkout: Path | None = None
) -> list[Imported]:
    """Write EVA's domains from a copy of its data as `out/eva_NAME`. Without a checkout their replay is unavailable.

    Raises ConfigError for a folder without them, DataError for files that are not EVA's.
    """
    for name in names:
        if name not in DOMAINS:
            raise unknown("domain of EVA", name, DOMAINS)
    return [write(content_of(data, name, checkout), out, finish) for name in names]


def content_of(data: Path, name: str, checkout: Path | None) -> Content:
    """A domain of EVA before its traces are replayed."""
    agent = _agent(data, name)
    path = first_of(data, f"{name}_dataset.json")
    dbs = _scenarios(data, name)
    entries: list[Json] = []
    for at, record in enumerate(cast("list[Json]", load(path))):
        try:
            named = _spoken(record, record)
            file = f"{record['id']}.json"
            db = {key: value for key, value in _spoken(dbs[file], record).items() if key != "_current_date"}
            today = str(record["current_date_time"]).split()[0]
            dbs[file] = {"current_date": today, "_current_date": today, **db}
            entries.append(_entry(named, name, agent))
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                path, f"is no record of EVA ({type(error).__name__}: {error})", field=f"record {at + 1}"
            ) from None
    tools, why = _tools(name, agent, checkout, _passed(entries))
    if why:  # what a record expects is known without a replay
        for entry in entries:
            stated = cast("Json", entry["source"].pop("expected_scenario_db"))
            _expect(entry, dbs[f"{entry['task_id']}.json"], stated)
    rules = f"{agent['role']}\n\n{agent['instructions']}"
    return Content(f"eva_{name}", rules, dbs, tools, tuple(entries), AUDIT, unavailable=why)


def _agent(data: Path, name: str) -> Json:
    """The agent's rules and tool schemas."""
    try:
        import yaml
    except ImportError:
        raise UnavailableError("EVA's agents are written in YAML, and PyYAML is missing", EXTRA) from None
    path = next(
        (each for each in (data / f"{name}_agent.yaml", data.parent / "configs" / "agents" / f"{name}_agent.yaml") if each.is_file()),
        None,
    )  # fmt: skip
    if path is None:
        raise ConfigError(
            f"{data} has no {name}_agent.yaml; --data is the folder with EVA's datasets and agents"
        )
    try:
        agent = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise DataError(path, f"no YAML ({' '.join(str(error).split())})") from None
    if not isinstance(agent, dict) or not {"role", "instructions", "tools"} <= cast("Json", agent).keys():
        raise DataError(path, "an agent has role, instructions and tools")
    return cast("Json", agent)


def _scenarios(data: Path, name: str) -> dict[str, Json]:
    """The scenario databases, by file name: from the folder, or an archive of it."""
    folder = data / f"{name}_scenarios"
    if folder.is_dir():
        return {path.name: cast("Json", load(path)) for path in sorted(folder.glob("*.json"))}
    path = first_of(data, f"{name}_scenarios.tar")
    found: dict[str, Json] = {}
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            file = archive.extractfile(member) if member.name.endswith(".json") else None
            if file is not None:
                found[Path(member.name).name] = json.load(file)
    return found


def _spoken(value: Any, record: Json) -> Any:
    """A value with the names of the record's caller for their placeholders, as EVA resolves them for a language."""
    own, latin = record["culture_overrides"][LANGUAGE], record["romanized_culture_overrides"][LANGUAGE]
    pairs = [
        ("<FIRST_NAME_ROMANIZED>", latin["first_name"].lower()),
        ("<LAST_NAME_ROMANIZED>", latin["last_name"].lower()),
        ("<COMPANION_FIRST_NAME_ROMANIZED>", latin.get("companion", {}).get("first_name", "").lower()),
        ("<COMPANION_FIRST_NAME>", own.get("companion", {}).get("first_name", "")),
        ("<FIRST_NAME>", own["first_name"]),
        ("<LAST_NAME>", own["last_name"]),
        ("<PHONE>", own.get("phone", "")),
    ]
    text = json.dumps(value, ensure_ascii=False)
    for placeholder, name in pairs:
        if name:
            text = text.replace(placeholder, json.dumps(name, ensure_ascii=False)[1:-1])
    return json.loads(text)


def _entry(record: Json, name: str, agent: Json) -> Json:
    steps = list(_steps(record["ground_truth"]["expected_trace"]["trace"]))
    verifying = {each["name"] for each in agent["tools"] if each.get("tool_type") == "auth"}
    return {
        "task_id": record["id"],
        "db": f"@dbs/{record['id']}.json",
        "user_system_prompt": _PLACE.sub(r"\1", _prompt(record)),
        "expected_outcome": "unlabelled",
        "reference_tool_calls": steps,
        "assertions": [
            {
                "text": f"Agent must verify who calls, by {each['tool']}.",
                "predicate": "called",
                "arguments": {"tool": each["tool"], "arguments": each["arguments"]},
            }
            for each in steps
            if each["tool"] in verifying and not each["expect_error"]
        ],
        "tags": ["eva"],
        "source": {
            "corpus": "EVA-Bench", "domain": name, "id": record["id"], "language": LANGUAGE,
            "starting_utterances": record["starting_utterances"],
            "expected_scenario_db": record["ground_truth"]["expected_scenario_db"],
        },
    }  # fmt: skip


def _steps(trace: list[Json]) -> Iterator[Json]:
    """The calls of a reference trace; one that it records as failed must fail."""
    for at, event in enumerate(trace):
        if event["event_type"] == "tool_call":
            answer = trace[at + 1] if at + 1 < len(trace) else {}
            failed = (
                answer.get("event_type") == "tool_response" and answer["response"].get("status") == "error"
            )
            yield {"tool": event["tool_name"], "arguments": event["params"], "expect_error": failed}


def _prompt(record: Json) -> str:
    """What the caller is told: goal, decisions and facts, in the record's own words."""
    goal = record["user_goal"]
    lines = [str(record["user_config"]["user_persona"]), f"What you want: {goal['high_level_user_goal']}"]
    for head, content in goal["decision_tree"].items():
        told = "\n".join(f"- {each}" for each in content) if isinstance(content, list) else str(content)
        if told:
            lines.append(f"{head.replace('_', ' ').capitalize()}:\n{told}")
    facts = (
        f"- {key.replace('_', ' ')}: {_words(value)}" for key, value in goal["information_required"].items()
    )
    return "\n\n".join([*lines, "What you know:\n" + "\n".join(facts)])


def _words(value: Any) -> str:
    """A fact as it may be said: no name of the interface in it."""
    if isinstance(value, dict):
        parts = cast("Json", value).items()
        return ", ".join(f"{key.replace('_', ' ')} {_words(below)}" for key, below in parts)
    if isinstance(value, list):
        return "; ".join(map(_words, cast("list[Any]", value)))
    return value if isinstance(value, str) else json.dumps(value)


def _passed(entries: list[Json]) -> dict[tuple[str, str], set[str]]:
    """The JSON types that reference traces pass for a parameter: EVA's schemas say string where they pass numbers."""
    found: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        for step in entry["reference_tool_calls"]:
            for name, value in step["arguments"].items():
                kind = {bool: "boolean", int: "integer", float: "number"}.get(type(value))
                if kind is not None:
                    found.setdefault((step["tool"], name), set()).add(kind)
    return found


def _tools(
    name: str, agent: Json, checkout: Path | None, passed: dict[tuple[str, str], set[str]]
) -> tuple[str, str]:
    """The tools.py, and why its tools are unavailable, or ""."""
    module = f"{PACKAGES[-1]}.{name}_tools"
    try:
        if checkout is None:
            raise UnavailableError(NO_CHECKOUT, CLONE)
        place = str(checkout.resolve())
        from_checkout(place, PACKAGES, module, EXTRA)
    except UnavailableError as error:
        return no_tools(error), str(error)
    source = module_source(
        f"Tools of EVA's {name} agent, from a checkout of EVA; written by `antiphon envs import eva`.",
        (
            "from antiphon.envs.importers.foreign import ask_counted as _ask",
            "from antiphon.envs.importers.foreign import from_checkout as _from_checkout",
            "",
            f"_theirs = _from_checkout({place!r}, {PACKAGES!r}, {module!r}, {EXTRA!r})",
        ),
        (_function(each, passed) for each in agent["tools"]),
    )
    return source, ""


def _function(tool: Json, passed: dict[tuple[str, str], set[str]]) -> Function:
    name = str(tool["name"])
    parameters = tuple(
        Parameter(str(each["name"]), _takes(each, passed.get((name, each["name"]), ())), str(each.get("description", "")), required)
        for part, required in (("required_parameters", True), ("optional_parameters", False))
        for each in tool.get(part) or ()
    )  # fmt: skip
    given = ", ".join(["db", *(f"{each.name}={each.name}" for each in parameters)])
    return Function(name, str(tool["description"]), parameters, f"_ask(_theirs.{name}, {given})")


def _takes(schema: Json, passed: Iterable[str]) -> str:
    """The annotation of a parameter, widened by what the reference traces pass."""
    also = [{"type": each} for each in sorted(passed) if schema.get("type") not in (each, "float")]
    return annotation({"anyOf": [schema, *also]})


def finish(domain: Domain, task: Task, played: Replay, entry: Json) -> str | None:
    """Give a task the state that its record expects, and say why its trace misses that, if it does."""
    stated = cast("Json", _alike(entry["source"].pop("expected_scenario_db"), played.final))
    goal = _expect(entry, domain.initial(task), stated)
    beyond = sorted(unaudited(diff(goal, played.final), domain.settings.audit))
    return _why(task, played, beyond) if beyond else None


def _expect(entry: Json, initial: Json, stated: Json) -> Json:
    """Write the stated state into an entry; returns it whole. Who is verified is asked by assertions instead."""
    own = ("session", "current_date", "_current_date")
    goal = {
        **{key: value for key, value in stated.items() if key not in own},
        **{key: initial[key] for key in own if key in initial},
    }
    written = unaudited(diff(initial, goal), AUDIT)
    expected, absent = expectation(initial, goal, written)
    if written:
        entry |= {"expected_outcome": "write", "expected_db": expected, "expected_absent": list(absent)}
    return goal


def _alike(stated: Any, reached: Any, field: str = "") -> Any:
    """What is stated, in the spelling of what was reached where EVA takes the two for the same.

    EVA compares "none" as null, and six lists without their order.
    """
    if isinstance(stated, dict) and isinstance(reached, dict):
        there = cast("Json", reached)
        return {key: _alike(value, there.get(key), key) for key, value in cast("Json", stated).items()}
    if isinstance(stated, list) and isinstance(reached, list):
        one, other = cast("list[Any]", stated), cast("list[Any]", reached)
        if field in _UNORDERED and sorted(map(_normal, one)) == sorted(map(_normal, other)):
            return other
        if len(one) == len(other):
            return [_alike(value, there) for value, there in zip(one, other, strict=True)]
    return reached if _empty(stated) and _empty(reached) else stated


def _normal(value: Any) -> str:
    return json.dumps(_blank(value), sort_keys=True)


def _blank(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _blank(below) for key, below in cast("Json", value).items()}
    if isinstance(value, list):
        return [_blank(each) for each in cast("list[Any]", value)]
    return None if _empty(value) else float(value) if type(value) is int else value


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in ("none", "null"))


def _why(task: Task, played: Replay, beyond: list[str]) -> str:
    """Why a trace does not reach the state of its record: the steps that fail, by what makes them fail."""
    reasons: dict[str, None] = {}
    for step, done in zip(task.reference_tool_calls, played.outcomes, strict=True):
        if done.error is None or step.expect_error:
            continue
        places = sorted(set(_PLACE.findall(json.dumps(step.arguments, ensure_ascii=False))))
        old = _OLD_ID.search(done.error)
        if places:
            reasons[f"placeholder <LOC:{'>, <LOC:'.join(places)}> in the arguments of {step.tool}"] = None
        elif old is not None:
            reasons[f"{step.tool} names the {old[1].replace('_', ' ')} {old[2]} of an older numbering"] = None
        else:
            reasons[f"{step.tool} fails: {done.error[:120]}"] = None
    return "; ".join(reasons) or f"every step succeeds, and {beyond[0]} differs ({len(beyond)} paths in all)"
