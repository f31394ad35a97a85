"""What differs between two JSON documents: the smallest changed parts, by path; and how to apply them.

A path is a JSON pointer (RFC 6901). A change is `{"to": new}` for what was added, `{"from": old}` for what was
removed, and both for what was replaced; whole added or removed parts are one change. `leaves` spells them out
as leaf paths: what write sets are made of. Numbers are equal by value (25 and 25.0), true is not 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]
Changes = dict[str, dict[str, Any]]

_NOTHING = object()


def pointer(parts: Sequence[str | int]) -> str:
    """The path of keys and list positions as a JSON pointer."""
    return "".join(f"/{escape(str(part))}" for part in parts)


def parts_of(path: str) -> list[str]:
    """The keys in a JSON pointer. Raises ValueError for one that does not begin with a slash."""
    if not path:
        return []
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is no path; it begins with a slash, as /holds/HD1")
    return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]


def escape(key: str) -> str:
    """A key as it stands in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def same(one: object, other: object) -> bool:
    """Equal as JSON values: numbers by value (nearly equal floats too), true and 1 apart."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("Json", one), cast("Json", other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        first, second = cast("list[Any]", one), cast("list[Any]", other)
        return len(first) == len(second) and all(map(same, first, second))
    return type(one) is type(other) and one == other


def diff(old: object, new: object) -> Changes:
    """What turns `old` into `new`. Parts that are the same object are not looked into."""
    found: Changes = {}
    _compare("", old, new, found)
    return found


def _compare(path: str, old: object, new: object, found: Changes) -> None:
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        _compare_objects(path, cast("Json", old), cast("Json", new), found)
    elif isinstance(old, list) and isinstance(new, list):
        _compare_lists(path, cast("list[Any]", old), cast("list[Any]", new), found)
    elif not same(old, new):
        found[path] = {"from": old, "to": new}


def _compare_objects(path: str, old: Json, new: Json, found: Changes) -> None:
    for key, value in new.items():
        before = old.get(key, _NOTHING)
        if before is value:
            continue
        below = f"{path}/{escape(key)}"
        if before is _NOTHING:
            found[below] = {"to": value}
        else:
            _compare(below, before, value, found)
    if len(old) > len(new) or old.keys() - new.keys():
        for key, value in old.items():
            if key not in new:
                found[f"{path}/{escape(key)}"] = {"from": value}


def _compare_lists(path: str, old: list[Any], new: list[Any], found: Changes) -> None:
    for at, (before, value) in enumerate(zip(old, new, strict=False)):
        _compare(f"{path}/{at}", before, value, found)
    for at in range(len(old), len(new)):
        found[f"{path}/{at}"] = {"to": new[at]}
    for at in range(len(new), len(old)):
        found[f"{path}/{at}"] = {"from": old[at]}


def leaves(changes: Changes) -> set[str]:
    """Every leaf path that changes touch: scalars and empty containers, below what came and what went."""
    found: set[str] = set()
    for path, change in changes.items():
        for value in change.values():
            found.update(_leaves(path, value))
    return found


def _leaves(path: str, value: object) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, below in cast("Json", value).items():
            yield from _leaves(f"{path}/{escape(key)}", below)
    elif isinstance(value, list) and value:
        for at, below in enumerate(cast("list[Any]", value)):
            yield from _leaves(f"{path}/{at}", below)
    else:
        yield path


def beneath(path: str, prefixes: Sequence[str]) -> bool:
    """Whether a path is one of the prefixes or lies below one."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def apply(document: Json, changes: Changes) -> Json:
    """The document after changes; it is left as it was, and shares with the result what did not change.

    Raises ValueError where a change does not fit the document.
    """
    removals = [path for path, change in changes.items() if "to" not in change]
    owned: set[int] = set()  # containers made here: these may be written to
    root = _own(document, owned)
    for path, change in changes.items():
        if "to" in change:
            _set(root, parts_of(path), change["to"], owned)
    for path in reversed(removals):  # from the end of a list backwards
        _remove(root, parts_of(path), owned)
    return cast("Json", root)


def _own(value: Any, owned: set[int]) -> Any:
    if id(value) in owned:
        return value
    fresh: Any = dict(cast("Json", value)) if isinstance(value, dict) else list(cast("list[Any]", value))
    owned.add(id(fresh))
    return fresh


def _place(root: Any, parts: list[str], owned: set[int]) -> Any:
    """The container that holds the last key, with every container on the way owned."""
    at = root
    for part in parts[:-1]:
        key: Any = _index(part) if isinstance(at, list) else part
        try:
            below = at[key]
        except (KeyError, IndexError):
            below = None
        if not isinstance(below, dict | list):
            raise ValueError(f"nothing to change at {pointer(parts)}")
        at[key] = _own(below, owned)
        at = at[key]
    return at


def _index(part: str) -> int:
    if not part.isdecimal():
        raise ValueError(f"{part!r} is no position in a list")
    return int(part)


def _set(root: Any, parts: list[str], value: object, owned: set[int]) -> None:
    if not parts:
        raise ValueError("a change replaces the whole document")
    holder = _place(root, parts, owned)
    if not isinstance(holder, list):
        holder[parts[-1]] = value
        return
    items = cast("list[Any]", holder)
    at = _index(parts[-1])
    if at == len(items):
        items.append(value)
    elif at < len(items):
        items[at] = value
    else:
        raise ValueError(f"nothing to change at {pointer(parts)}")


def _remove(root: Any, parts: list[str], owned: set[int]) -> None:
    holder = _place(root, parts, owned)
    try:
        del holder[_index(parts[-1]) if isinstance(holder, list) else parts[-1]]
    except (KeyError, IndexError):
        raise ValueError(f"nothing to remove at {pointer(parts)}") from None


def look_up(document: object, path: str) -> tuple[bool, Any]:
    """Whether a path exists in a document, and what is there."""
    at: Any = document
    for part in parts_of(path):
        if isinstance(at, dict) and part in at:
            at = cast("Json", at)[part]
        elif isinstance(at, list) and part.isdecimal() and int(part) < len(cast("list[Any]", at)):
            at = cast("list[Any]", at)[int(part)]
        else:
            return False, None
    return True, at
