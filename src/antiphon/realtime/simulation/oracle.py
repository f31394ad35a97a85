"""What perfect ears would tell the engine of simulated speech, and ears that err at a known rate.

Oracle observations are error-free voice edges, who speaks (enrolled or not), and the words with a recogniser's
delay; never whom speech is for, what kind of event it is, or what should be done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.ids import rng
from antiphon.partner.live import spoken
from antiphon.realtime.events import SpeechStarted, SpeechStopped, Words

if TYPE_CHECKING:
    from numpy.random import Generator

    from antiphon.partner.live import Line, Stretch
    from antiphon.realtime.events import Input

ONSET_US = 80_000  # until a voice detector is sure of speech, and of its end
OFFSET_US = 200_000
WORD_US = 300_000  # until a recogniser has a word that ended


@dataclass(frozen=True, slots=True)
class Oracle:
    """Ears with an error rate: 0 is the oracle; 0.05 mishears 5 % of the words, mistakes the speaker of 5 % of
    the stretches, and finds 5 % of the edges 200 ms late."""

    error: float = 0.0
    seed: int = 0

    @property
    def by_frames(self) -> bool:
        return False

    @property
    def busy(self) -> bool:
        return False

    def says(self, line: Line, rate: float) -> tuple[Stretch, ...]:
        """The line at the pace of the script."""
        return spoken(line, rate)

    def frame(self, now_us: int, *, holds: bool) -> list[Input]:
        """Nothing: all is known when a line begins."""
        return []

    def lines_of(self, utterance: str) -> tuple[str, ...]:
        return (utterance.split(".")[0],)

    def hears(self, line: Line, stretches: tuple[Stretch, ...], begin_us: int) -> list[Input]:
        """Inputs for a line that begins at `begin_us`, each at the time at which it becomes known."""
        found: list[Input] = []
        for number, stretch in enumerate(stretches):
            name = f"{line.id}.{number}" if number else line.id
            found += self._stretch(name, line, stretch, begin_us)
        return found

    def _stretch(self, name: str, line: Line, stretch: Stretch, begin_us: int) -> list[Input]:
        errors = rng(self.seed, "ears", name) if self.error else None
        onset_us, offset_us = begin_us + stretch.start_us, begin_us + stretch.end_us
        wrong = self._errs(errors)
        start = SpeechStarted(
            onset_us + ONSET_US + 200_000 * self._errs(errors), name, onset_us,
            speaker="unknown" if wrong else line.speaker, enrolled=line.enrolled != wrong,
        )  # fmt: skip
        stop_us = offset_us + OFFSET_US + 200_000 * self._errs(errors)
        found: list[Input] = [start, SpeechStopped(stop_us, name, offset_us)]
        heard = ""
        for number, word in enumerate(stretch.words):
            heard += _misheard(word.text) if self._errs(errors) else word.text
            known_us = begin_us + word.end_us + WORD_US
            last = number == len(stretch.words) - 1
            found.append(
                Words(max(known_us, start.t_us), name, heard.strip(), begin_us + word.end_us, final=last)
            )
        return found

    def _errs(self, errors: Generator | None) -> bool:
        return errors is not None and bool(errors.random() < self.error)


def _misheard(word: str) -> str:
    """What a recogniser makes of a word it does not get: nothing of it but a space."""
    return " " if word.endswith(" ") else ""
