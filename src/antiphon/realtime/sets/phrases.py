"""The phrases of the sets by language and by what they are for: ours, or a file's where it has some."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LANGUAGES = ("en", "zh")
# Sorts of phrases that are objects, and the members that each must have; every other sort is a string.
_MEMBERS = {"topics": ("ask", "answer"), "signal_agreements": ("text", "signal")}
_FILLED = ("name", "user", "agent")  # braces that every phrase may have
_SIGNAL = {"signal_agreements": ("signal",), "signal_lines": ("signal", "Signal")}


@cache
def ours(language: str) -> Mapping[str, Any]:
    """Our own phrases of one language."""
    text = files("antiphon.realtime.sets").joinpath(f"phrases_{language}.json").read_text(encoding="utf-8")
    return json.loads(text)


@dataclass(frozen=True, slots=True)
class Book:
    """Phrases to write sessions with. `own`: language → sort → phrases; a sort that is not there is ours."""

    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])
    sha256: str | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """Sessions are in these, in turn."""
        return tuple(language for language in LANGUAGES if language in self.own) or LANGUAGES

    def of(self, language: str, sort: str) -> list[Any]:
        return self.own.get(language, {}).get(sort) or ours(language)[sort]

    def described(self) -> dict[str, Any] | None:
        """For the report: what was taken from the file, and which sorts are ours; None where all are."""
        if self.sha256 is None:
            return None
        missing = {name: sorted(set(ours(name)) - set(self.own[name])) for name in self.languages}
        return {"sha256": self.sha256, "languages": list(self.languages), "ours": missing}


OURS = Book()


def read(path: Path) -> Book:
    """A file `{"en": {sort: [phrase, …]}, "zh": …}`, or a folder with en.json and zh.json. Raises ConfigError where
    there is none, DataError that names file and field for what cannot be a phrase."""
    if path.is_dir():
        parts = [path / f"{language}.json" for language in LANGUAGES]
        found = {part.stem: _json(part) for part in parts if part.exists()}
        if not found:
            raise ConfigError(f"--phrases {path}: the folder has no en.json or zh.json")
    elif path.exists():
        found = _object(path, _json(path), "")
    else:
        raise ConfigError(f"--phrases {path}: there is no such file or folder")
    if not found:
        raise DataError(path, "has no language; en and zh are known")
    own: dict[str, dict[str, Any]] = {}
    for language, sorts in found.items():
        if language not in LANGUAGES:
            raise DataError(path, "unknown language; en and zh are known", field=language)
        own[language] = _language(path, language, sorts)
    digest = hashlib.sha256(json.dumps(own, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    return Book(own, digest)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise DataError(path, f"is no JSON: {error}") from None


def _object(path: Path, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(path, f"an object is wanted, not {type(value).__name__}", field=where or None)
    return cast("dict[str, Any]", value)


def _language(path: Path, language: str, sorts: Any) -> dict[str, Any]:
    known = ours(language)
    checked = _object(path, sorts, language)
    for sort, values in checked.items():
        where = f"{language}.{sort}"
        if sort not in known:
            raise DataError(path, f"unknown key; there are {', '.join(sorted(known))}", field=where)
        if not isinstance(values, list) or not values:
            raise DataError(path, "a list with at least one phrase is wanted", field=where)
        for number, value in enumerate(cast("list[Any]", values)):
            _phrase(path, f"{where}[{number}]", sort, value)
    return checked


def _phrase(path: Path, where: str, sort: str, value: Any) -> None:
    if sort not in _MEMBERS:
        _text(path, where, sort, value)
        return
    members = _object(path, value, where)
    for member in _MEMBERS[sort]:
        if member not in members:
            raise DataError(path, f"missing key {member!r}", field=where)
        _text(path, f"{where}.{member}", sort, members[member])
    for member in members:
        if member not in (*_MEMBERS[sort], "more"):
            raise DataError(path, f"unknown key {member!r}", field=where)


def _text(path: Path, where: str, sort: str, value: Any) -> None:
    if not isinstance(value, str) or not any(char.isalnum() for char in value):
        raise DataError(path, f"words are wanted, not {value!r}", field=where)
    known = (*_FILLED, *_SIGNAL.get(sort, ()))
    try:
        filled = {name for _, name, _, _ in Formatter().parse(value) if name is not None}
    except ValueError:
        filled = {"{"}
    if not filled <= set(known):
        choices = ", ".join(f"{{{name}}}" for name in known)
        raise DataError(path, f"{value!r} has a brace that is none of {choices}", field=where)
