"""The sidecar of a stage's file: the fingerprint of what made its rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError, DataError
from antiphon.jsonl import dumps, write_text
from antiphon.stage.journal import journal_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_ABSENT = "absent"


def sidecar_path(out: Path) -> Path:
    """`takes.stage.json` for `takes.jsonl`."""
    return out.with_name(f"{out.stem}.stage.json")


def claim(out: Path, fingerprint: Mapping[str, object]) -> None:
    """Write down what makes the rows of `out`, before there are any.

    Raises ConfigError when rows are there already that something else made: mixing them would make one
    number out of two different things.
    """
    wanted = cast("dict[str, Any]", json.loads(dumps(dict(fingerprint))))
    path = sidecar_path(out)
    known = _read(path) if path.exists() else None
    if known == wanted:
        return
    if any(rows.exists() and rows.stat().st_size > 0 for rows in (out, journal_path(out))):
        found = "lack their fingerprint" if known is None else _differences(known, wanted)
        raise ConfigError(
            f"the rows of {out} {found}; choose another --out, or remove {out.with_suffix('.*')} to start anew"
        )
    write_text(path, dumps({"kind": "stage", "v": 1, "fingerprint": wanted}) + "\n")


def _read(path: Path) -> dict[str, Any]:
    try:
        fingerprint = json.loads(path.read_bytes())["fingerprint"]
    except (ValueError, KeyError, TypeError):
        fingerprint = None
    if not isinstance(fingerprint, dict):
        raise DataError(path, "holds no fingerprint; remove it and the rows beside it")
    return cast("dict[str, Any]", fingerprint)


def _differences(known: dict[str, Any], wanted: dict[str, Any]) -> str:
    def spelt(values: dict[str, Any], name: str) -> str:
        return dumps(values[name]) if name in values else _ABSENT

    changed = [
        f"{name} {spelt(known, name)} (now {spelt(wanted, name)})"
        for name in sorted(known | wanted)
        if spelt(known, name) != spelt(wanted, name)
    ]
    return f"were made with {', '.join(changed)}"
