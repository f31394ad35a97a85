"""Sound that arrives in pieces: WAV or raw PCM."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antiphon.audio.clip import Clip

_HEADER_LIMIT = 4096


@dataclass
class SoundReader:
    """Sound that arrives in pieces cut anywhere. A WAV header sets rate and channels; without one the
    pieces are 16-bit mono PCM at `rate_hz`. Servers differ: some send a header once, some with each piece.

    `read` gives the clip of whatever is complete, None when nothing is. Raises ValueError on a header
    that is not 16-bit PCM.
    """

    rate_hz: int
    channels: int = 1
    _rest: bytes = field(default=b"", repr=False)
    _header: bool = field(default=False, repr=False)

    def read(self, piece: bytes) -> Clip | None:
        if not self._rest and piece[:4] == b"RIFF":
            self._header = True
        data = self._rest + piece
        if self._header:
            samples = self._after_header(data)
            if samples is None:
                self._rest = data
                return None
            data, self._header = samples, False
        frame = 2 * self.channels
        whole = len(data) - len(data) % frame
        self._rest = data[whole:]
        if not whole:
            return None
        ints = np.frombuffer(data[:whole], dtype="<i2").reshape(-1, self.channels)
        return Clip(ints.astype(np.float32).mean(axis=1) / np.float32(32768), self.rate_hz)

    def _after_header(self, data: bytes) -> bytes | None:
        """The samples so far, or None while the header is incomplete."""
        at = 12
        while at + 8 <= len(data):
            name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
            if name == b"data":
                end = at + 8 + size
                return data[at + 8 : end] if end <= len(data) else data[at + 8 :]
            if name == b"fmt " and at + 24 <= len(data):
                self._read_format(data[at + 8 : at + 24])
            at += 8 + size + size % 2
            if at > _HEADER_LIMIT:
                raise ValueError("a WAV header without samples")
        return None

    def _read_format(self, fmt: bytes) -> None:
        channels = int.from_bytes(fmt[2:4], "little")
        rate_hz = int.from_bytes(fmt[4:8], "little")
        bits = int.from_bytes(fmt[14:16], "little")
        if bits != 16 or not channels or not rate_hz:
            raise ValueError(
                f"a WAV stream of {bits} bits, {channels} channels at {rate_hz} Hz; 16 bits work"
            )
        self.channels, self.rate_hz = channels, rate_hz
