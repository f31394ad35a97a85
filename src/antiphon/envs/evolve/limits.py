"""Limits: new rules on what may be written, with the tasks that they forbid turned into refusals.

A limit is a number or a date that some references write: at that very value it still allows, above it forbids. So
the same rule makes one task a refusal and another a write at the edge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from antiphon.envs.changes import parts_of, same
from antiphon.envs.contract import replay
from antiphon.envs.evolve.proposal import Proposal, as_json
from antiphon.envs.evolve.wording import SAID, in_words
from antiphon.envs.execute import execute

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from antiphon.envs.changes import Changes
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

Value = float | str
Standing = Literal["free", "allowed", "forbidden", "mixed"]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CHINESE = re.compile(r"[一-鿿]")


@dataclass(frozen=True, slots=True)
class Limit:
    """An entry in `table` may have a `field` of at most `most` (a number, or a date as YYYY-MM-DD)."""

    table: str
    field: str
    most: Value

    def sentence(self, language: str) -> str:
        """The rule, to stand in `rules.md` and to be quoted."""
        name, kind = self.field.replace("_", " "), "date" if isinstance(self.most, str) else "number"
        return SAID[language][f"rule_{kind}"].format(table=self.table, field=name, most=in_words(self.most))

    def broken_by(self, record: Mapping[str, Any]) -> bool | None:
        """Whether a record is above the limit; None where it has no such field."""
        value = _value(record.get(self.field))
        if value is None or isinstance(value, str) is not isinstance(self.most, str):
            return None
        return value > self.most  # pyright: ignore[reportOperatorIssue]  both numbers or both dates


def language_of(rules: str) -> str:
    """The language that rules are written in: Chinese from one Chinese character in four on."""
    letters = [each for each in rules if each.isalpha()]
    return "zh" if len(_CHINESE.findall(rules)) * 4 > len(letters) else "en"


def _value(value: Any) -> Value | None:
    """A value that can be limited: a number, or a date."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    return value if isinstance(value, str) and _DATE.fullmatch(value) and _is_date(value) else None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def written(domain: Domain, task: Task) -> list[tuple[int, str, dict[str, Any]]]:
    """The new entries that a reference writes: (step, table, entry)."""
    found: list[tuple[int, str, dict[str, Any]]] = []
    for at, done in enumerate(replay(domain, task).outcomes):
        found += [(at, table, entry) for table, entry in _entries(done.changes)]
    return found


def refused(domain: Domain, task: Task) -> list[tuple[str, dict[str, Any]]]:
    """The new entries that the partner of a refusal wants, as far as its facts tell: (table, entry).

    The tools are those that the task's assertions forbid; which fact is which argument is learnt from the writes of
    other tasks. Empty where an argument stays unknown, or the call would fail.
    """
    if task.expected_outcome != "refusal" or task.script is None:
        return []
    known = {fact.name: fact.value for fact in task.script.facts}
    learnt = _arguments_by_fact(domain)
    found: list[tuple[str, dict[str, Any]]] = []
    for tool in dict.fromkeys(
        str(each.arguments["tool"]) for each in task.checks if each.predicate == "not_called"
    ):
        parameters = domain.tools[tool].spec.parameters.get("properties", {}) if tool in domain.tools else {}
        names = {
            each: next((name for name in learnt.get((tool, each), ()) if name in known), None)
            for each in parameters
        }
        given = {each: known[name] for each, name in names.items() if name is not None}
        if given and len(given) == len(names):
            done = execute(domain.tools, domain.initial(task), tool, given, domain.settings.audit)
            found += _entries(done.changes)
    return found


@lru_cache(maxsize=4)
def _arguments_by_fact(domain: Domain) -> dict[tuple[str, str], tuple[str, ...]]:
    """(tool, parameter) → the names of the facts that tasks put there."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for task in domain.tasks:
        for step in task.reference_tool_calls:
            for name, value in step.arguments.items():
                for fact in task.script.facts if task.script is not None else ():
                    if same(fact.value, value):
                        found.setdefault((step.tool, name), {})[fact.name] = None
    return {place: tuple(names) for place, names in found.items()}


def _entries(changes: Changes) -> list[tuple[str, dict[str, Any]]]:
    """The records that changes add to tables."""
    return [
        (parts[0], cast("dict[str, Any]", change["to"]))
        for path, change in changes.items()
        if len(parts := parts_of(path)) == 2 and "from" not in change and isinstance(change["to"], dict)
    ]


def standing(limit: Limit, domain: Domain, task: Task) -> Standing:
    """How a limit touches a task: "free" of it, "allowed", "forbidden" (its first write breaks it), or "mixed": a
    part of what it writes breaks it, or what it is refused breaks it too, so that two reasons would be right."""
    if any(limit.broken_by(entry) for table, entry in refused(domain, task) if table == limit.table):
        return "mixed"
    entries = [(at, entry) for at, table, entry in written(domain, task) if table == limit.table]
    broken = [limit.broken_by(entry) for _, entry in entries]
    if all(each is None for each in broken):
        return "free"
    if not any(broken):
        return "allowed"
    first = next(at for at, done in enumerate(replay(domain, task).outcomes) if done.changes)
    return "forbidden" if broken[0] and entries[0][0] == first and len(entries) == 1 else "mixed"


def candidates(domain: Domain, solved: Sequence[Task], others: Sequence[Task]) -> Iterator[Limit]:
    """The limits that forbid some solved tasks, allow as many, and leave every task that is not solved alone. A
    solved task of which a limit forbids a part only has no right answer any more, and no child."""
    entries = [(table, entry) for task in solved for _, table, entry in written(domain, task)]
    for table, name in dict.fromkeys((table, name) for table, entry in entries for name in entry):
        values = {_value(entry.get(name)) for where, entry in entries if where == table} - {None}
        if len({type(each) for each in values}) != 1:
            continue
        for most in sorted(cast("set[Any]", values))[:-1]:
            limit = Limit(table, name, most)
            found = [standing(limit, domain, task) for task in solved]
            rest = {standing(limit, domain, task) for task in others}
            forbidden, allowed = found.count("forbidden"), found.count("allowed")
            if 0 < forbidden <= allowed and rest <= {"free", "allowed"}:
                yield limit


def refusal(limit: Limit, domain: Domain, task: Task, rule: str, name: str) -> Proposal:
    """The task whose write a limit forbids, as a refusal: the reading part of its reference, and a reason."""
    played = replay(domain, task)
    first = next(at for at, done in enumerate(played.outcomes) if done.changes)
    step = task.reference_tool_calls[first]
    words = SAID[task.language]
    found = as_json(task)
    reading = [
        each for each, done in zip(found["reference_tool_calls"][:first], played.outcomes, strict=False) if not done.changes
    ]  # fmt: skip
    found |= {
        "task_id": name,
        "user_system_prompt": f"{task.user_system_prompt}{words['gives_up']}",
        "expected_outcome": "refusal",
        "expected_db": {},
        "reference_tool_calls": reading,
        "assertions": [
            {"text": words["must_not"], "predicate": "not_called", "arguments": {"tool": step.tool}},
            {
                "text": words["must_say"].format(most=in_words(limit.most)),
                "predicate": "says",
                "arguments": {
                    "forms": [spellings(limit.most, task.language), words["limit_forms"].split("|")]
                },
            },
        ],
        "clauses": [rule],
        "tags": sorted(
            {*task.tags, "rule", "limit", *(("date_edge",) if isinstance(limit.most, str) else ())}
        ),
    }
    found.pop("expected_absent", None)
    if task.script is not None:
        found["script"] = {
            key: value for key, value in found["script"].items() if key not in ("more", "acts")
        } | {
            "agrees": words["declines"],
            "insists": [words["insists"]],
            "done": words["done"].split("|"),
            "goodbye": words["goodbye"],
        }
    unaware = {"task": as_json(task)}  # it does as before
    return Proposal(found, task.task_id, "limit", "mutator", note=rule, temptation=unaware)


def spellings(value: Value, language: str) -> list[str]:
    """A limit as people say it."""
    if not isinstance(value, str):
        return [in_words(value)]
    day = date.fromisoformat(value)
    if language == "zh":
        return [f"{day.month}月{day.day}日", f"{day.month}月{day.day}号", value]
    month = f"{day:%B}"
    return [f"{month} {day.day}", f"{month} {ordinal(day.day)}", f"{day.day} {month}", f"{ordinal(day.day)} of {month}", value]  # fmt: skip


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def choose(limits: Iterable[Limit], count: int, order: Sequence[int]) -> list[Limit]:
    """Some limits, at most one a field, by an order of their numbers."""
    listed = list(limits)
    found: list[Limit] = []
    for at in order:
        limit = listed[at]
        if len(found) < count and all(
            (limit.table, limit.field) != (each.table, each.field) for each in found
        ):
            found.append(limit)
    return found
