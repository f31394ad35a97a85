"""`Gauges`: the scorers that creation asks for, a UTMOS and one of speech emotion, and why one is missing.

Another estimate of naturalness never stands in for UTMOS: its numbers mean something else, and so would the
cut at 3.5. A scorer is taken by the names of its columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from antiphon.bench.metrics.emotions import FIVE, named
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.catalog import open_scorer
from antiphon.models.ports import Invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.ports import ClipScorer

MOS_COLUMNS = ("utmos", "utmos22")
# Appendix A: clean voices; section 3.2: emotional prompts and the questions spoken from them.
CLEAN_ABOVE = 3.5
PROMPT_ABOVE = 0.9
RESULT_ABOVE = 0.8


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or why there is none."""

    value: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Gauges:
    """Each scorer, or None; the reasons stand in `no_mos` and `no_emotion`."""

    mos: ClipScorer | None = None
    emotion: ClipScorer | None = None
    no_mos: str = "no UTMOS was given (--scorer URI)"
    no_emotion: str = "no scorer of speech emotion was given (--scorer URI)"

    @property
    def names(self) -> dict[str, str | None]:
        """Full names, for fingerprints and the card."""
        return {
            "UTMOS": self.mos.name if self.mos else None,
            "speech emotion": self.emotion.name if self.emotion else None,
        }

    async def naturalness(self, clip: Clip) -> Measure:
        """A clip's UTMOS. Raises ModelError."""
        if self.mos is None:
            return Measure(None, self.no_mos)
        column = next(name for name in self.mos.names if name in MOS_COLUMNS)
        (found,) = await self.mos.score([clip])
        return _measure(found, column, 5.0)

    async def emotions(self, clip: Clip) -> dict[str, Measure]:
        """The probability of each of the five emotions in a clip, as the scorer gives it. Raises ModelError."""
        if self.emotion is None:
            return dict.fromkeys(FIVE, Measure(None, self.no_emotion))
        (found,) = await self.emotion.score([clip])
        labels = {named(label): label for label in self.emotion.names}
        return {name: _measure(found, labels[name], 1.0) for name in FIVE}


def _measure(found: dict[str, float] | Invalid, column: str, highest: float) -> Measure:
    if isinstance(found, Invalid):
        return Measure(None, found.reason)
    value = found.get(column)
    if value is None or not isfinite(value) or not 0 <= value <= highest:
        return Measure(None, f"{column} {value} is no number from 0 to {highest:g}")
    return Measure(value)


def open_gauges(uris: Sequence[str], clock: Clock) -> Gauges:
    """The scorers among these. Raises ConfigError for one that is neither, or for two of a kind."""
    found: dict[str, ClipScorer] = {}
    missing: list[str] = []
    for uri in uris:
        try:
            scorer = open_scorer(uri, clock)
        except UnavailableError as error:
            missing.append(f"{uri}: {error}")
            continue
        part = _part(scorer)
        if part is None:
            raise ConfigError(
                f"--scorer {uri} gives {', '.join(scorer.names)}: neither UTMOS ({', '.join(MOS_COLUMNS)}) "
                f"nor emotions ({', '.join(FIVE)}), and nothing stands in for them; leave it out"
            )
        if part in found:
            raise ConfigError(f"--scorer {uri}: there is one of its kind already ({found[part].name})")
        found[part] = scorer
    reason = "; ".join(missing)
    plain = Gauges()
    return Gauges(found.get("mos"), found.get("emotion"), reason or plain.no_mos, reason or plain.no_emotion)


def _part(scorer: ClipScorer) -> str | None:
    if any(name in MOS_COLUMNS for name in scorer.names):
        return "mos"
    if {*FIVE} <= {named(label) for label in scorer.names}:
        return "emotion"
    return None
