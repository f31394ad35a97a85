"""The duplex decision: what a turn policy sees, what it may decide, and the policies that come with Antiphon.

A policy is a pure function: the same observation and state give the same decision. Floor and answer are separate
(section 5.2 of the report: stopping playback and deciding whether to answer are distinct decisions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from antiphon.realtime.agreements import Agreement

if TYPE_CHECKING:
    from antiphon.realtime.events import Answer, Floor

Stage = Literal["idle", "thinking", "speaking", "paused"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One stretch of one person's speech as known now. `offset_us` None: still going on."""

    id: str
    onset_us: int
    offset_us: int | None = None
    track: str = "person"
    speaker: str | None = None
    enrolled: bool | None = None
    level_db: float | None = None
    text: str = ""
    words_end_us: int | None = None
    final: bool = False
    overlapped: bool = False  # it began while the agent was speaking


@dataclass(frozen=True, slots=True)
class Ruled:
    """An earlier utterance, whether it was taken as meant for the agent, or as talk with somebody else."""

    utterance: Utterance
    addressed: bool
    aside: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known at `now_us`: the undecided speech of one speaker (oldest first), what was ruled before, and
    observers' scores of the latest utterance. `must_decide`: the 700 ms of an overlap are over."""

    now_us: int
    group: tuple[Utterance, ...]
    recent: tuple[Ruled, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    must_decide: bool = False

    @property
    def latest(self) -> Utterance:
        return self.group[-1]

    @property
    def text(self) -> str:
        """All words of the group. Han needs no space between."""
        return joined(each.text for each in self.group)


def joined(texts: Iterable[str]) -> str:
    """Words that follow each other. Han needs no space between."""
    whole = ""
    for part in filter(None, map(str.strip, texts)):
        whole += part if not whole or ord(whole[-1]) > 0x2E7F else f" {part}"
    return whole


@dataclass(frozen=True, slots=True)
class TurnState:
    """What the agent is doing. `agent_text` and `agent_heard` are of its latest item; `rest`: that item was
    stopped with words left to say, and `cut`: by the very speech in question. `tools` counts those running."""

    stage: Stage = "idle"
    agent_text: str = ""
    agent_heard: str = ""
    agent_ended_us: int | None = None
    rest: bool = False
    cut: bool = False
    tools: int = 0
    agreement: Agreement | None = None
    names: tuple[str, ...] = ()
    serves: Literal["enrolled", "anyone"] = "enrolled"
    capabilities: Mapping[str, bool] = field(default_factory=dict[str, bool])


@dataclass(frozen=True, slots=True)
class Decision:
    """Floor: LISTEN (while speaking: pause and listen), SPEAK (take the floor, or go on with it), STOP (yield and
    drop the rest), RESUME (go on from where it was cut). Answer: whether this speech gets one.

    Not `settled`: more is to be known; ask again when it is, and at `ask_again_us` at the latest (None: only
    when something new is known). `agreement` and `release` make and end a temporary agreement.
    """

    floor: Floor
    answer: Answer
    reason: str
    settled: bool = True
    ask_again_us: int | None = None
    agreement: Agreement | None = None
    release: bool = False
    aside: bool = False  # it was talk with somebody else


class TurnPolicy(Protocol):
    """Whether to listen, speak, stop or resume, and whether to answer. `name` goes into logs."""

    @property
    def name(self) -> str: ...

    def decide(self, seen: Observation, state: TurnState) -> Decision: ...


def listen(reason: str, until_us: int | None = None) -> Decision:
    """Wait for more."""
    return Decision("LISTEN", "NONE", reason, settled=False, ask_again_us=until_us)


@dataclass(frozen=True, slots=True)
class AlwaysAnswer:
    """The baseline that takes every sound for a turn: any speech stops it, any end of speech is answered."""

    name: str = "always-answer"
    pause_us: int = 300_000

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        latest = seen.latest
        if latest.offset_us is None:
            floor: Floor = "STOP" if state.stage in ("speaking", "paused") else "LISTEN"
            return Decision(floor, "NONE", "somebody speaks", settled=False)
        due = latest.offset_us + self.pause_us
        if seen.now_us < due:
            return listen("is it over?", due)
        return Decision("STOP", "ANSWER", "somebody spoke")


@dataclass(frozen=True, slots=True)
class NeverAnswer:
    """The baseline that stays silent."""

    name: str = "never-answer"

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        return Decision("LISTEN", "NONE", "never answers")


@dataclass(frozen=True, slots=True)
class ByScores:
    """A learned policy's seam: an observer scores each utterance ("interruption", "addressed", "end_of_turn",
    0 to 1), thresholds decide, and `otherwise` decides where a score is missing."""

    otherwise: TurnPolicy
    name: str = "scores"
    threshold: float = 0.5
    longest_us: int = 1_500_000

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        scores = seen.scores
        audible = state.stage in ("speaking", "paused")
        if state.agreement is not None or "addressed" not in scores:
            return self.otherwise.decide(seen, state)
        if scores["addressed"] < self.threshold:
            return Decision("RESUME" if audible else "LISTEN", "NONE", "scored as meant for somebody else")
        if audible:
            if "interruption" not in scores:
                return self.otherwise.decide(seen, state)
            if scores["interruption"] < self.threshold:
                return Decision("RESUME", "NONE", "scored as no interruption")
        offset_us = seen.latest.offset_us
        if offset_us is None:
            return Decision(
                "STOP" if audible else "LISTEN", "NONE", "scored as an interruption", settled=False
            )
        if scores.get("end_of_turn", 0.0) < self.threshold and seen.now_us < offset_us + self.longest_us:
            return listen("scored as unfinished", offset_us + self.longest_us)
        return Decision("STOP" if audible else "SPEAK", "ANSWER", "scored as a finished turn for the agent")
