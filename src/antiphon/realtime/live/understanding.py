"""From the sound of an utterance, or of a turn that the client commits, to its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.audio.clip import Clip
from antiphon.realtime import events

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from antiphon.models.ports import Transcriber
    from antiphon.realtime.live.desk import Desk
    from antiphon.realtime.live.hearing import Ear, Ended
    from antiphon.realtime.live.ports import Manners

    Observer = Callable[[str, str, Callable[..., None]], Coroutine[Any, Any, None]]

HEARD_HZ = 16_000
# A recogniser is asked about unfinished speech only while the agent holds the floor: there its words decide.
FIRST_PARTIAL_US, NEXT_PARTIAL_US = 400_000, 600_000
_REMEMBERED = 16
_LONGEST_TURN_S = 300


class Understanding:
    """Runs the recogniser for one session, and keeps the last utterances' sound."""

    def __init__(self, transcriber: Transcriber, desk: Desk, manners: Manners) -> None:
        self._transcriber, self._desk, self._manners = transcriber, desk, manners
        self.clips: dict[str, Clip] = {}
        self.observer: Observer | None = None  # what it thinks of an utterance's words comes as scores
        self._pcm = bytearray()  # of a turn that the client will commit

    def ended(self, edge: Ended) -> None:
        """An utterance is over: its words come as `Words`."""
        self._desk.start(f"words {edge.utterance}", self._recognise(edge))

    def began_over_answer(self, utterance: str, ear: Ear, answering: Callable[[], bool]) -> None:
        """Somebody speaks over the agent: partial words, as long as both go on."""
        self._desk.start(f"partials {utterance}", self._partials(utterance, ear, answering))

    def collect(self, pcm: bytes) -> bool:
        """Sound of a turn that the client commits; False where it should have done so long ago."""
        self._pcm += pcm
        if full := len(self._pcm) > _LONGEST_TURN_S * 2 * HEARD_HZ:
            self._pcm.clear()
        return not full

    def clear(self) -> None:
        """Forget sound that was not committed."""
        self._pcm.clear()

    def commit(self) -> bytes:
        """The sound so far is a turn; empty where there is none."""
        pcm = bytes(self._pcm)
        self._pcm.clear()
        return pcm

    def read(self, item: str, pcm: bytes, known: Callable[[str], None]) -> None:
        """Have the words of an item's sound found; `known` gets them, empty where nobody understood."""
        self._desk.start(f"words {item}", self._read(pcm, known))

    async def _words(self, clip: Clip) -> str:
        return (await self._transcriber.transcribe([clip], self._manners.language))[0].text.strip()

    async def _recognise(self, ended: Ended) -> None:
        clip = Clip.from_pcm16(ended.pcm, HEARD_HZ)
        self.clips[ended.utterance] = clip
        for old in list(self.clips)[:-_REMEMBERED]:
            del self.clips[old]
        text = ""
        try:
            text = await self._words(clip)
        finally:  # an utterance that nobody could understand must not keep the engine waiting
            self._desk.put(events.Words, ended.utterance, text, ended.at_us, final=True)
        self._desk.listener.heard(ended.utterance, text, final=True)
        if self.observer is not None:
            self._desk.start(
                f"scores {ended.utterance}", self.observer(ended.utterance, text, self._desk.put)
            )

    async def _partials(self, utterance: str, ear: Ear, answering: Callable[[], bool]) -> None:
        await self._desk.clock.sleep_us(FIRST_PARTIAL_US)
        while ear.utterance == utterance and answering():
            end_us = self._desk.now_us()
            text = await self._words(Clip.from_pcm16(ear.so_far(), HEARD_HZ))
            if text and ear.utterance == utterance:
                self._desk.put(events.Words, utterance, text, end_us)
                self._desk.listener.heard(utterance, text, final=False)
            await self._desk.clock.sleep_us(NEXT_PARTIAL_US)

    async def _read(self, pcm: bytes, known: Callable[[str], None]) -> None:
        text = ""
        try:
            text = await self._words(Clip.from_pcm16(pcm, HEARD_HZ))
        finally:  # whoever asked for an answer to it gets one
            known(text)
