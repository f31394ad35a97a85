"""`Contract`: what a task holds an episode to, derived once by replaying its reference chain without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import beneath, leaves, look_up, pointer, same
from antiphon.envs.execute import execute
from antiphon.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from antiphon.envs.changes import Changes, Json
    from antiphon.envs.domain import Domain
    from antiphon.envs.execute import Outcome
    from antiphon.envs.task import Task


@dataclass(frozen=True, slots=True)
class Replay:
    """The reference chain, played. `problems` are (field of the task, what is wrong)."""

    final: Json
    outcomes: tuple[Outcome, ...]
    permitted: frozenset[str]
    problems: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """A task ready to score: its initial state, and the leaf paths that may be written.

    `permitted` comes from the changes of the reference replay, audit tables aside.
    """

    domain: str
    version: str
    task: Task
    initial: Json
    permitted: frozenset[str]
    audit: tuple[str, ...]
    predicates: Mapping[str, Callable[..., str | None]]


def replay(domain: Domain, task: Task) -> Replay:
    """Play the reference chain from the initial state. What goes wrong is a problem, never an exception."""
    db = domain.initial(task)
    audit = domain.settings.audit
    outcomes: list[Outcome] = []
    written: set[str] = set()
    problems: list[tuple[str, str]] = []
    for at, step in enumerate(task.reference_tool_calls):
        done = execute(domain.side(step.requestor), db, step.tool, step.arguments, audit)
        db = done.db
        outcomes.append(done)
        written |= unaudited(done.changes, audit)
        where = f"reference_tool_calls[{at}]"
        if done.defect is not None:
            problems.append((where, f"{step.tool} {done.defect}"))
        elif done.error is not None and not step.expect_error:
            problems.append((where, f"{step.tool} fails: {done.error}"))
        elif done.error is None and step.expect_error:
            problems.append((where, f"{step.tool} should fail, and succeeds"))
    return Replay(db, tuple(outcomes), frozenset(written), tuple(problems))


def contract_of(domain: Domain, task: Task) -> Contract:
    """The contract of a task. Raises DomainError when its reference does not hold: such a task scores nothing."""
    played = replay(domain, task)
    missed = [*(f"{field}: {problem}" for field, problem in played.problems), *unmet(task, played.final)]
    if missed:
        raise DomainError(f"{domain.name} {task.task_id}: its reference does not hold: {missed[0]}")
    return Contract(
        domain.name, domain.version, task, domain.initial(task), played.permitted, domain.settings.audit,
        domain.predicates,
    )  # fmt: skip


def unaudited(changes: Changes, audit: tuple[str, ...]) -> set[str]:
    """The leaf paths of changes outside audit tables."""
    if not changes:
        return set()
    return {path for path in leaves(changes) if not (audit and beneath(path, audit))}


def unmet(task: Task, db: Json) -> list[str]:
    """Where a state misses the expected one: values of `expected_db` not there, `expected_absent` still there.

    Objects are subsets, lists and values are whole, numbers equal by value (25 and 25.0).
    """
    missed = list(_missing((), task.expected_db, db))
    for path in task.expected_absent:
        there, value = look_up(db, path)
        if there:
            missed.append(f"{path} must be absent, and is {_short(value)}")
    return missed


def _missing(parts: tuple[str, ...], expected: Any, found: Any) -> Iterator[str]:
    if isinstance(expected, dict):
        wanted = cast("Json", expected)
        if not isinstance(found, dict):
            yield f"{pointer(parts) or '/'} must be an object, and is {_short(found)}"
            return
        there = cast("Json", found)
        for key, value in wanted.items():
            if key in there:
                yield from _missing((*parts, key), value, there[key])
            else:
                yield f"{pointer((*parts, key))} must be {_short(value)}, and is not there"
    elif not same(expected, found):
        yield f"{pointer(parts)} must be {_short(expected)}, and is {_short(found)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
