"""Whose voice it is: the person that the agent serves is learned once, and others are told apart from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HZ = 16_000
ENROL_S = 4.0
# Shorter speech says too little: of half a second, every third piece of the person's own looks like another's.
LEAST_S = 1.0
# Likenesses of Resemblyzer's on people's recordings (`benchmarks/speakers.py`): below, another's; above, the person's.
OTHER_BELOW, SAME_ABOVE = 0.58, 0.68


class Embedder(Protocol):
    """A voice as numbers: 16 kHz samples to a vector of length 1, None where there is hardly any sound."""

    async def embed(self, samples: NDArray[np.float32]) -> NDArray[np.float32] | None: ...


@dataclass(frozen=True, slots=True)
class Known:
    """Who speaks: "person", "other" or None; whether that is the enrolled one (None: nobody knows), and how much the
    voice is like theirs, 0 to 1."""

    speaker: str | None = None
    enrolled: bool | None = None
    likeness: float | None = None


class Speakers(Protocol):
    """Tells the enrolled person from others."""

    async def known(self, pcm: bytes) -> Known:
        """Whose speech this is, 16 kHz int16."""
        ...

    async def learn(self, pcm: bytes) -> None:
        """A whole utterance, for who is not enrolled yet."""
        ...


class Lock:
    """One session's. `key` is the person's voice; without one, the first `enrol_s` seconds of speech make it."""

    def __init__(
        self, embedder: Embedder, key: NDArray[np.float32] | None = None, enrol_s: float = ENROL_S
    ) -> None:
        self._embedder, self._key = embedder, key
        self._wanted = int(enrol_s * _HZ)
        self._learned: list[NDArray[np.float32]] = []

    async def known(self, pcm: bytes) -> Known:
        samples = _samples(pcm)
        if self._key is None or len(samples) < LEAST_S * _HZ:
            return Known()
        voice = await self._embedder.embed(samples)
        if voice is None:
            return Known()
        likeness = float(voice @ self._key)
        if likeness < OTHER_BELOW:
            return Known("other", False, likeness)
        if likeness >= SAME_ABOVE:
            return Known("person", True, likeness)
        return Known(None, None, likeness)

    async def learn(self, pcm: bytes) -> None:
        if self._key is not None:
            return
        self._learned.append(_samples(pcm))
        if sum(map(len, self._learned)) >= self._wanted:
            self._key = await self._embedder.embed(np.concatenate(self._learned)[: 2 * self._wanted])
            self._learned.clear()


class Others:
    """Utterances that are said to be another's. Who is not known to be another counts as the person already: saying
    so of one utterance, and not yet of the next, would make two speakers of one turn."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def changed(self, utterance: str, *, other: bool) -> bool:
        """Whether this is news of the utterance."""
        if other == (utterance in self._known):
            return False
        (self._known.add if other else self._known.discard)(utterance)
        return True


def _samples(pcm: bytes) -> NDArray[np.float32]:
    return np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32768)
