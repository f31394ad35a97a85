"""Whether a turn is over by its sound: one turn's speech for a model, and what its score does to a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from antiphon.audio.clip import Clip

if TYPE_CHECKING:
    from collections.abc import Mapping

SCORE = "end_of_turn"
# However unfinished it sounds: who has been silent for so long waits for an answer.
LONGEST_US = 1_500_000
_HZ, _BYTES_PER_US = 16_000, 2 * 16_000 / 1e6
_LONGEST_BYTES = 8 * 2 * _HZ
_SAME_TURN_US = 2_000_000


class EndOfTurn(Protocol):
    """How likely the turn is over at the clip's end, 0 to 1."""

    async def score(self, turn: Clip) -> float: ...


def heard_end(pause_us: int, why: str, scores: Mapping[str, float]) -> tuple[int, str]:
    """The silence that ends a turn, and why, once its sound is scored: half of it where it sounds finished, up to
    `LONGEST_US` where it sounds unfinished. A sentence whose words are unfinished is waited for as before."""
    score = scores.get(SCORE)
    if score is None or pause_us >= LONGEST_US:
        return pause_us, why
    if score >= 0.5:
        return round(pause_us * (1.5 - score)), f"{why}, and sounds so"
    return round(pause_us + (LONGEST_US - pause_us) * (1 - 2 * score)), f"{why}, but sounds unfinished"


class Turns:
    """The speech of the turn under way: utterances with less than 2 s between them, 8 s at most."""

    def __init__(self) -> None:
        self._pcm = b""
        self._end_us = 0

    def add(self, pcm: bytes, now_us: int) -> Clip:
        """One more utterance, whose sound ends now; all of the turn so far, its pauses silent."""
        gap_us = now_us - len(pcm) / _BYTES_PER_US - self._end_us
        if gap_us > _SAME_TURN_US:
            self._pcm = b""
        elif self._pcm:
            self._pcm += bytes(2 * max(0, int(gap_us * _HZ / 1e6)))
        self._pcm = (self._pcm + pcm)[-_LONGEST_BYTES:]
        self._end_us = now_us
        return Clip.from_pcm16(self._pcm, _HZ)
