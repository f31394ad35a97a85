"""Probes: every tool called with arguments that fit its schema and no record, to see whether it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.defects import Defect
from antiphon.envs.execute import execute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antiphon.envs.changes import Json
    from antiphon.envs.domain import Domain

_STRANGE: dict[str, tuple[Any, ...]] = {
    "string": ("", "no such thing", "2026-02-30"),
    "integer": (-1, 0, 10**9),
    "number": (-0.5, 0.0, 1e12),
    "array": ([],),
    "object": ({},),
    "boolean": (True, False),
    "null": (None,),
}


def probe(domain: Domain) -> Iterator[Defect]:
    """A defect for each tool that raises or writes before it fails, with the first call that shows it."""
    for who, file in (("assistant", "tools.py"), ("user", "partner_tools.py")):
        tools = domain.side(who)
        for name in tools:
            found = next(_broken(domain, who, name), None)
            if found is not None:
                yield Defect(file, "", name, found)


def _broken(domain: Domain, who: str, name: str) -> Iterator[str]:
    tools = domain.side(who)
    properties = cast("Json", tools[name].spec.parameters.get("properties", {}))
    for known, db in _calls(domain, who, name):
        for arguments in _strange(known, properties):
            done = execute(tools, db, name, arguments, domain.settings.audit)
            if done.defect is not None:
                yield f"with {arguments}: {done.defect}"


def _calls(domain: Domain, who: str, name: str) -> Iterator[tuple[Json, Json]]:
    """Arguments to vary, each with a document: those of reference steps, or made up where there are none."""
    known = [
        (dict(step.arguments), domain.initial(task))
        for task in domain.tasks
        for step in task.reference_tool_calls
        if step.tool == name and step.requestor == who and _has_db(domain, task.db)
    ]
    if known:
        yield from known
        return
    spec = domain.side(who)[name].spec
    properties = cast("Json", spec.parameters.get("properties", {}))
    made = {each: _values(properties[each])[0] for each in spec.parameters.get("required", [])}
    for db in domain.dbs.values():
        yield made, db


def _has_db(domain: Domain, db: Any) -> bool:
    return isinstance(db, dict) or str(db).removeprefix("@dbs/") in domain.dbs


def _strange(known: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[Json]:
    """The arguments as they are, then with one after the other replaced."""
    yield dict(known)
    for name, schema in properties.items():
        for value in _values(schema):
            yield {**known, name: value}


def _values(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """Values that a schema takes."""
    if "enum" in schema:
        return tuple(schema["enum"])
    if "anyOf" in schema:
        return tuple(value for part in schema["anyOf"] for value in _values(part))
    return _STRANGE.get(str(schema.get("type")), ("no such thing",))
