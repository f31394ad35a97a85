"""What a reference chain makes true: the expected state of an imported task, from its replay or the corpus's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import look_up, parts_of, pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.envs.changes import Json


def expectation(initial: Json, final: Json, written: Iterable[str]) -> tuple[Json, tuple[str, ...]]:
    """`expected_db` and `expected_absent` that hold of `final` at every path in `written`, and nowhere else.

    Paths are leaf paths. A path inside a list stands for the whole list. What was written and put back is expected
    as it was, so that subset and write veto together demand the very state that the reference leaves.
    """
    expected: Json = {}
    absent: set[str] = set()
    for path in sorted(written):
        parts = _outside_lists(initial, final, parts_of(path))
        there, value = look_up(final, pointer(parts))
        if there:
            _put(expected, parts, value)
        else:
            absent.add(pointer(_first_missing(final, parts)))
    return expected, tuple(sorted(absent))


def _outside_lists(initial: Json, final: Json, parts: list[str]) -> list[str]:
    """The path, cut off at the first list that it goes through in either state."""
    for count in range(1, len(parts)):
        path = pointer(parts[:count])
        if any(isinstance(look_up(document, path)[1], list) for document in (initial, final)):
            return parts[:count]
    return parts


def _first_missing(final: Json, parts: list[str]) -> list[str]:
    """The shortest beginning of a path that does not exist: a whole record that is gone, not each of its fields."""
    return next(
        parts[:count] for count in range(1, len(parts) + 1) if not look_up(final, pointer(parts[:count]))[0]
    )


def _put(expected: Json, parts: list[str], value: Any) -> None:
    at = expected
    for part in parts[:-1]:
        at = cast("Json", at.setdefault(part, {}))
    at[parts[-1]] = value
