"""The sound of a recording: each voice's samples in their place in time, and both in one WAV file that grows."""

from __future__ import annotations

import os
import struct
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import pcm16
from antiphon.audio.resample import Resampler
from antiphon.errors import DataError
from antiphon.realtime.live.playout import RATE_HZ as SPOKEN_HZ

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.realtime.live.playout import Frame

RATE_HZ = 16_000
_BYTES = 2
_HEAD = 44
_JITTER = RATE_HZ * 3 // 10  # a piece that comes this much too late or early follows the one before
_AHEAD = 60 * RATE_HZ  # sound of a client that sends faster than time goes


def place(us: int) -> int:
    """The sample at a time of the session."""
    return us * RATE_HZ // 1_000_000


class Track:
    """One voice, int16 at 16 kHz. Samples wait here until they are taken."""

    def __init__(self) -> None:
        self.taken = 0  # samples
        self._pcm = bytearray()

    @property
    def end(self) -> int:
        """The sample after the last one."""
        return self.taken + len(self._pcm) // _BYTES

    def put(self, at: int, pcm: bytes) -> None:
        """This sound begins at sample `at`, but not before the end of what is there."""
        self._pcm += bytes(_BYTES * max(0, at - self.end))
        self._pcm += pcm

    def silence(self, begin: int, end: int) -> None:
        """Nothing is heard between these samples."""
        first, last = (max(0, min(at - self.taken, len(self._pcm) // _BYTES)) * _BYTES for at in (begin, end))
        if first < last:
            self._pcm[first:last] = bytes(last - first)

    def take(self, until: int) -> bytes:
        """All sound up to this sample, silence where there is none."""
        size = _BYTES * max(0, until - self.taken)
        piece = bytes(self._pcm[:size]).ljust(size, b"\0")
        del self._pcm[:size]
        self.taken = max(self.taken, until)
        return piece


class Person(Track):
    """Sound as it arrives: its end is now."""

    def hear(self, pcm: bytes, now_us: int) -> tuple[int, int]:
        """Where it was put. A client may be a minute ahead of time; what is beyond is dropped."""
        at = place(now_us) - len(pcm) // _BYTES
        begin = self.end if abs(at - self.end) <= _JITTER or at < self.end else at
        self.put(begin, pcm[: _BYTES * max(0, place(now_us) + _AHEAD - begin)])
        return begin, self.end


class Agent(Track):
    """Sound as it is played: frames that left early wait for their time, and some are never heard."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[tuple[int, Frame]] = deque()
        self._empty_us = 0
        self._resampler = Resampler(SPOKEN_HZ, RATE_HZ)
        self._next_us: int | None = None  # when the next frame has to begin to follow without a gap

    def send(self, frame: Frame, now_us: int) -> int:
        """A frame leaves; when it will be played."""
        begin_us = max(self._empty_us, now_us)
        self._empty_us = begin_us + frame.ms * 1000
        self._waiting.append((begin_us, frame))
        return begin_us

    def drop(self, now_us: int) -> None:
        """The client has thrown away what it has not played."""
        self.play(now_us)
        self._waiting.clear()
        self._empty_us = min(self._empty_us, now_us)

    def play(self, now_us: int) -> None:
        """Time has come this far."""
        while self._waiting and self._waiting[0][0] <= now_us:
            begin_us, frame = self._waiting.popleft()
            if begin_us != self._next_us:
                self.settle()
                self.put(place(begin_us), b"")
            self._next_us = begin_us + frame.ms * 1000
            self._add(np.frombuffer(frame.pcm, dtype="<i2").astype(np.float32) / np.float32(32768))
        if self._next_us is not None and now_us > self._next_us:
            self.settle()

    def settle(self) -> None:
        """What the resampler holds back belongs to the sound before."""
        if self._next_us is not None:
            self.put(0, pcm16(self._resampler.finish()))
        self._next_us = None

    def _add(self, samples: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
        self.put(0, pcm16(self._resampler.push(samples)))

    @property
    def waiting(self) -> bool:
        """Whether frames wait for their time."""
        return bool(self._waiting)


class WavFile:
    """A stereo WAV file, whole after every `add`, so that a process that is killed leaves one that plays."""

    def __init__(self, path: Path) -> None:
        """Raises DataError where there is one already, or where it cannot be written."""
        self._path = path
        self._size = 0
        try:
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataError(path, f"cannot be written ({error.strerror or error})") from error
        self._write(_head(0), 0)

    def add(self, left: bytes, right: bytes) -> None:
        """Both voices, equally long. Raises DataError when the disk refuses."""
        both = np.stack([np.frombuffer(left, "<i2"), np.frombuffer(right, "<i2")], axis=1).tobytes()
        self._write(both, _HEAD + self._size)
        self._size += len(both)
        self._write(_head(self._size), 0)

    def _write(self, data: bytes, at: int) -> None:
        try:
            if os.pwrite(self._fd, data, at) != len(data):
                raise OSError("the disk is full")
        except OSError as error:
            raise DataError(self._path, f"sound not written ({error.strerror or error})") from error

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _head(size: int) -> bytes:
    rate = 2 * _BYTES * RATE_HZ
    return b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt " + struct.pack(
        "<IHHIIHH", 16, 1, 2, RATE_HZ, rate, 2 * _BYTES, 8 * _BYTES
    ) + b"data" + struct.pack("<I", size)  # fmt: skip
