"""Sessions on disk, for clients that come back after the server was restarted: one small file each, whole or not there.

A file is as old as its client was last there; who stays away longer than `resume_s` finds it gone. The folder has
one server: another one that would answer for the same sessions is refused.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from antiphon.errors import ConfigError
from antiphon.jsonl import write_bytes
from antiphon.realtime.engine.kept import Kept
from antiphon.realtime.protocols.ga_kept import Talk

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.clock import Clock

KIND = "antiphon-session"
BEAT_S = 5.0  # how often a file learns that its client is there
_NAME = re.compile(r"sess_[0-9a-f]{8,64}")
_FILE = re.compile(r"\.?(sess_[0-9a-f]{8,64})\.json(?:\.[\d-]+)?")  # one that was not finished, too


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session between two servers. `token` is the hash of what its client comes back with."""

    session: str
    token: str
    expires: int  # when its length is over, seconds of UTC
    number: int  # of its last event
    put_bytes: int
    utterances: int
    cues: dict[str, float | str]
    talk: Talk
    conversation: Kept
    kind: str = KIND
    v: int = 1


def hashed(token: str) -> str:
    """What is kept of a token: it opens nothing."""
    return sha256(token.encode()).hexdigest()


@dataclass
class KeptSessions:
    """Raises ConfigError for a folder that cannot be had."""

    folder: Path
    clock: Clock
    resume_s: float
    _lock: int = field(init=False)

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(
                f"--keep {self.folder}: cannot be written ({error.strerror or error})"
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise ConfigError(f"--keep {self.folder}: another server keeps its sessions there") from None

    @property
    def every_s(self) -> float:
        """Between two sweeps."""
        return self.resume_s + BEAT_S

    def close(self) -> None:
        """Let another server have the folder."""
        os.close(self._lock)

    def write(self, name: str, data: bytes, seen_s: float) -> None:
        """Keep this session, whose client was there at `seen_s`. Raises DataError when the disk refuses."""
        path = self._path(name)
        write_bytes(path, data, mode=0o600)
        self.seen(name, seen_s)

    def seen(self, name: str, seen_s: float) -> None:
        """The client was there at this time, in seconds of UTC."""
        with suppress(OSError):  # it is told again soon
            os.utime(self._path(name), (seen_s, seen_s))

    def read(self, name: str) -> KeptSession | None:
        """A session that its client may have again; None where there is none (any more)."""
        if _NAME.fullmatch(name) is None:
            return None
        try:
            if self._old(self._path(name)):
                return None
            found = msgspec.json.decode(self._path(name).read_bytes(), type=KeptSession)
        except (OSError, msgspec.MsgspecError):
            return None
        whole = (found.kind, found.v, found.session) == (KIND, 1, name)
        return found if whole and found.expires > self.clock.utc().timestamp() else None

    def forget(self, name: str) -> None:
        """The session is over."""
        with suppress(OSError):  # the next sweep tries again
            self._path(name).unlink(missing_ok=True)

    def sweep(self) -> list[str]:
        """Delete what nobody may come back to any more; the sessions' names. Files that are not ours stay."""
        gone: list[str] = []
        for path in sorted(self.folder.iterdir()):
            found = _FILE.fullmatch(path.name)
            with suppress(OSError):
                if found is not None and self._old(path):
                    path.unlink()
                    gone.append(found[1])
        return gone

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _old(self, path: Path) -> bool:
        age_s = self.clock.utc().timestamp() - path.stat().st_mtime
        return age_s > self.resume_s + BEAT_S
