"""What a live session asks of its engine, of its models and of whoever tells its client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.messages import Message, Toolbox, ToolSpec
    from antiphon.models.ports import Chat, Transcriber
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.hearing import Began, Detector, Ended
    from antiphon.realtime.playout import Frame
    from antiphon.realtime.renderer import Renderer


class Steps(Protocol):
    """The engine, as far as its driver knows it."""

    def step(self, now_us: int, inputs: Sequence[Input]) -> Sequence[Effect]: ...


class Listener(Protocol):
    """Who tells the client. Nothing here may block or raise."""

    def effect(self, effect: Effect) -> None: ...
    def words(self, item: str, text: str) -> None: ...
    def sound(self, frame: Frame) -> None: ...
    def heard(self, utterance: str, text: str, *, final: bool) -> None: ...
    def edge(self, edge: Began | Ended) -> None: ...
    def stages(self, item: str, ms: dict[str, int]) -> None: ...
    def progress(self, call: str, text: str) -> None: ...
    def trouble(self, what: str) -> None: ...


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
    """What a session is made of."""

    transcriber: Transcriber
    chat: Chat
    renderer: Renderer
    detector: Callable[[], Detector]
    toolbox: Toolbox | None = None


@dataclass
class Manners:
    """What the client may change while the session lives."""

    system: Callable[[str], str]  # instructions for a text of the person's, in its language
    speaks: bool = True
    turns: bool = True  # whether we find the person's turns; else the client commits
    language: str | None = None
    tools: tuple[ToolSpec, ...] = ()
    cues: dict[str, float | str] = field(default_factory=dict[str, "float | str"])
    before: list[Message] = field(default_factory=list["Message"])  # history that the client brought
