"""Observers of what a session hears, beside its recogniser: how loud it is, whose voice, whether a turn is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.realtime import events
from antiphon.realtime.live.input_level import InputLevel
from antiphon.realtime.live.speakers import LEAST_S, Others
from antiphon.realtime.policy.end_of_turn import SCORE, Turns

if TYPE_CHECKING:
    from antiphon.audio.clip import Clip
    from antiphon.realtime.live.desk import Desk
    from antiphon.realtime.live.hearing import Ear, Ended
    from antiphon.realtime.live.ports import Parts
    from antiphon.realtime.live.speakers import Speakers
    from antiphon.realtime.policy.end_of_turn import EndOfTurn

_LEAST_BYTES = int(LEAST_S * 2 * 16_000)
# When a voice is looked at: first, and again. The sound so far begins before the voice does.
FIRST_US, NEXT_US = 900_000, 1_500_000


class Watching:
    """One session's observers. What they find goes to the engine and, for those who want to see it, to the client."""

    def __init__(self, parts: Parts, desk: Desk) -> None:
        self._desk = desk
        self._level = InputLevel()
        self._turns = Turns()
        self._end_of_turn: EndOfTurn | None = parts.end_of_turn
        self._speakers: Speakers | None = parts.speakers() if parts.speakers is not None else None
        self._others = Others()

    def sound(self, pcm: bytes, ear: Ear) -> None:
        """What the microphone gave, before anything is taken out of it."""
        for level in self._level.push(pcm, ear.noise_db):
            self._desk.listener.observed(
                "level",
                dbfs=level.dbfs,
                clipped=round(level.clipped, 4),
                noise_dbfs=None if level.noise_dbfs is None else round(level.noise_dbfs, 1),
                problem=level.problem,
            )

    def began(self, utterance: str, ear: Ear) -> None:
        """Somebody speaks."""
        if self._speakers is not None:
            self._desk.start(f"voice of {utterance}", self._follow(self._speakers, utterance, ear))

    def ended(self, edge: Ended) -> None:
        """And is silent for a moment."""
        if self._speakers is not None:
            self._desk.start(f"whole voice of {edge.utterance}", self._whole(self._speakers, edge))
        if self._end_of_turn is not None:
            turn = self._turns.add(edge.pcm, self._desk.now_us())
            self._desk.start(f"end of {edge.utterance}", self._score(self._end_of_turn, edge.utterance, turn))

    async def _follow(self, speakers: Speakers, utterance: str, ear: Ear) -> None:
        await self._desk.clock.sleep_us(FIRST_US)
        while ear.utterance == utterance:
            if len(ear.so_far()) >= _LEAST_BYTES:
                await self._look(speakers, utterance, ear.so_far())
            await self._desk.clock.sleep_us(NEXT_US)

    async def _whole(self, speakers: Speakers, edge: Ended) -> None:
        await self._look(speakers, edge.utterance, edge.pcm)
        await speakers.learn(edge.pcm)

    async def _look(self, speakers: Speakers, utterance: str, pcm: bytes) -> None:
        known = await speakers.known(pcm)
        if known.likeness is None:
            return
        likeness = round(known.likeness, 3)
        self._desk.listener.observed("speaker", utterance=utterance, speaker=known.speaker, likeness=likeness)
        other = known.enrolled is False
        if self._others.changed(utterance, other=other):
            speaker, enrolled = (known.speaker, False) if other else (None, None)
            self._desk.put(events.SpeakerKnown, utterance, speaker, enrolled)

    async def _score(self, model: EndOfTurn, utterance: str, turn: Clip) -> None:
        value = await model.score(turn)
        self._desk.put(events.Score, SCORE, value, utterance)
        self._desk.listener.observed("end_of_turn", utterance=utterance, score=round(value, 3))
