"""`Partner`: the person on the other side. It sees the dialogue only, and can be saved and restored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.messages import Message, ToolCall


@dataclass(frozen=True, slots=True)
class PartnerTurn:
    """What a partner does next: words (spoken as `clip` where there is one), calls of its own tools, hanging up.

    With `tool_calls` it is asked again once their results are in the dialogue. `cues` say how the words are
    said. `left_script` and `stopped_early` say why the episode does not count: the partner's fault, not the
    agent's.
    """

    text: str = ""
    clip: Clip | None = None
    cues: Mapping[str, str | float] = field(default_factory=dict[str, "str | float"])
    tool_calls: tuple[ToolCall, ...] = ()
    hang_up: bool = False
    left_script: str | None = None
    stopped_early: str | None = None


class Partner(Protocol):
    """The other side of one episode.

    In the dialogue that it is given "user" is the partner itself and "assistant" the agent; of tools it sees
    only its own. `restore` takes what `snapshot` of an equally opened partner gave. Raises ModelError.
    """

    name: str

    async def turn(self, dialogue: Sequence[Message]) -> PartnerTurn: ...

    def snapshot(self) -> bytes: ...

    def restore(self, state: bytes) -> None: ...
