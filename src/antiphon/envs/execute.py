"""One tool call on one document: a pure function. The document given is never written to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import msgspec

from antiphon.envs.changes import beneath, diff
from antiphon.envs.drafts import draft, plain, settle
from antiphon.envs.tools import ArgumentError, CallError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.envs.changes import Changes, Json
    from antiphon.envs.tools import Tool

LARGEST_ARGUMENTS = 64 * 1024  # bytes of JSON; what a person says in a call is less than one kilobyte


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call did: the document after it, the value for the model, and how the tool misbehaved.

    `error` is set exactly when the call failed; then the document is as before, audit tables aside.
    `arguments` is a private copy of what was asked, or a note where that cannot be kept.
    """

    db: Json
    value: Any
    arguments: Json
    error: str | None = None
    changes: Changes = field(default_factory=dict[str, dict[str, Any]])
    defect: str | None = None


def execute(
    tools: Mapping[str, Tool],
    db: Json,
    name: str,
    arguments: Mapping[str, Any],
    audit: tuple[str, ...] = (),
) -> Outcome:
    """Call a tool. Never raises for what a model or a tool does wrong: the outcome says it.

    Unknown tools and arguments that do not fit are errors for the model to read. A tool that raises, returns
    or stores what JSON cannot hold, or writes (outside `audit`) and then fails is rolled back, with a defect.
    """
    asked, problem = _private(arguments)
    if problem is not None:
        return _refused(db, asked, problem)
    tool = tools.get(name)
    if tool is None:
        return _refused(db, asked, f"no tool {name!r}; there are: {', '.join(sorted(tools)) or 'none'}")
    try:
        bound = tool.bind(asked)
    except ArgumentError as error:
        return _refused(db, asked, str(error))
    return _run(tool, db, asked, bound, audit)


def _private(arguments: Mapping[str, Any]) -> tuple[Json, str | None]:
    """A copy of a call's arguments, or a note and what is wrong with them."""
    try:
        given = msgspec.json.encode(arguments)
        copy = msgspec.json.decode(given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return {"unreadable": repr(arguments)[:200]}, f"the arguments are no JSON ({error})"
    if len(given) > LARGEST_ARGUMENTS:
        return {"omitted_bytes": len(given)}, (
            f"{len(given)} bytes of arguments; a call takes at most {LARGEST_ARGUMENTS}"
        )
    if not isinstance(copy, dict):
        return {"unreadable": repr(arguments)[:200]}, "the arguments are no JSON object"
    return cast("Json", copy), None


def _run(tool: Tool, db: Json, asked: Json, bound: Mapping[str, Any], audit: tuple[str, ...]) -> Outcome:
    working = draft(db)
    try:
        value = plain(tool.function(working, **bound))
        after = settle(working)
    except CallError as error:
        return _refused(db, asked, str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  a domain's tool: the episode goes on, and the defect is kept
        told = f"{tool.name} failed inside; nothing was changed"
        defect = f"raised {type(error).__name__}: {error}"[:400]
        return Outcome(db, {"error": told}, asked, told, defect=defect)
    changes = {} if after is db else diff(db, after)
    failure = _failure(value)
    if failure is None:
        return Outcome(after, value, asked, None, changes)
    written = [path for path in changes if not beneath(path, audit)]
    if written:
        defect = f"wrote {', '.join(written[:3])} and then failed: {failure}"[:400]
        return Outcome(db, value, asked, failure, defect=defect)
    return Outcome(after, value, asked, failure, changes)


def _failure(value: Any) -> str | None:
    """The words of `{"error": …}`, None for a success."""
    if not isinstance(value, dict) or "error" not in value:
        return None
    error = cast("Json", value)["error"]
    return error if isinstance(error, str) else msgspec.json.encode(error).decode()


def _refused(db: Json, asked: Json, error: str) -> Outcome:
    return Outcome(db, {"error": error}, asked, error)
