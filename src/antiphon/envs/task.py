"""`Task`: the contract of one episode, in the fields of the paper's appendix A and those that real corpora need."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import msgspec

from antiphon.envs.changes import parts_of
from antiphon.errors import DataError
from antiphon.ids import hash_json
from antiphon.partner.script import Script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antiphon.envs.changes import Json

# refusal: the capability exists, the rules forbid; unsupported: no such tool; unlabelled: no contract to score.
ExpectedOutcome = Literal["write", "refusal", "unsupported", "informational", "unlabelled"]
Requestor = Literal["assistant", "user"]
_AT = re.compile(r" - at `\$\.?(.*?)`$")


class ReferenceCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of the reference chain. `requestor` "user" is a partner-side tool; `expect_error`: it must fail."""

    tool: str
    arguments: dict[str, Any] = {}
    expect_error: bool = False
    requestor: Requestor = "assistant"


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A predicate by name, with its arguments."""

    predicate: str
    arguments: dict[str, Any] = {}


class Assertion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One behavioural requirement: words for a judge, or a predicate. `when`: else it is skipped."""

    text: str
    predicate: str = ""
    arguments: dict[str, Any] = {}
    when: Condition | None = None


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One episode's contract. The first seven fields are the paper's; the others are extensions.

    `db` points to a file as "@dbs/main.json", or is the initial state itself. `expected_db` is a subset of the
    final state, lists whole; paths in `expected_absent` (JSON pointers) must not exist in it. `clauses` quote
    the rules under test; `asks_for` names the tool that an unsupported request would need.
    """

    task_id: str
    db: str | dict[str, Any]
    user_system_prompt: str
    expected_outcome: ExpectedOutcome
    expected_db: dict[str, Any] = {}
    reference_tool_calls: tuple[ReferenceCall, ...] = ()
    assertions: tuple[str | Assertion, ...] = ()
    expected_absent: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    asks_for: str = ""
    tags: tuple[str, ...] = ()
    language: Literal["en", "zh"] = "en"
    script: Script | None = None
    source: dict[str, Any] = {}

    @cached_property
    def checks(self) -> tuple[Assertion, ...]:
        """The assertions, plain words included, in one form."""
        return tuple(Assertion(each) if isinstance(each, str) else each for each in self.assertions)

    @cached_property
    def version(self) -> str:
        """Changes whenever anything in the task does."""
        return hash_json(msgspec.to_builtins(self))[:16]

    @property
    def changes_state(self) -> bool:
        """Whether the episode must end in a change."""
        return bool(self.expected_outcome == "write" or self.expected_db or self.expected_absent)


def read_tasks(path: Path) -> Iterator[Task | DataError]:
    """The tasks of a file (one object, or a list of them), each or what is wrong with it."""
    try:
        content = read_json(path)
    except DataError as error:
        yield error
        return
    for at, entry in enumerate(cast("list[Any]", content) if isinstance(content, list) else [content]):
        try:
            yield task_of(entry, path, f"task {at + 1}")
        except DataError as error:
            yield error


def task_of(entry: Any, path: Path | str, number: str = "task 1") -> Task:
    """A task from parsed JSON. Raises DataError naming file, task and field."""
    name = number
    if isinstance(entry, dict):
        name = str(cast("Json", entry).get("task_id") or number)
    try:
        task = msgspec.convert(entry, Task)
    except msgspec.ValidationError as error:
        at = _AT.search(str(error))
        problem = str(error)[: at.start()] if at else str(error)
        raise DataError(path, problem, field=f"{name} {at[1]}".strip() if at else name) from None
    for field in ("task_id", "user_system_prompt"):
        if not getattr(task, field).strip():
            raise DataError(path, "is empty", field=f"{name} {field}")
    for at, absent in enumerate(task.expected_absent):
        try:
            parts_of(absent)
        except ValueError as error:
            raise DataError(path, str(error), field=f"{name} expected_absent[{at}]") from None
    return task


def read_json(path: Path) -> Any:
    """Parsed JSON. Raises DataError for bytes that are none, NaN, or a key that comes twice."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON number")

    def whole(pairs: list[tuple[str, Any]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
            raise ValueError(f"the key {twice!r} comes twice")
        return found

    try:
        return json.loads(path.read_bytes(), parse_constant=refuse, object_pairs_hook=whole)
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror or error})") from error
    except json.JSONDecodeError as error:
        raise DataError(path, f"not JSON: {error.msg}", line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise DataError(path, f"not JSON: {error}") from None
