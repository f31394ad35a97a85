"""What a partner knows: nothing internal leaks into it, and nothing that it must say is missing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import look_up, parts_of, same
from antiphon.text.mentions import contains, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task
    from antiphon.envs.tools import Tool

_SHORTEST = 3  # characters of an internal value that can be told from chance


def spoken(task: Task) -> Iterator[tuple[str, str]]:
    """Every text that a partner is given or says, by field of the task. `done` is only listened for."""
    yield "user_system_prompt", task.user_system_prompt
    script = task.script
    if script is None:
        return
    for field in ("opening", "agrees", "corrects", "goodbye"):
        yield f"script.{field}", getattr(script, field)
    for field in ("insists", "more"):
        for at, text in enumerate(getattr(script, field)):
            yield f"script.{field}[{at}]", text
    for at, fact in enumerate(script.facts):
        yield f"script.facts[{at}]", f"{fact.say} {fact.value}"


def leaks(domain: Domain, task: Task, played: Replay) -> Iterator[tuple[str, str]]:
    """(field, problem) for every internal name or value in what the partner knows.

    Internal are tool and parameter names that are no plain words, values at the domain's `internal` paths, and
    the keys of records that only the reference chain creates.
    """
    internal = [*_names(domain), *_values(domain, task), *_created(domain, task, played)]
    for field, text in spoken(task):
        words = fold(text)
        for name, what in internal:
            if contains(words, name):
                yield field, f"{name!r} is {what}; a partner must not know it"


def _names(domain: Domain) -> Iterator[tuple[str, str]]:
    """Names of the agent's interface. A partner that has tools of its own knows what those are called."""
    own = {name for tool in domain.partner_tools.values() for name in _interface(tool)}
    for tool in domain.tools.values():
        for name in _interface(tool):
            if "_" in name and name not in own:
                yield name, f"a name of {tool.name}"


def _interface(tool: Tool) -> tuple[str, ...]:
    return (tool.name, *cast("Json", tool.spec.parameters.get("properties", {})))


def _values(domain: Domain, task: Task) -> Iterator[tuple[str, str]]:
    initial = domain.initial(task)
    for path in domain.settings.internal:
        for value in dict.fromkeys(map(str, _at(initial, parts_of(path)))):
            if len(value) >= _SHORTEST:
                yield value, f"internal ({path})"


def _at(value: Any, parts: list[str]) -> Iterator[Any]:
    """The scalars at a path in which "*" is any key."""
    if not parts:
        if not isinstance(value, dict | list):
            yield value
        return
    if isinstance(value, list):
        value = {str(at): each for at, each in enumerate(cast("list[Any]", value))}
    if isinstance(value, dict):
        below = cast("Json", value)
        for key in below if parts[0] == "*" else [parts[0]]:
            if key in below:
                yield from _at(below[key], parts[1:])


def _created(domain: Domain, task: Task, played: Replay) -> Iterator[tuple[str, str]]:
    initial = domain.initial(task)
    for done in played.outcomes:
        for path, change in done.changes.items():
            key = parts_of(path)[-1]
            new = "from" not in change and isinstance(change["to"], dict) and not key.isdecimal()
            if new and len(key) >= _SHORTEST and not look_up(initial, path)[0]:
                yield key, f"made by {path.rsplit('/', 1)[0]} during the episode"


def missing(domain: Domain, task: Task, played: Replay) -> Iterator[tuple[str, str]]:
    """(field, problem) for each fact that the prompt does not tell, and each reference argument that nobody can
    know: not from the partner, an earlier result, the rules, the schema's choices, or today's date.

    Where references leave out look-ups (`partial_references`), whatever stands in the database can be known too, and
    numbers and sentences are the agent's own.
    """
    told = fold(task.user_system_prompt)
    readable = f"{told}\n{fold(domain.rules)}"
    facts = task.script.facts if task.script else ()
    for at, fact in enumerate(facts):
        if not any(contains(told, str(form)) for form in (fact.say, fact.value, *fact.forms)):
            yield f"script.facts[{at}]", f"{fact.name}: the user_system_prompt does not say {fact.say!r}"
    known: list[Any] = [domain.initial(task).get("current_date")]
    known += [form for fact in facts for form in (fact.value, *fact.forms)]
    for at, (step, done) in enumerate(zip(task.reference_tool_calls, played.outcomes, strict=True)):
        tool = domain.side(step.requestor).get(step.tool)
        if step.requestor == "assistant" and tool is not None and not step.expect_error:
            properties = cast("Json", tool.spec.parameters.get("properties", {}))
            for name, leaf in _arguments(step.arguments):
                if free(leaf, properties.get(name, {})) or _known(leaf, known, readable):
                    continue
                if not (domain.settings.partial_references and _looked_up(domain, task, leaf)):
                    yield (
                        f"reference_tool_calls[{at}].arguments.{name}",
                        f"{leaf!r} is nothing that the partner says or an earlier call shows",
                    )
        known += scalars(done.value)


def _arguments(arguments: Json) -> Iterator[tuple[str, Any]]:
    """Every scalar in a call's arguments, with the name of its argument."""
    return ((name, leaf) for name, value in arguments.items() for leaf in scalars(value))


def _looked_up(domain: Domain, task: Task, leaf: Any) -> bool:
    """Whether an agent finds a value in the database, or makes it itself: an amount, a sum, a summary."""
    return not isinstance(leaf, str) or " " in leaf or leaf in _stored(domain, task)


def _stored(domain: Domain, task: Task) -> frozenset[str]:
    """Every scalar and key of the database that a task starts from, in words."""
    if isinstance(task.db, dict):
        return frozenset(map(str, scalars(task.db)))
    return _stored_in(domain, task.db.removeprefix("@dbs/"))


@lru_cache(maxsize=8)
def _stored_in(domain: Domain, name: str) -> frozenset[str]:
    return frozenset(map(str, scalars(domain.dbs[name])))


def free(value: Any, schema: Json) -> bool:
    """Whether the interface itself tells the value."""
    choices = [*schema.get("enum", []), schema.get("default")]
    choices += [each for part in schema.get("anyOf", []) for each in part.get("enum", [])]
    if value is None or isinstance(value, bool) or value in choices:
        return True
    told = isinstance(value, str) and len(value) >= _SHORTEST
    return told and contains(fold(str(schema.get("description", ""))), value)


def _known(value: Any, known: Iterable[Any], readable: str) -> bool:
    text = str(value)
    if contains(readable, text):
        return True
    return any(
        same(value, each)
        or (isinstance(each, str) and (fold(each) == fold(text) or contains(fold(each), text)))
        for each in known
    )


def scalars(value: Any) -> Iterator[Any]:
    """Every scalar in a value, keys too: records are often keyed by their number."""
    if isinstance(value, dict):
        for key, below in cast("Json", value).items():
            yield key
            yield from scalars(below)
    elif isinstance(value, list):
        for below in cast("list[Any]", value):
            yield from scalars(below)
    else:
        yield value
