"""Mutations of the database: a near duplicate beside the record that matters, and entries whose status is stale."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, cast

from antiphon.clock import VirtualClock
from antiphon.envs.contract import contract_of, replay
from antiphon.envs.episode import Episode
from antiphon.envs.evolve.limits import written
from antiphon.envs.evolve.proposal import Proposal, as_json, as_task
from antiphon.envs.recital import can_recite, recite
from antiphon.envs.verdict import check, decide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np

    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

Json = dict[str, Any]
_NUMBERED = re.compile(r"(.*?)(\d+)")
_EXPIRES = re.compile(r"expir|valid|until|due|到期|失效|有效期", re.I)
_TODAY_IS_OVER = re.compile(r"later than today|after today|晚于今天|今天之后", re.I)
_ALIKE = {"a": "e", "e": "a", "i": "y", "y": "i", "o": "u", "u": "o", "c": "k", "k": "c", "s": "z", "n": "m"}
_SHORTEST = 4  # characters of a value that identifies somebody
_TWINS = 2


def near_duplicate(domain: Domain, task: Task, name: str, rng: np.random.Generator) -> Proposal | None:
    """The task beside a record that is nearly the one it is about: the identifying value has two characters
    exchanged, the name is spelt with another letter. None where no single record is identified, or nothing depends
    on telling the two apart."""
    initial = domain.initial(task)
    touched = {path.split("/")[1] for done in replay(domain, task).outcomes for path in done.changes}
    places = [place for place in _identified(initial, _given(task)) if place[0] not in touched]
    for at in rng.permutation(len(places)):
        table, key, field = places[int(at)]
        twin = _twin(initial, table, key, field, rng)
        if twin is not None:
            made = _beside(domain, task, name, (table, key, field), twin)
            if _bites(domain, made):
                return made
    return None


def _given(task: Task) -> set[str]:
    """The words and codes in the calls of a reference, as far as the partner says them."""
    known = {str(fact.value) for fact in task.script.facts} if task.script is not None else set[str]()
    return {
        value
        for step in task.reference_tool_calls
        for value in step.arguments.values()
        if isinstance(value, str)
        and len(value) >= _SHORTEST
        and _day(value) is None
        and (not known or value in known)
    }


def _beside(
    domain: Domain, task: Task, name: str, place: tuple[str, str, str], twin: tuple[str, Json]
) -> Proposal:
    table, key, field = place
    fresh_key, record = twin
    db: Json = copy.deepcopy(domain.initial(task))
    right, wrong = db[table][key][field], record[field]
    db[table][fresh_key] = record
    found: Json = as_json(task) | {"task_id": name, "db": f"@dbs/{name}.json"}
    found["tags"] = sorted({*task.tags, "similar_name" if _names(record) else "similar_number"})
    mistaken = copy.deepcopy(found)  # it takes the one for the other
    for step in mistaken["reference_tool_calls"]:
        arguments: Json = step.get("arguments", {})
        step["arguments"] = {each: wrong if value == right else value for each, value in arguments.items()}
    note = f"{table}: {wrong} beside {right}"
    return Proposal(found, task.task_id, "near_duplicate", "mutator", db, note, {"task": mistaken})


def _bites(domain: Domain, proposal: Proposal) -> bool:
    """Whether to take the one for the other is noticed, as far as a recital can tell; else rollouts will."""
    task = as_task(proposal)
    mistaken = as_task(replace(proposal, task=proposal.temptation["task"]))
    if not can_recite(task) or proposal.db is None:
        return True
    there = replace(domain, dbs={**domain.dbs, f"{proposal.task_id}.json": proposal.db})
    trace = recite(Episode(there, mistaken, VirtualClock()))
    return decide(check(contract_of(there, task), trace)).passed is False


def _identified(db: Json, given: set[str]) -> Iterator[tuple[str, str, str]]:
    """(table, key, field) of each value given that stands in exactly one record of a table."""
    for table, records in db.items():
        if not isinstance(records, dict) or not all(isinstance(each, dict) for each in records.values()):
            continue  # no table of records
        found: dict[tuple[str, str], list[str]] = {}
        for key, record in cast("dict[str, Json]", records).items():
            for field, value in record.items():
                if isinstance(value, str) and value in given and value != key:
                    found.setdefault((field, value), []).append(key)
        yield from ((table, keys[0], field) for (field, _), keys in found.items() if len(keys) == 1)


def _twin(db: Json, table: str, key: str, field: str, rng: np.random.Generator) -> tuple[str, Json] | None:
    records: dict[str, Json] = db[table]
    old = str(records[key][field])
    taken = {record.get(field) for record in records.values()}
    changed = [each for each in _exchanged(old) if each not in taken]
    if not changed:
        return None
    new = changed[int(rng.integers(len(changed)))]
    # A key that holds the value changes with it; any other is numbered on.
    fresh_key = key.replace(old, new) if old in key else _next_key(key, records, up=True)
    if fresh_key is None or fresh_key in records:
        return None
    record: Json = copy.deepcopy(records[key])
    for each, value in record.items():
        if value == key:
            record[each] = fresh_key
    record[field] = new
    for each in _names(record):
        if each != field:
            record[each] = _misspelt(str(record[each]), rng)
    return fresh_key, record


def _names(record: Json) -> list[str]:
    """The fields that hold a name: words, no code."""
    return [
        field
        for field, value in record.items()
        if field == "name" or (field.endswith("_name") and isinstance(value, str))
    ]


def _exchanged(value: str) -> list[str]:
    """The value with two neighbours exchanged, each way that changes it, from the last third on."""
    begin = max(1, len(value) * 2 // 3)
    return [
        value[: at - 1] + value[at] + value[at - 1] + value[at + 1 :]
        for at in range(begin, len(value))
        if value[at] != value[at - 1] and value[at].isalnum() and value[at - 1].isalnum()
    ]


def _misspelt(name: str, rng: np.random.Generator) -> str:
    """A name with one letter as a listener may take it; a Chinese name stays: namesakes are the nearest."""
    places = [at for at, letter in enumerate(name) if at > 0 and letter in _ALIKE]
    if not places:
        return name
    at = places[int(rng.integers(len(places)))]
    return name[:at] + _ALIKE[name[at]] + name[at + 1 :]


def _next_key(key: str, taken: Mapping[str, Any], *, up: bool) -> str | None:
    """A free key of the same form: above all others, or just below the lowest, so that the numbers that tools
    give out stay as they are. None where keys are not numbered."""
    parts = [found for each in taken if (found := _NUMBERED.fullmatch(each)) is not None]
    mine = _NUMBERED.fullmatch(key)
    if mine is None or not parts:
        return None
    numbers = [int(found[2]) for found in parts if found[1] == mine[1]] or [int(mine[2])]
    number = max(numbers) + 1 if up else min(numbers) - 1
    made = f"{mine[1]}{number:0{len(mine[2])}d}"
    return made if number >= 0 and len(made) == len(key) and made not in taken else None


def stale(domain: Domain, task: Task, name: str, rng: np.random.Generator) -> Proposal | None:
    """The task beside older entries like the one that it makes: their status says that they are good, their dates
    that they are over; one ended today where the rules say that today is too late. None where nothing expires."""
    if not _EXPIRES.search(domain.rules):
        return None
    for at, table, entry in written(domain, task):
        ends = [field for field, value in entry.items() if _EXPIRES.search(field) and _day(value)]
        if not ends or task.reference_tool_calls[at].requestor != "assistant":
            continue
        db = copy.deepcopy(domain.initial(task))
        today = date.fromisoformat(db["current_date"])
        own = next(iter(task.expected_db.get(table, {})), next(iter(db[table]), ""))
        for number in range(_TWINS):
            key = _next_key(str(own), {**db[table], str(own): {}}, up=False)
            if key is None:
                break
            on_the_edge = number == 0 and _TODAY_IS_OVER.search(domain.rules) is not None
            back = 0 if on_the_edge else 1 + int(rng.integers(5))
            db[table][key] = _ended(entry, ends[0], today - timedelta(days=back))
        if db == domain.initial(task):
            continue
        found = as_json(task) | {"task_id": name, "db": f"@dbs/{name}.json"}
        found["tags"] = sorted({*task.tags, "state", "date_edge"})
        added = len(db[table]) - len(domain.initial(task)[table])
        note = f"{added} entries in {table} that are over"
        counts_them = {"flaw": "refuses_allowed"}
        return Proposal(found, task.task_id, "stale_status", "mutator", db, note, counts_them)
    return None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def _ended(entry: Json, field: str, last: date) -> Json:
    """An entry with all its dates moved so that `field` is `last`."""
    end = _day(entry[field])
    assert end is not None
    back = end - last
    return {
        name: (day - back).isoformat() if (day := _day(value)) else value for name, value in entry.items()
    }
