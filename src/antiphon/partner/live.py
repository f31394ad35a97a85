"""People who speak in time: after the agent, over it, to each other; each line waits for its cue.

A script is a list of lines. `LivePartner` says when the next one begins, given when the agent spoke; it knows
nothing of why the agent speaks or stays silent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cue = Literal["begin", "reply", "over", "next"]

PATIENCE_US = 4_000_000  # a person who gets no answer goes on after this


@dataclass(frozen=True, slots=True)
class Piece:
    """Words without a pause, and the pause after them."""

    text: str
    pause_us: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """What one person says. `cue` and `delay_us` say when:

    "begin": after the session began. "reply": after the agent has ended, or after patience when it says nothing.
    "over": after the agent began to sound, while it speaks; a line whose moment does not come is left out.
    "next": after the previous line ended, whatever the agent does.
    """

    id: str
    speaker: str
    enrolled: bool
    language: str
    pieces: tuple[Piece, ...]
    cue: Cue
    delay_us: int

    @property
    def text(self) -> str:
        return ("" if self.language == "zh" else " ").join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Word:
    """A word and when it sounds, counted from the line's beginning."""

    text: str
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """One piece of a line in time: its words, from its first sound to its last."""

    words: tuple[Word, ...]

    @property
    def start_us(self) -> int:
        return self.words[0].start_us

    @property
    def end_us(self) -> int:
        return self.words[-1].end_us


def spoken(line: Line, rate: float = 1.0) -> tuple[Stretch, ...]:
    """The line in time. `rate` 1 is 4.5 Han characters, or about 2.8 English words, a second."""
    at_us = 0
    found: list[Stretch] = []
    for piece in line.pieces:
        words: list[Word] = []
        for text in words_of(piece.text, line.language):
            end_us = at_us + int(_lasts_us(text, line.language) / rate)
            words.append(Word(text, at_us, end_us))
            at_us = end_us
        found.append(Stretch(tuple(words)))
        at_us += piece.pause_us
    return tuple(found)


def words_of(text: str, language: str) -> list[str]:
    """Words with the punctuation that follows them; joined as they are they give the text."""
    if language != "zh":
        return [f"{word} " for word in text.split()]
    words: list[str] = []
    for char in text:
        if words and not char.isalnum():
            words[-1] += char
        else:
            words.append(char)
    return words


def _lasts_us(word: str, language: str) -> int:
    return 222_000 if language == "zh" else 120_000 + 55_000 * sum(char.isalnum() for char in word)


@dataclass(slots=True)
class AgentSound:
    """What the people hear of the agent. None: not (yet)."""

    began_us: int | None = None  # its sound, since the last line began
    ended_us: int | None = None
    sounding: bool = False


class LivePartner:
    """Gives the lines of a script at their moments."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        self._at = 0
        self._ended_us = 0  # of the previous line

    @property
    def line(self) -> Line | None:
        """The next line; None after the last."""
        return self._lines[self._at] if self._at < len(self._lines) else None

    def begins_us(self, agent: AgentSound) -> int | None:
        """When the next line begins as things stand; None while it waits for the agent."""
        line = self.line
        if line is None:
            return None
        if line.cue in ("begin", "next"):
            return self._ended_us + line.delay_us
        if line.cue == "over":
            if agent.began_us is None or not agent.sounding:
                return None
            return max(agent.began_us, self._ended_us) + line.delay_us
        if agent.sounding:
            return None
        if agent.ended_us is None or agent.ended_us < self._ended_us:
            return self._ended_us + PATIENCE_US + line.delay_us
        return agent.ended_us + line.delay_us

    def gives_up_us(self) -> int:
        """When an "over" line is left out, if the agent does not speak until then."""
        return self._ended_us + 2 * PATIENCE_US

    def said(self, end_us: int) -> None:
        """The line began, and will end at `end_us`."""
        self._at += 1
        self._ended_us = end_us

    def skip(self) -> None:
        """The moment of the line is past: nobody says it."""
        self._at += 1
