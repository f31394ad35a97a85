"""Echo cancellation: WebRTC's AEC3, out of LiveKit's audio processing module.

livekit's wheel carries WebRTC for Linux and macOS and needs no server, key or network for this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.errors import UnavailableError

if TYPE_CHECKING:
    from livekit.rtc.apm import AudioProcessingModule
    from livekit.rtc.audio_frame import AudioFrame

RATE_HZ = 16_000
BLOCK = RATE_HZ // 100
BLOCK_BYTES = 2 * BLOCK


class Aec3:
    """One microphone and one loudspeaker. It finds the delay between them by itself, up to about half a second.

    About 1 ms to make (0.2 s for the first one in a process) and 0.08 ms for a block.
    """

    name = "WebRTC AEC3 (livekit)"

    def __init__(self) -> None:
        self._module, self._frame = _load()

    def cancel(self, near: bytes, far: bytes) -> bytes:
        """The microphone's next 10 ms without the loudspeaker's: both int16 mono at 16 kHz, `BLOCK_BYTES` long.

        The sound in `far` must have been played no later than `near` was taken. Raises ValueError for other
        lengths.
        """
        if len(near) != BLOCK_BYTES or len(far) != BLOCK_BYTES:
            raise ValueError(f"blocks of {BLOCK_BYTES} bytes, not {len(near)} and {len(far)}")
        taken = self._frame(bytearray(near), RATE_HZ, 1, BLOCK)
        self._module.process_reverse_stream(self._frame(bytearray(far), RATE_HZ, 1, BLOCK))
        self._module.set_stream_delay_ms(0)
        self._module.process_stream(taken)
        return bytes(taken.data)


def _load() -> tuple[AudioProcessingModule, type[AudioFrame]]:
    try:
        from livekit.rtc.apm import AudioProcessingModule
        from livekit.rtc.audio_frame import AudioFrame
    except ImportError as error:
        raise UnavailableError("echo cancellation needs livekit", "pip install 'antiphon[echo]'") from error
    return AudioProcessingModule(echo_cancellation=True), AudioFrame
