"""The agent's own voice taken out of what the microphone hears: what was played when, and the canceller fed with it.

The server knows what it sent and when the client should play it. That is the far end; the network's and the
room's delay is for the canceller to find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from antiphon.audio.aec import BLOCK, BLOCK_BYTES, RATE_HZ
from antiphon.audio.resample import Resampler
from antiphon.realtime.live.arrivals import Arrivals

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAYED_HZ = 24_000
# Pieces closer together than this follow one another: their times were rounded.
_JOINT_US = 30_000
# So long after the last sound, no room and no network owes an echo of it.
_TAIL_US = 2_000_000
_TAIL = RATE_HZ * _TAIL_US // 1_000_000


class Canceller(Protocol):
    """10 ms of the microphone without what the loudspeaker played: int16 mono at 16 kHz, `BLOCK_BYTES` each."""

    def cancel(self, near: bytes, far: bytes) -> bytes: ...


class FarEnd:
    """What the loudspeaker plays, by the time of the session, at 16 kHz."""

    def __init__(self) -> None:
        self._pcm = bytearray()
        self._start = 0  # the sample number, since the session began, of the first one kept
        self._resampler = Resampler(_PLAYED_HZ, RATE_HZ)
        self.last_us: int | None = None  # when the last sound will be over

    @property
    def _end(self) -> int:
        return self._start + len(self._pcm) // 2

    def plays(self, pcm: bytes, at_us: int) -> None:
        """24 kHz int16 that begins to sound at `at_us`."""
        samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32)
        if self.last_us is None or abs(at_us - self.last_us) > _JOINT_US:
            self._resampler.finish()
            self._move_to(max(0, at_us) * RATE_HZ // 1_000_000)
            self.last_us = at_us
        self._pcm += np.clip(self._resampler.push(samples), -32768, 32767).astype("<i2").tobytes()
        self.last_us += len(samples) * 1_000_000 // _PLAYED_HZ

    def halts(self, now_us: int) -> None:
        """What has not sounded yet never will."""
        if self.last_us is not None and self.last_us > now_us:
            self._move_to(now_us * RATE_HZ // 1_000_000)
            self.last_us = now_us

    def _move_to(self, sample: int) -> None:
        """Go on at this sample: silence up to it, or nothing after it."""
        if sample - self._end > _TAIL:
            self._pcm.clear()
            self._start = sample
        del self._pcm[2 * max(0, sample - self._start) :]
        self._pcm += bytes(2 * max(0, sample - self._end))

    def at(self, at_us: int) -> bytes:
        """10 ms of it from `at_us` on; what is older is forgotten."""
        first = at_us * RATE_HZ // 1_000_000
        if first > self._start:
            del self._pcm[: 2 * (first - self._start)]
            self._start = first
        lead = max(0, self._start - first)
        return (bytes(2 * lead) + self._pcm[: 2 * max(0, BLOCK - lead)])[:BLOCK_BYTES].ljust(
            BLOCK_BYTES, b"\0"
        )


class Echo:
    """One session's echo. Where it is not `on`, or the agent has been silent for two seconds, sound passes
    untouched and costs nothing."""

    def __init__(self, canceller: Callable[[], Canceller] | None = None) -> None:
        self._make = canceller
        self._canceller: Canceller | None = None
        self._far = FarEnd()
        self._near = Arrivals()
        self._rest = b""
        self._done = 0  # bytes of the near end that have left
        self.on = False

    def plays(self, pcm: bytes, at_us: int) -> None:
        """The client plays this from `at_us` on."""
        if self.on:
            self._far.plays(pcm, at_us)

    def halts(self, now_us: int) -> None:
        """The client has stopped, and drops what it had not played."""
        self._far.halts(now_us)

    def clean(self, pcm: bytes, now_us: int) -> bytes:
        """The person's newest sound without the agent's, in whole blocks of 10 ms."""
        if self._make is None:
            return pcm
        self._near.add(len(pcm), now_us)
        sound = self._rest + pcm
        whole = len(sound) // BLOCK_BYTES * BLOCK_BYTES
        if not self.on or not self._sounding():
            self._rest, self._done = b"", self._done + len(sound)
            return sound
        self._rest = sound[whole:]
        if self._canceller is None:
            self._canceller = self._make()
        cleaned = bytearray()
        for start in range(0, whole, BLOCK_BYTES):
            far = self._far.at(self._near.at_us(self._done))
            cleaned += self._canceller.cancel(sound[start : start + BLOCK_BYTES], far)
            self._done += BLOCK_BYTES
        return bytes(cleaned)

    def _sounding(self) -> bool:
        last_us = self._far.last_us
        return last_us is not None and self._near.at_us(self._done) < last_us + _TAIL_US
