"""The construction checks: what must hold before a domain is played. One defect a line; no model is asked."""

from __future__ import annotations

import inspect
from datetime import date
from typing import TYPE_CHECKING, Any

from antiphon.clock import VirtualClock
from antiphon.envs.assertions import is_positive, predicate_of
from antiphon.envs.changes import diff
from antiphon.envs.contract import contract_of, replay, unmet
from antiphon.envs.defects import Defect, Report, of_file
from antiphon.envs.domain import folder_of, read_domain
from antiphon.envs.episode import Episode
from antiphon.envs.knowledge import leaks, missing
from antiphon.envs.predicates import of_tools
from antiphon.envs.probe import probe
from antiphon.envs.recital import can_recite, recite
from antiphon.envs.task import Task, read_tasks
from antiphon.envs.verdict import check as check_trace
from antiphon.envs.verdict import decide
from antiphon.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from antiphon.envs.contract import Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Assertion, Condition

Found = tuple[str, str]  # a field of the task, and what is wrong with it


def check_folder(name: str) -> Report:
    """Check a domain by name or folder. Raises ConfigError when there is no such domain."""
    folder = folder_of(name)
    domain, problems = read_domain(folder)
    defects = [of_file(error, folder) for error in problems]
    if domain is None:
        return Report(folder.name, _count(folder), tuple(defects))
    return Report(domain.name, len(domain.tasks), (*defects, *check_domain(domain)))


def _count(folder: Path) -> int:
    """How many tasks can be read, though their domain cannot."""
    files = sorted((folder / "tasks").glob("*.json"))
    return sum(isinstance(each, Task) for path in files for each in read_tasks(path))


def check_domain(domain: Domain) -> list[Defect]:
    """Every defect of a domain and its tasks, however it was made. Its files have been read by then."""
    found = [*_databases(domain), *probe(domain)]
    if not domain.tasks:
        found.append(Defect("tasks/", "", "", "there is no task"))
    for task in domain.tasks:
        file = domain.files.get(task.task_id, "tasks/")
        found += [Defect(file, task.task_id, field, problem) for field, problem in check_task(domain, task)]
    return found


def _databases(domain: Domain) -> Iterator[Defect]:
    for name, db in domain.dbs.items():
        try:
            date.fromisoformat(db["current_date"])
        except ValueError:
            yield Defect(
                f"dbs/{name}", "", "current_date", f"{db['current_date']!r} is no date as 2026-08-12"
            )
        if domain.schema is not None:
            yield from _schema(f"dbs/{name}", db, domain.schema)


def _schema(file: str, db: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Defect]:
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        yield Defect("schema.json", "", error.json_path, error.message)
        return
    for error in jsonschema.Draft202012Validator(schema).iter_errors(db):
        yield Defect(file, "", error.json_path, error.message[:200])


def check_task(domain: Domain, task: Task) -> list[Found]:
    """Everything that is wrong with one task: (field, problem). What an evolved task must pass before training."""
    try:
        played = replay(domain, task)
    except DomainError as error:
        return [("db", str(error))]
    found = [*_reference(domain, task, played), *_expectation(domain, task, played), *_outcome(domain, task)]
    found += [*_assertions(domain, task), *_clauses(domain, task)]
    found += [*leaks(domain, task, played), *missing(domain, task, played)]
    return found or list(_recital(domain, task))


def _reference(domain: Domain, task: Task, played: Replay) -> Iterator[Found]:
    yield from played.problems
    again = replay(domain, task)
    differing = diff(played.final, again.final)
    if differing:
        yield "reference_tool_calls", f"two replays differ at {next(iter(differing))}"
        return
    for at, (first, second) in enumerate(zip(played.outcomes, again.outcomes, strict=True)):
        if diff({"result": first.value}, {"result": second.value}):
            yield f"reference_tool_calls[{at}]", "two replays give different results"


def _expectation(domain: Domain, task: Task, played: Replay) -> Iterator[Found]:
    for problem in unmet(task, played.final):
        yield "expected_db", f"the reference does not reach it: {problem}"
    if task.expected_outcome == "write":
        if not task.expected_db and not task.expected_absent:
            yield "expected_db", "is empty; a write must say what the state becomes"
        elif not unmet(task, domain.initial(task)):
            yield "expected_db", "is true already in the initial state"
        if not played.permitted:
            yield "reference_tool_calls", "write nothing, so that no write is permitted"
    elif task.expected_outcome != "unlabelled" and played.permitted:
        changed = min(played.permitted)
        yield "reference_tool_calls", f"change {changed}, though the outcome is {task.expected_outcome}"


def _outcome(domain: Domain, task: Task) -> Iterator[Found]:
    if task.expected_outcome == "unlabelled":
        yield "expected_outcome", "is unlabelled; say write, refusal, unsupported or informational"
    if task.expected_outcome == "refusal" and not task.clauses:
        yield "clauses", "a refusal quotes the rule that forbids"
    if task.expected_outcome == "unsupported":
        if not task.asks_for:
            yield "asks_for", "an unsupported task names the tool that it would need"
        elif task.asks_for in domain.tools:
            yield "asks_for", f"{task.asks_for} is a tool of this domain, so the request is supported"
    if task.expected_outcome != "write" and not any(_positive(domain, each, task) for each in task.checks):
        yield "assertions", "none demands anything: an agent that does nothing would pass"


def _positive(domain: Domain, assertion: Assertion, task: Task) -> bool:
    try:
        return is_positive(assertion, task, domain.predicates)
    except DomainError:
        return True  # reported as a broken assertion


def _assertions(domain: Domain, task: Task) -> Iterator[Found]:
    for at, assertion in enumerate(task.checks):
        where = f"assertions[{at}]"
        if not assertion.text.strip():
            yield where, "has no text"
        if assertion.predicate:
            yield from ((where, each) for each in _predicate(domain, assertion))
        if assertion.when is not None:
            yield from ((f"{where}.when", each) for each in _predicate(domain, assertion.when))
        if assertion.predicate and assertion.when is None:
            try:
                is_positive(assertion, task, domain.predicates)
            except DomainError as error:
                yield where, str(error)


def _predicate(domain: Domain, named: Assertion | Condition) -> Iterator[str]:
    try:
        function = predicate_of(named.predicate, domain.predicates)
    except DomainError as error:
        yield str(error)
        return
    try:
        inspect.signature(function).bind(None, **named.arguments)
    except TypeError as error:
        yield f"{named.predicate}: {error}"
    for tool in of_tools(named.arguments):
        if tool not in domain.tools:
            yield f"{named.predicate} is about {tool}, which is no tool of this domain"


def _clauses(domain: Domain, task: Task) -> Iterator[Found]:
    rules = " ".join(domain.rules.split()).casefold()
    for at, clause in enumerate(task.clauses):
        if not clause.strip() or " ".join(clause.split()).casefold() not in rules:
            yield f"clauses[{at}]", f"rules.md does not say {clause!r}"


def _recital(domain: Domain, task: Task) -> Iterator[Found]:
    """Whether the reference, with the words that the assertions ask for, passes its own verdict."""
    if not can_recite(task):
        return
    trace = recite(Episode(domain, task, VirtualClock()))
    judged = decide(check_trace(contract_of(domain, task), trace))
    if judged.passed is not True:
        yield "assertions", f"the reference itself does not pass: {judged.reason}"
