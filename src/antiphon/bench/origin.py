"""Where and when a run was made, and whose clock it goes by."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from antiphon import __version__
from antiphon.clock import RealClock
from antiphon.models.ports import is_scripted

if TYPE_CHECKING:
    from antiphon.clock import Clock


class ScriptClock(RealClock):
    """The clock of scripted systems: a paced script takes its time, but every run has the same date."""

    def utc(self) -> datetime:
        return datetime(2000, 1, 1, tzinfo=UTC)


def clock_for(system: str) -> Clock:
    """Whose clock a system goes by. Scripted ones declare their times, and so their date."""
    return ScriptClock() if is_scripted(system) else RealClock()


def machine() -> str:
    """What a reply was made on: enough to tell two machines apart in a report."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def stamp(system: str) -> dict[str, Any]:
    """Versions, date and machine of a run; date and machine of a scripted one are part of the script."""
    return {
        "antiphon": __version__,
        "made_at": clock_for(system).utc().isoformat(timespec="seconds"),
        "machine": "scripted" if is_scripted(system) else machine(),
        "python": platform.python_version(),
    }
