"""What goes into the engine and what comes out: the seam between deciding and doing.

`Engine.step(now_us, inputs) -> effects`. Inputs are facts that somebody observed: a driver in real time, a
simulator in virtual time. Effects are wishes that the same somebody carries out. Sound itself never enters the
engine: frames stay with the driver, which reports edges, words, and how many milliseconds were made, sent and
played. Times are microseconds after the session began; `t_us` is when the input became known, not when what it
tells of happened.

Every effect that brings a result carries `id` and `generation`; its results carry the same two, and the engine
drops those that are stale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from antiphon.realtime.absence import CameBack, Left
from antiphon.realtime.asked import Asked, Cancelled, Confirmed, Forgotten, Noted, Truncated, Typed
from antiphon.realtime.tools import ToolEnded

if TYPE_CHECKING:
    from antiphon.messages import Message, ToolCall, ToolResult

Floor = Literal["LISTEN", "SPEAK", "STOP", "RESUME"]
Answer = Literal["ANSWER", "NONE"]
Kind = Literal["answer", "tool", "clarify", "confirm", "refuse", "silent"]


@dataclass(frozen=True, slots=True)
class FrameIn:
    """20 ms of sound came in. It changes no decision (edges do); `level_db` is for meters, in dBFS."""

    t_us: int
    track: str = "person"
    level_db: float | None = None


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """Somebody began to speak at `onset_us`. `utterance` names this stretch of speech until it stops.

    `speaker` is who, where a speaker model knows; `enrolled` whether that is the person the agent serves
    (None: nobody knows). `level_db` is relative to that person's usual level where known (0: as usual).
    """

    t_us: int
    utterance: str
    onset_us: int
    track: str = "person"
    speaker: str | None = None
    enrolled: bool | None = None
    level_db: float | None = None


@dataclass(frozen=True, slots=True)
class SpeechStopped:
    """The utterance ended at `offset_us`: the voice is silent since then."""

    t_us: int
    utterance: str
    offset_us: int


@dataclass(frozen=True, slots=True)
class SpeakerKnown:
    """Who speaks in an utterance, found out after it began."""

    t_us: int
    utterance: str
    speaker: str | None
    enrolled: bool | None


@dataclass(frozen=True, slots=True)
class Words:
    """All words of an utterance so far (they replace earlier ones); the last of them ended at `end_us`.

    `final` ones do not change any more. They may come long after the utterance has stopped.
    """

    t_us: int
    utterance: str
    text: str
    end_us: int
    final: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """What an observer thinks of an utterance, 0 to 1: "end_of_turn", "addressed", "interruption", "backchannel"
    or whatever a turn policy of your own reads."""

    t_us: int
    name: str
    value: float
    utterance: str | None = None


@dataclass(frozen=True, slots=True)
class Background:
    """A background job has something to tell (`text` is for the model, not for the ear). `speaks` False: the
    model is to know it, and nobody asks it to say anything. An empty `job`: the client says so itself."""

    t_us: int
    job: str
    text: str
    speaks: bool = True


@dataclass(frozen=True, slots=True)
class AnswerText:
    """More words of the answer (result of `StartAnswer`)."""

    t_us: int
    id: str
    generation: int
    text: str


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """The model wants a tool (result of `StartAnswer`). Whether it runs is the tool runner's decision."""

    t_us: int
    id: str
    generation: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class AnswerDone:
    """The model has written everything. `error` says why it failed instead; None: it did not. `cut_short`: by the
    limit of tokens."""

    t_us: int
    id: str
    generation: int
    error: str | None = None
    cut_short: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """`ms` more of sound exist, for the next `chars` characters of the clause (result of `Render`).

    `last`: the clause is spoken to its end. Characters may be 0 where a renderer knows only at the end.
    """

    t_us: int
    id: str
    generation: int
    ms: int
    chars: int
    last: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The first `ms` of an item have left for the client."""

    t_us: int
    item: str
    ms: int


@dataclass(frozen=True, slots=True)
class Played:
    """The first `ms` of an item were heard: a client's receipt, or the driver's estimate from its pacing."""

    t_us: int
    item: str
    ms: int


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A tool has ended (result of `StartTool`). `request` names the client's wish for the answer to it."""

    t_us: int
    id: str
    generation: int
    result: ToolResult
    request: str = ""


Input = (
    FrameIn | SpeechStarted | SpeechStopped | SpeakerKnown | Words | Score | Typed | Asked | Cancelled | Truncated | Confirmed
    | Noted | Forgotten | Background | AnswerText | AnswerTool | AnswerDone | Rendered | Sent | Played | ToolReturned
    | Left | CameBack
)  # fmt: skip


# Where an input stands among others of the same time: edges before words before scores, results, receipts.
_ORDER: dict[type[Input], int] = {
    FrameIn: 0, SpeechStarted: 1, SpeechStopped: 1, SpeakerKnown: 2, Words: 3, Score: 4, Typed: 5, Asked: 5,
    Cancelled: 5, Truncated: 5, Confirmed: 5, Noted: 5, Forgotten: 5, Background: 6, AnswerText: 7, AnswerTool: 7, AnswerDone: 7,
    ToolReturned: 8, Rendered: 9, Sent: 10, Played: 10, Left: 11, CameBack: 11,
}  # fmt: skip


def place(given: Input) -> tuple[int, int]:
    """By time, then by source; a stable sort keeps the order of those that are equal."""
    return given.t_us, _ORDER[type(given)]


@dataclass(frozen=True, slots=True)
class StartAnswer:
    """Ask the model. `item` names what it will say. `messages` is the history as it was heard; `utterances`
    are the stretches of speech in the last message of the person, for models that want their sound.

    `why` is the policy's reason, `request` the client's wish that it fulfils. Results: AnswerText, AnswerTool,
    AnswerDone.
    """

    id: str
    generation: int
    item: str
    messages: tuple[Message, ...]
    utterances: tuple[str, ...]
    why: str
    request: str = ""


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    """Nobody wants the model's answer `id` any more; late results are dropped anyway."""

    id: str


@dataclass(frozen=True, slots=True)
class Render:
    """Speak this clause at the end of `item`; clauses are played in the order of their effects. Results: Rendered."""

    id: str
    generation: int
    item: str
    text: str


@dataclass(frozen=True, slots=True)
class Play:
    """Send the item's sound to the client from now on, as it is made. At most one item plays."""

    item: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Hold the item's sound: quick, reversible, and the client need not know. Played goes on arriving."""

    item: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with the item from `from_ms` after its beginning: the start of the word that was cut."""

    item: str
    from_ms: int
    from_char: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop the rest of the item, made or not; `heard_ms` and `heard_chars` of it count as said."""

    item: str
    heard_ms: int
    heard_chars: int


@dataclass(frozen=True, slots=True)
class StartTool:
    """Run the call: the runner has permitted it. Results: ToolReturned."""

    id: str
    generation: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class CancelTool:
    """Nobody waits for the tool `id` any more."""

    id: str


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
    """The runner wants a yes of the person before it runs the call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Heard:
    """For the client: an edge of the person's speech. While the agent speaks, "started" is withheld until the
    policy has ruled a true interruption, because stock clients stop playback on it."""

    edge: Literal["started", "stopped"]
    utterance: str
    at_us: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The utterances are a turn of the person now, in the history as `text`; `item` names it.

    It comes again with the same `item` when a late transcript changes the words.
    """

    item: str
    utterances: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """The answer `item` is over: `text` is what was written, of which `heard_chars` were heard.

    `finish` is "stop", "tool_calls", "length", "cancelled", "interrupted" or "failed" (`error` says why).
    """

    item: str
    text: str
    heard_chars: int
    heard_ms: int
    finish: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision of the turn policy, for the log: floor and answer are separate, and both have a reason."""

    t_us: int
    floor: Floor
    answer: Answer
    reason: str
    utterance: str | None = None


@dataclass(frozen=True, slots=True)
class Chose:
    """What the agent does about a turn, for the log: answer, tool, clarify, confirm, refuse or silent."""

    t_us: int
    kind: Kind
    reason: str
    about: str | None = None


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `step` at `t_us` even if nothing comes in. A later `WakeAt` does not undo it; waking early is harmless."""

    t_us: int


Effect = (
    StartAnswer | CancelAnswer | Render | Play | Pause | Resume | Stop | StartTool | CancelTool | ToolEnded
    | NeedsConfirmation | Heard | Committed | Said | Decided | Chose | WakeAt
)  # fmt: skip
