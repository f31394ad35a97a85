"""Drafts: a tool writes to a draft as to plain dicts and lists, and the document beneath stays as it was.

`draft(document)` costs one shallow copy; parts are copied when they are looked at, and `settle` gives the new
document, which shares every untouched part with the old one. So a private copy per episode, a snapshot and a
rollback cost nothing: a document, once settled, is never written to.

A draft *is* a dict or list: `isinstance`, `json.dumps`, `sorted`, comprehensions, `|=` and `copy.deepcopy` work.
"""

from __future__ import annotations

from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antiphon.envs.changes import Json

_ABSENT: Any = object()
_SCALARS = (str, int, bool, type(None))


class NotJsonError(TypeError):
    """A tool put into the database what JSON cannot hold; `path` says where."""

    def __init__(self, value: object, path: str) -> None:
        super().__init__(f"{path or '/'}: {type(value).__name__} {str(value)[:40]!r} is no JSON value")


class DraftDict(dict[str, Any]):
    """An object of a document under change. Storage holds unopened parts of the base; no accessor gives one out."""

    __slots__ = ("_base", "_opened", "_settled", "_touched")

    def __init__(self, base: Json) -> None:
        dict.__init__(self, base)
        self._base = base
        self._opened: list[str] = []
        self._touched = False
        self._settled: Json | None = None

    def _open(self, key: str, value: Any) -> Any:
        if (type(value) is dict or type(value) is list) and self._base.get(key, _ABSENT) is value:
            value = _draft_of(value)
            dict.__setitem__(self, key, value)
            self._opened.append(key)
        return value

    def _open_all(self) -> None:
        for key, value in list(dict.items(self)):
            if type(value) is dict or type(value) is list:
                self._open(key, value)

    def __getitem__(self, key: str) -> Any:
        value = dict.__getitem__(self, key)
        return self._open(key, value) if type(value) is dict or type(value) is list else value

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def values(self) -> Any:
        self._open_all()
        return dict.values(self)

    def items(self) -> Any:
        self._open_all()
        return dict.items(self)

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
        self._touched = True
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: str) -> None:
        self._touched = True
        dict.__delitem__(self, key)

    def update(self, *others: Any, **more: Any) -> None:
        self._touched = True
        dict.update(self, *others, **more)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        if key in self:
            self._open(key, dict.__getitem__(self, key))
            self._touched = True
        return dict.pop(self, key, *default)

    def popitem(self) -> tuple[str, Any]:
        self._open_all()
        self._touched = True
        return dict.popitem(self)

    def clear(self) -> None:
        self._touched = True
        dict.clear(self)

    def __deepcopy__(self, memo: Any) -> Any:
        return plain(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (plain(self),)


class DraftList(list[Any]):
    """A list of a document under change: its parts are opened at once, its storage is the truth."""

    __slots__ = ("_base", "_settled")

    def __init__(self, base: list[Any]) -> None:
        list.__init__(
            self, [_draft_of(each) if type(each) is dict or type(each) is list else each for each in base]
        )
        self._base = base
        self._settled: list[Any] | None = None

    def __deepcopy__(self, memo: Any) -> Any:
        return plain(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (plain(self),)


def _draft_of(value: Any) -> Any:
    return DraftDict(cast("Json", value)) if type(value) is dict else DraftList(cast("list[Any]", value))


def draft(document: Json) -> Json:
    """A draft of a document, to be written to like any dict."""
    return DraftDict(document)


def settle(value: Json) -> Json:
    """The document that a draft has become; the very base when nothing was written.

    Raises NotJsonError for what JSON cannot hold, RecursionError for a part that contains itself.
    """
    return cast("Json", _settled(value, ""))


def _settled(value: Any, path: str) -> Any:
    kind = type(value)
    if kind is DraftDict:
        if value._settled is None:
            value._settled = _settled_dict(value, path)
        return value._settled
    if kind is DraftList:
        if value._settled is None:
            value._settled = _settled_list(value, path)
        return value._settled
    return _json(value, path)


def _settled_dict(node: DraftDict, path: str) -> Json:
    base: Json = node._base  # pyright: ignore[reportPrivateUsage]  a draft and its settling are one thing
    if not node._touched:  # pyright: ignore[reportPrivateUsage]
        copy: Json | None = None
        for key in node._opened:  # pyright: ignore[reportPrivateUsage]
            below = _settled(dict.__getitem__(node, key), f"{path}/{key}")
            if below is not base[key]:
                copy = dict(base) if copy is None else copy
                copy[key] = below
        return base if copy is None else copy
    fresh: Json = {}
    changed = len(node) != len(base)
    for key, value in dict.items(node):
        kept = base.get(key, _ABSENT)
        if value is not kept:
            if type(key) is not str:
                raise NotJsonError(key, f"{path} (a key)")
            value = _settled(value, f"{path}/{key}")
            changed = changed or value is not kept
        fresh[key] = value
    return fresh if changed else base


def _settled_list(node: DraftList, path: str) -> list[Any]:
    base: list[Any] = node._base  # pyright: ignore[reportPrivateUsage]
    fresh = [_settled(value, f"{path}/{at}") for at, value in enumerate(node)]
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
            found[key] = _settled(below, f"{path}/{key}")
        return found
    if isinstance(value, list | tuple):
        return [_settled(each, f"{path}/{at}") for at, each in enumerate(cast("list[Any]", value))]
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
