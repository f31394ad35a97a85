"""Ears that hear: lines as sound in a room, a voice detector frame by frame, and a recogniser that takes its time.

They hear as a live session does (`driver`): the same cutting into utterances, words of unfinished speech only
while the agent has the floor, nothing of who speaks unless somebody can tell. What was heard is known at the end
of a 20 ms frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from antiphon.live import FRAME_US
from antiphon.partner.live import Stretch, Word, words_of
from antiphon.realtime.events import SpeakerKnown, SpeechStarted, SpeechStopped, Words
from antiphon.realtime.live.hearing import Began, Ear, Ended, Manner
from antiphon.realtime.live.speakers import Others
from antiphon.realtime.live.understanding import FIRST_PARTIAL_US, NEXT_PARTIAL_US
from antiphon.realtime.live.watching import FIRST_US, NEXT_US
from antiphon.realtime.simulation.room import RATE_HZ

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.audio.clip import Clip
    from antiphon.partner.live import Line
    from antiphon.realtime.events import Input
    from antiphon.realtime.live.hearing import Detector
    from antiphon.realtime.simulation.recogniser import Latency
    from antiphon.realtime.simulation.room import Room

_FRAME = RATE_HZ * FRAME_US // 1_000_000
# A line that ended so long ago may still be in an utterance: the detector's own delay, and some.
_LATE_US = 200_000


class Who(Protocol):
    """Tells voices apart, for one session; sound is 16 kHz int16."""

    def known(self, pcm: bytes) -> tuple[str | None, bool | None]:
        """Who speaks, and whether that is the person whom the agent serves; None: nobody can tell."""
        ...

    def learn(self, pcm: bytes) -> None:
        """A whole utterance, for who is not known yet."""
        ...


@dataclass(frozen=True, slots=True)
class Organs:
    """What real ears are made of. `say` gives the sound of a piece of a line at a pace, `words` those of a sound.
    Who speaks is told with each onset (`told`, as an oracle would), or found out by `who`, or nobody knows."""

    say: Callable[[Line, str, float], Clip]
    words: Callable[[bytes], str]
    detector: Callable[[], Detector]
    latency: Latency
    who: Who | None = None
    told: bool = False
    manner: Manner = field(default_factory=Manner)


@dataclass(frozen=True, slots=True)
class _Call:
    """The recogniser at work on the sound of an utterance until `due_us`."""

    utterance: str
    pcm: bytes
    end_us: int
    due_us: int
    final: bool


class RealEars:
    """The port `Ears` for one session."""

    by_frames = True

    def __init__(self, organs: Organs, room: Room) -> None:
        self._organs, self._room = organs, room
        self._ear = Ear(organs.detector(), organs.manner, self._name)
        self._sounds: dict[str, list[Clip]] = {}
        self._people: dict[str, tuple[str, bool]] = {}  # line → who says it, and whether they are enrolled
        self._spans: list[tuple[str, int, int]] = []  # lines in the track
        self._lines: dict[str, list[str]] = {}  # utterance → lines in it
        self._calls: list[_Call] = []
        self._free_us = 0  # when the recogniser has ended everything that it was asked
        self._asked = 0
        self._ask_us: int | None = None  # when the words so far are asked for; None: never
        self._who_us: int | None = None  # when it is asked who speaks
        self._others = Others()
        self._now_us = 0

    @property
    def busy(self) -> bool:
        return bool(self._calls) or self._ear.utterance is not None

    def says(self, line: Line, rate: float) -> tuple[Stretch, ...]:
        """The line as long as its sound; within a piece, time goes to words by their length."""
        clips = self._sounds[line.id] = [self._organs.say(line, piece.text, rate) for piece in line.pieces]
        at_us = 0
        found: list[Stretch] = []
        for piece, clip in zip(line.pieces, clips, strict=True):
            words = words_of(piece.text, line.language)
            ends = np.cumsum([max(1, len(word.strip())) for word in words])
            times = [at_us, *(at_us + int(clip.duration_us * end / ends[-1]) for end in ends)]
            found.append(Stretch(tuple(Word(word, times[n], times[n + 1]) for n, word in enumerate(words))))
            at_us = times[-1] + piece.pause_us
        return tuple(found)

    def hears(self, line: Line, stretches: tuple[Stretch, ...], begin_us: int) -> list[Input]:
        """Nothing yet: the line sounds from now on."""
        for clip, stretch in zip(self._sounds.pop(line.id), stretches, strict=True):
            self._room.add(clip.samples, begin_us + stretch.start_us)
        self._people[line.id] = line.speaker, line.enrolled
        self._spans.append((line.id, begin_us, begin_us + stretches[-1].end_us))
        return []

    def lines_of(self, utterance: str) -> tuple[str, ...]:
        return tuple(self._lines.get(utterance, ()))

    def frame(self, now_us: int, *, holds: bool) -> list[Input]:
        self._now_us = now_us
        found: list[Input] = []
        for edge in self._ear.push(self._room.take(_FRAME), now_us):
            found += self._edge(edge, now_us, holds=holds)
        self._note_lines()
        if self._who_us is not None and now_us >= self._who_us and self._ear.utterance is not None:
            self._who_us = now_us + NEXT_US
            found += self._who(self._ear.utterance, self._ear.so_far())
        self._ask(now_us, holds=holds)
        return found + self._deliver(now_us)

    def _name(self) -> str:
        """An utterance is called after the line that sounds; the second of a line `LINE.1`."""
        lines = self._sounding()
        name = lines[-1] if lines else "noise"
        again = sum(each.split(".")[0] == name for each in self._lines)
        name = f"{name}.{again}" if again else name
        self._lines[name] = list(lines[-1:])
        return name

    def _sounding(self) -> list[str]:
        """The lines that the detector may be hearing now."""
        return [name for name, start, end in self._spans if start < self._now_us <= end + _LATE_US]

    def _note_lines(self) -> None:
        if (name := self._ear.utterance) is None:
            return
        own = self._lines[name]
        own += [line for line, start, end in self._spans if start < self._now_us <= end and line not in own]

    def _edge(self, edge: Began | Ended, now_us: int, *, holds: bool) -> list[Input]:
        if isinstance(edge, Began):
            self._ask_us = now_us + FIRST_PARTIAL_US if holds else None
            self._who_us = now_us + FIRST_US
            lines = self._lines[edge.utterance] if self._organs.told else []
            speaker, enrolled = self._people[lines[-1]] if lines else (None, None)
            return [
                SpeechStarted(now_us, edge.utterance, max(0, edge.at_us), speaker=speaker, enrolled=enrolled)
            ]
        self._ask_us = self._who_us = None
        self._call(edge.utterance, edge.pcm, edge.at_us, now_us, final=True)
        known = self._who(edge.utterance, edge.pcm)
        if self._organs.who is not None:
            self._organs.who.learn(edge.pcm)
        return [SpeechStopped(now_us, edge.utterance, edge.at_us), *known]

    def _who(self, utterance: str, pcm: bytes) -> list[Input]:
        """Said as a live session says it (`watching`): of others, and where that is taken back."""
        if self._organs.who is None:
            return []
        speaker, enrolled = self._organs.who.known(pcm)
        other = enrolled is False
        if not self._others.changed(utterance, other=other):
            return []
        told = (speaker, False) if other else (None, None)
        return [SpeakerKnown(self._now_us, utterance, *told)]

    def _ask(self, now_us: int, *, holds: bool) -> None:
        """Words of unfinished speech, while the agent has the floor."""
        if self._ear.utterance is None or self._ask_us is None or now_us < self._ask_us:
            return
        self._ask_us = None
        if holds:
            self._call(self._ear.utterance, self._ear.so_far(), now_us, now_us, final=False)

    def _call(self, utterance: str, pcm: bytes, end_us: int, now_us: int, *, final: bool) -> None:
        self._asked += 1
        self._free_us = max(self._free_us, now_us) + self._organs.latency.us(f"{utterance} {self._asked}")
        self._calls.append(_Call(utterance, pcm, end_us, self._free_us, final))

    def _deliver(self, now_us: int) -> list[Input]:
        """What the recogniser has ended by now. Words of an utterance that is over come too late; the model
        need not be asked for them."""
        found: list[Input] = []
        while self._calls and self._calls[0].due_us <= now_us:
            call = self._calls.pop(0)
            if call.final:
                text = self._organs.words(call.pcm)
                found.append(Words(now_us, call.utterance, text, call.end_us, final=True))
            elif call.utterance == self._ear.utterance:
                self._ask_us = now_us + NEXT_PARTIAL_US
                if text := self._organs.words(call.pcm):
                    found.append(Words(now_us, call.utterance, text, call.end_us))
        return found
