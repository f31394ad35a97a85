"""Drafts: a tool writes to a draft as to plain dicts and lists, and the document beneath stays as it was.

`draft(document)` costs one shallow copy; parts are copied when they are looked at, and `settle` gives the new
document, which shares every untouched part with the old one. So a private copy per episode, a snapshot and a
rollback cost nothing: a document, once settled, is never written to.

A draft *is* a dict or list: `isinstance`, `json.dumps`, `sorted`, comprehensions, `|=` and `copy.deepcopy` work.
"""

from __future__ import annotations

from collections.abc import ItemsView, ValuesView
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antiphon.envs.changes import Json

_ABSENT: Any = object()
_TOUCHED: Any = object()
_SCALARS = (str, int, bool, type(None))


class NotJsonError(TypeError):
    """A tool put into the database what JSON cannot hold; `path` says where."""

    def __init__(self, value: object, path: str) -> None:
        super().__init__(f"{path or '/'}: {type(value).__name__} {str(value)[:40]!r} is no JSON value")


class DraftDict(dict[str, Any]):
    """An object of a document under change. Storage holds unopened parts of the base; no accessor gives one out.

    `_mark` is None as made, the keys of opened parts while only read, and `_TOUCHED` once written to. There is no
    `__init__`: a search through thousands of records makes thousands of drafts.
    """

    __slots__ = ("_base", "_mark", "_settled")
    _base: Json
    _mark: Any
    _settled: Json | None

    def _open(self, key: str, value: Any) -> Any:
        """The draft of a part of the base, kept in its place; what the tool itself put here stays as it is."""
        if self._base.get(key, _ABSENT) is not value:
            return value
        value = _draft_of(value)
        dict.__setitem__(self, key, value)
        if self._mark is None:
            self._mark = [key]
        elif self._mark is not _TOUCHED:
            self._mark.append(key)
        return value

    def __getitem__(self, key: str) -> Any:
        value = dict.__getitem__(self, key)
        return self._open(key, value) if type(value) is dict or type(value) is list else value

    def get(self, key: str, default: Any = None) -> Any:
        value = dict.get(self, key, default)
        return self._open(key, value) if type(value) is dict or type(value) is list else value

    def values(self) -> Any:
        return _Values(self)

    def items(self) -> Any:
        return _Items(self)

    def parts(self) -> Iterator[tuple[str, Any]]:
        """Keys and values, each part opened when it comes by: who stops early pays no more."""
        for key, value in dict.items(self):
            yield key, self._open(key, value) if type(value) is dict or type(value) is list else value

    def __iter__(self) -> Iterator[str]:
        # Not for its own sake: dict(x), {**x} and x.update(y) read the storage of a subclass without one.
        return dict.__iter__(self)

    def copy(self) -> Json:
        return dict(self.items())

    __copy__ = copy

    def __or__(self, other: Any) -> Any:
        return self.copy() | other if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __setitem__(self, key: str, value: Any) -> None:
        self._mark = _TOUCHED
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: str) -> None:
        self._mark = _TOUCHED
        dict.__delitem__(self, key)

    def update(self, *others: Any, **more: Any) -> None:
        self._mark = _TOUCHED
        dict.update(self, *others, **more)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        if key in self:
            value = self[key]
            del self[key]
            return value
        return dict.pop(self, key, *default)

    def popitem(self) -> tuple[str, Any]:
        for key in reversed(self):
            return key, self.pop(key)
        return dict.popitem(self)

    def clear(self) -> None:
        self._mark = _TOUCHED
        dict.clear(self)

    def __deepcopy__(self, _memo: object) -> Any:
        return plain(self)

    def __reduce_ex__(self, _protocol: object) -> Any:
        return dict, (plain(self),)


class _Values(ValuesView[Any]):
    """The values of a draft, as a view."""

    _mapping: DraftDict

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in self._mapping.parts())

    def __reversed__(self) -> Iterator[Any]:
        return reversed([*self])


class _Items(ItemsView[str, Any]):
    """The items of a draft, as a view."""

    _mapping: DraftDict

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return self._mapping.parts()

    def __reversed__(self) -> Iterator[tuple[str, Any]]:
        return reversed([*self])


class DraftList(list[Any]):
    """A list of a document under change: its parts are opened at once, its storage is the truth."""

    __slots__ = ("_base", "_settled")
    _base: list[Any]
    _settled: list[Any] | None

    def __copy__(self) -> list[Any]:
        return [*self]

    def __deepcopy__(self, _memo: object) -> Any:
        return plain(self)

    def __reduce_ex__(self, _protocol: object) -> Any:
        return list, (plain(self),)


def _draft_of(value: Any) -> Any:
    if type(value) is dict:
        found: Any = DraftDict(cast("Json", value))
        found._mark = None
    else:
        parts = cast("list[Any]", value)
        found = DraftList(
            [_draft_of(each) if type(each) is dict or type(each) is list else each for each in parts]
        )
    found._base = value
    found._settled = None
    return found


def draft(document: Json) -> Json:
    """A draft of a document, to be written to like any dict."""
    return cast("Json", _draft_of(document))


def untouched(value: Json) -> Json | None:
    """The document beneath a draft that nobody has looked into or written to yet; None for any other value."""
    fresh = type(value) is DraftDict and value._mark is None  # pyright: ignore[reportPrivateUsage]  one thing
    return value._base if fresh else None  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def settle(value: Json) -> Json:
    """The document that a draft has become; the very base when nothing was written.

    Raises NotJsonError for what JSON cannot hold, RecursionError for a part that contains itself.
    """
    assert isinstance(value, DraftDict)
    return _settled_dict(value, "")


def _settled(value: Any, path: str, key: str | int) -> Any:
    kind = type(value)
    if kind is DraftDict:
        if value._settled is None:
            nothing_new = value._mark is None
            value._settled = value._base if nothing_new else _settled_dict(value, f"{path}/{key}")
        return value._settled
    if kind is DraftList:
        if value._settled is None:
            value._settled = _settled_list(value, f"{path}/{key}")
        return value._settled
    return value if kind in _SCALARS else _json(value, f"{path}/{key}")


def _settled_dict(node: DraftDict, path: str) -> Json:
    base: Json = node._base  # pyright: ignore[reportPrivateUsage]  a draft and its settling are one thing
    mark: Any = node._mark  # pyright: ignore[reportPrivateUsage]
    if mark is None:
        return base
    fresh: Json = {}
    if mark is not _TOUCHED:
        for key in mark:
            below = _settled(dict.__getitem__(node, key), path, key)
            if below is not base[key]:
                fresh[key] = below
        return base | fresh if fresh else base
    changed = len(node) != len(base)
    for key, value in dict.items(node):
        kept = base.get(key, _ABSENT)
        if value is not kept:
            if type(key) is not str:
                raise NotJsonError(key, f"{path} (a key)")
            value = _settled(value, path, key)
            changed = changed or value is not kept
        fresh[key] = value
    return fresh if changed else base


def _settled_list(node: DraftList, path: str) -> list[Any]:
    base: list[Any] = node._base  # pyright: ignore[reportPrivateUsage]
    fresh = [_settled(value, path, at) for at, value in enumerate(node)]
    equal = len(fresh) == len(base) and all(one is other for one, other in zip(fresh, base, strict=True))
    return base if equal else fresh


def _json(value: Any, path: str) -> Any:
    """A value that the tool made, as private plain JSON."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is float and isfinite(value):
        return value
    if isinstance(value, dict):
        found: Json = {}
        for key, below in cast("Json", value).items():
            if type(key) is not str:
                raise NotJsonError(key, f"{path} (a key)")
            found[key] = _settled(below, path, key)
        return found
    if isinstance(value, list | tuple):
        return [_settled(each, path, at) for at, each in enumerate(cast("list[Any]", value))]
    if isinstance(value, Enum):
        return _json(value.value, path)
    raise NotJsonError(value, path)


def plain(value: Any) -> Any:
    """A deep copy in plain dicts and lists; dates, dataclasses and enums as JSON writes them.

    Raises TypeError for what JSON cannot carry.
    """
    kind = type(value)
    if kind in _SCALARS or (kind is float and isfinite(value)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(below) for key, below in dict.items(cast("Json", value))}
    if isinstance(value, list | tuple):
        return [plain(each) for each in cast("list[Any]", value)]
    if isinstance(value, float):
        raise NotJsonError(value, "")
    return plain(msgspec.to_builtins(value))
