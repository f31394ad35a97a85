"""`Names`: by which Mandarin names foreign ones are replaced, from a user's list or our own small one.

A list is JSON or YAML with `replace` (name → name) and `pools` (kind → names to draw from), or CSV with the
columns kind, name, replacement, where a row without a name adds to its kind's pool. Kinds: 人名, 地名, 机构名.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from antiphon.errors import ConfigError, DataError, unknown
from antiphon.ids import hash_json, seed_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KINDS = ("人名", "地名", "机构名")
DEFAULT = Path(__file__).parent / "names.json"


@dataclass(frozen=True, slots=True)
class Names:
    """`replace` holds for every draft that says the name; a pool is drawn from where a model found a name."""

    replace: dict[str, str] = field(default_factory=dict[str, str])
    pools: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def version(self) -> str:
        """Changes with every name."""
        return hash_json([self.replace, {kind: list(pool) for kind, pool in self.pools.items()}])[:12]


def read_names(path: Path | None) -> Names:
    """A list from a file; None gives ours. Raises ConfigError, DataError that names file and field."""
    path = path or DEFAULT
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"no list of names {str(path)!r}") from None
    except UnicodeDecodeError as error:
        raise DataError(path, f"not UTF-8: {error.reason} at byte {error.start}") from None
    readers = {".json": _json, ".yaml": _yaml, ".yml": _yaml, ".csv": _csv}
    if path.suffix.lower() not in readers:
        raise unknown("kind of list", path.suffix, readers, f"rename {path.name}")
    return _checked(path, readers[path.suffix.lower()](path, text))


def _json(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(path, f"not JSON: {error.msg}", line=error.lineno) from None


def _yaml(path: Path, text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DataError(path, f"not YAML: {' '.join(str(error).split())}") from None


def _csv(path: Path, text: str) -> Any:
    rows = csv.DictReader(io.StringIO(text))
    wanted = {"kind", "name", "replacement"}
    if set(rows.fieldnames or ()) != wanted:
        raise DataError(path, f"has the columns {rows.fieldnames}, not kind, name, replacement", line=1)
    found: dict[str, Any] = {"replace": {}, "pools": {}}
    for line, row in enumerate(rows, start=2):
        name, becomes = (row["name"] or "").strip(), (row["replacement"] or "").strip()
        if not becomes:
            raise DataError(path, "is empty", line=line, field="replacement")
        if name:
            found["replace"][name] = becomes
        else:
            found["pools"].setdefault((row["kind"] or "").strip(), []).append(becomes)
    return found


def _checked(path: Path, value: Any) -> Names:
    try:
        names = msgspec.convert(value, Names)
    except msgspec.ValidationError as error:
        raise DataError(path, str(error)) from None
    if not isinstance(value, dict) or set(value) - {"replace", "pools"}:
        raise DataError(path, "unknown keys; there are: pools, replace")
    for kind, pool in names.pools.items():
        if kind not in KINDS:
            raise DataError(path, f"no kind {kind!r}; there are: {', '.join(KINDS)}", field="pools")
        if len(set(pool)) != len(pool) or not all(map(str.strip, pool)):
            raise DataError(path, "holds a name twice, or an empty one", field=f"pools.{kind}")
    if not all(name.strip() and becomes.strip() for name, becomes in names.replace.items()):
        raise DataError(path, "holds an empty name", field="replace")
    return names


def chosen(
    names: Names, found: Sequence[tuple[str, str]], words: str, draft: str, seed: int
) -> dict[str, str] | str:
    """What replaces each name in `words`: the list's own word for it, else one drawn from its kind's pool.

    `found` are (kind, name) as a model detected them; names of a kind without a pool stay. Two names never
    become one, and nothing becomes a name that is there already. Gives the reason where a pool runs out.
    """
    becomes = {name: new for name, new in names.replace.items() if says(words, name)}
    for kind, name in found:
        pool = names.pools.get(kind, ())
        if name in becomes or name in pool or not pool:
            continue
        taken = set(becomes.values())
        free = [new for new in pool if new not in taken and new not in words]
        if not free:
            return f"the list has no {kind} left for {name}"
        becomes[name] = min(free, key=lambda new, name=name: seed_for(seed, "name", draft, name, new))
    return becomes


def replaced(text: str, becomes: Mapping[str, str]) -> str:
    """The text with every name replaced at once, longer names first, so that no name is cut in two."""
    if not becomes:
        return text
    longest = sorted(becomes, key=len, reverse=True)
    return re.compile("|".join(map(_whole, longest))).sub(lambda match: becomes[match[0]], text)


def says(text: str, name: str) -> bool:
    """Whether a text holds a name as a whole: a Latin one not inside a longer word."""
    return re.search(_whole(name), text) is not None


def _whole(name: str) -> str:
    before = r"(?<![A-Za-z])" if name[0].isascii() and name[0].isalpha() else ""
    after = r"(?![A-Za-z])" if name[-1].isascii() and name[-1].isalpha() else ""
    return f"{before}{re.escape(name)}{after}"
