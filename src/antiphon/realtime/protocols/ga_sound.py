"""A session's sound formats: what clients send becomes 16 kHz for the ear, 24 kHz speech becomes what they want."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio import g711
from antiphon.audio.clip import pcm16
from antiphon.audio.resample import Resampler
from antiphon.errors import WireError
from antiphon.models.wire.ga.shapes import Format
from antiphon.realtime.live.playout import RATE_HZ
from antiphon.realtime.live.understanding import HEARD_HZ

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PCM_RATES = (16_000, 24_000)
_TELEPHONE = {"audio/pcmu": (g711.mu_decode, g711.mu_encode), "audio/pcma": (g711.a_decode, g711.a_encode)}
_SCALE = np.float32(32768)


def checked(given: Format | None, param: str) -> Format:
    """A format that we speak, with its rate. Raises WireError that names the field."""
    kind = given.type if given is not None else "audio/pcm"
    if kind in _TELEPHONE:
        return Format(type=kind)
    rate = (given.rate if given is not None else None) or RATE_HZ
    if kind != "audio/pcm" or rate not in _PCM_RATES:
        raise WireError(
            "session.update", param, f"no format {kind} at {rate} Hz; there are: audio/pcm at 16000 or 24000, audio/pcmu, audio/pcma"
        )  # fmt: skip
    return Format(type=kind, rate=rate)


def _rate(chosen: Format) -> int:
    return g711.RATE_HZ if chosen.type in _TELEPHONE else chosen.rate or RATE_HZ


class Intake:
    """A client's sound as 16 kHz int16."""

    def __init__(self, chosen: Format) -> None:
        self._decode = _TELEPHONE[chosen.type][0] if chosen.type in _TELEPHONE else None
        self._resampler = Resampler(_rate(chosen), HEARD_HZ)
        self._half = b""  # of a sample that was cut between two events

    def push(self, data: bytes) -> bytes:
        """What this piece completes."""
        if self._decode is None:
            data = self._half + data
            whole = len(data) - len(data) % 2
            data, self._half = data[:whole], data[whole:]
        ints = self._decode(data) if self._decode is not None else np.frombuffer(data, dtype="<i2")
        return pcm16(self._resampler.push(ints.astype(np.float32) / _SCALE))


class Outlet:
    """Speech of 24 kHz int16 as the client wants it."""

    def __init__(self, chosen: Format) -> None:
        self._encode = _TELEPHONE[chosen.type][1] if chosen.type in _TELEPHONE else None
        self._plain = chosen.type == "audio/pcm" and _rate(chosen) == RATE_HZ
        self._resampler = Resampler(RATE_HZ, _rate(chosen))

    def push(self, pcm: bytes) -> bytes:
        """What this piece completes."""
        if self._plain:
            return pcm
        return self._coded(self._resampler.push(np.frombuffer(pcm, dtype="<i2").astype(np.float32) / _SCALE))

    def finish(self) -> bytes:
        """What the last piece leaves: an answer ends with its last sample."""
        return b"" if self._plain else self._coded(self._resampler.finish())

    def _coded(self, samples: NDArray[np.float32]) -> bytes:
        data = pcm16(samples)
        return self._encode(np.frombuffer(data, dtype="<i2").astype(np.int16)) if self._encode else data
