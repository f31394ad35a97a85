"""All recordings of a server: where each one goes, and that none stays longer than it may."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from antiphon.realtime.recording.recording import ABOUT, KIND, LOG, SOUND, TRANSCRIPT, Recording
from antiphon.realtime.simulation.recorded import Header

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from antiphon.clock import Clock

# Only folders of this name, with our own description inside, are ever looked into.
_NAME = re.compile(r"\d{8}T\d{6}-sess_[0-9A-Za-z]{8,64}")


@dataclass
class Archive:
    """Recordings in `folder`, deleted `days` after they began."""

    every_s: ClassVar[float] = 3600.0  # between two sweeps
    folder: Path
    days: float
    redact: bool
    clock: Clock
    model: str
    policy: str = "default"
    names: tuple[str, ...] = ()
    times: Mapping[str, int] = field(default_factory=dict[str, int])  # of the policy

    def begin(self, session: str, *, knows_pauses: bool, failed: Callable[[str], None]) -> Recording:
        """Raises DataError where it cannot be written."""
        now = self.clock.utc()
        name = f"{now:%Y%m%dT%H%M%S}-{session}"
        about = {
            "session": session,
            "began": now.isoformat(),
            "model": self.model,
            "retention_days": self.days,
        }
        header = Header(
            session, self.policy, 0, self.names, scripted="scripted" in self.model, times=dict(self.times)
        )
        return Recording(
            self.folder / name, about, header, redact=self.redact, knows_pauses=knows_pauses, failed=failed
        )

    def sweep(self) -> list[str]:
        """Delete what is older than it may be; the names of what was deleted. A file that is not ours stays, and
        so does its folder."""
        gone: list[str] = []
        before = self.clock.utc() - timedelta(days=self.days)
        for folder in sorted(self.folder.iterdir()) if self.folder.is_dir() else []:
            began = _began(folder)
            if began is None or began >= before:
                continue
            with suppress(OSError):  # what cannot be deleted now is tried again in an hour
                for name in (SOUND, TRANSCRIPT, LOG, ABOUT):  # the description last: it is what we know it by
                    (folder / name).unlink(missing_ok=True)
                gone.append(folder.name)
                folder.rmdir()
        return gone


def _began(folder: Path) -> datetime | None:
    """When a recording of ours began; None for anything else."""
    if folder.is_symlink() or not folder.is_dir() or _NAME.fullmatch(folder.name) is None:
        return None
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        began = datetime.fromisoformat(about["began"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return began if about.get("kind") == KIND and began.tzinfo is not None else None
