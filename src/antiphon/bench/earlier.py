"""Rows of an instrument that is replaced by another: set aside under `earlier/`, and found again there.

Scoring a run again with another recogniser or judge must not mix two instruments in one file, and must
not lose what the first one cost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from antiphon.ids import hash_json
from antiphon.stage.journal import journal_path
from antiphon.stage.sidecar import sidecar_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def make_room(out: Path, fingerprint: Mapping[str, object]) -> None:
    """See to it that `out` holds rows made with `fingerprint`, or none."""
    sidecar = sidecar_path(out)
    if sidecar.exists():
        known = json.loads(sidecar.read_bytes())["fingerprint"]
        if known == json.loads(json.dumps(fingerprint)):
            return
        _move(out, out.parent, _shelf(out, known))
    _move(out, _shelf(out, fingerprint), out.parent)


def _shelf(out: Path, fingerprint: Mapping[str, object]) -> Path:
    return out.parent / "earlier" / hash_json(fingerprint)[:12]


def _move(out: Path, source: Path, target: Path) -> None:
    """Rows first, fingerprint last: a crash in between leaves rows that still refuse a wrong stage."""
    for path in (out, journal_path(out), sidecar_path(out)):
        found = source / path.name
        if found.exists():
            target.mkdir(parents=True, exist_ok=True)
            found.replace(target / path.name)
