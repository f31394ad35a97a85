"""What a live session asks of its engine, of its models and of whoever tells its client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.messages import Message, Toolbox, ToolSpec
    from antiphon.models.ports import Chat, Transcriber, Usage
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.live.echo import Canceller
    from antiphon.realtime.live.hearing import Began, Detector, Ended
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.live.renderer import Renderer
    from antiphon.realtime.live.speakers import Speakers
    from antiphon.realtime.policy.end_of_turn import EndOfTurn


class Steps(Protocol):
    """The engine, as far as its driver knows it."""

    def step(self, now_us: int, inputs: Sequence[Input]) -> Sequence[Effect]: ...
    def messages(self) -> tuple[Message, ...]: ...


class Listener(Protocol):
    """Who tells the client. Nothing here may block or raise."""

    def effect(self, effect: Effect) -> None: ...
    def words(self, item: str, text: str) -> None: ...
    def sound(self, frame: Frame) -> None: ...
    def heard(self, utterance: str, text: str, *, final: bool) -> None: ...
    def edge(self, edge: Began | Ended) -> None: ...
    def used(self, item: str, usage: Usage) -> None: ...
    def stages(self, item: str, ms: dict[str, int]) -> None: ...
    def progress(self, call: str, text: str) -> None: ...
    def trouble(self, what: str) -> None: ...
    def observed(self, kind: str, **fields: Any) -> None: ...  # by an observer, for those who want to see it


class Witness(Protocol):
    """Who keeps what happens in a session, such as a recording or a trace. Nothing here may block or raise; all
    times are microseconds after the session began."""

    def heard(self, pcm: bytes, now_us: int) -> None:
        """The person's newest sound, 16 kHz int16."""
        ...

    def sent(self, frame: Frame, now_us: int) -> None: ...

    def stepped(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> None:
        """The engine has made a step."""
        ...

    def close(self, now_us: int) -> None: ...


@dataclass(frozen=True)
class Parts:
    """What a session is made of. `toolbox` opens the tools that we run, once for each session."""

    transcriber: Transcriber
    chat: Chat
    renderer: Renderer
    detector: Callable[[], Detector]
    toolbox: Callable[[], Toolbox] | None = None
    canceller: Callable[[], Canceller] | None = None  # of the agent's own voice; None: the client does it
    speakers: Callable[[], Speakers] | None = None  # who the person is; None: nobody asks
    end_of_turn: EndOfTurn | None = None  # whether a turn sounds finished; None: words and silence tell


@dataclass
class Manners:
    """What the client may change while the session lives."""

    system: Callable[[str], str]  # instructions for a text of the person's, in its language
    speaks: bool = True
    turns: bool = True  # whether we find the person's turns; else the client commits
    language: str | None = None
    tools: tuple[ToolSpec, ...] = ()
    echo: bool = False  # whether the microphone hears the agent
    cues: dict[str, float | str] = field(default_factory=dict[str, "float | str"])
    more_cues: dict[str, float | str] = field(
        default_factory=dict[str, "float | str"]
    )  # cues beside the dialect's own
    choice: str = "auto"  # of tools: "auto", "none", "required", or the name of the one to call
    most_tokens: int | None = None


@dataclass(frozen=True)
class Wish:
    """How one answer that the client asks for shall differ from the session's manners; None: not."""

    instructions: str | None = None
    speaks: bool | None = None
    tools: tuple[ToolSpec, ...] | None = None
    choice: str | None = None
    most_tokens: int | None = None
    cues: dict[str, float | str] | None = None
    messages: tuple[Message, ...] | None = None  # instead of the history
