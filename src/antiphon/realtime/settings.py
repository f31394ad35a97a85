"""What a session is told before it begins: whom it serves, what it may do, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.messages import ToolSpec

Permission = Literal["allow", "confirm", "deny"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One session's configuration.

    `names` are what people call the agent. `serves` says whose speech may be answered: the enrolled person's
    (who is unknown counts as enrolled), or anyone's. `capabilities` is the fixed capability configuration:
    what is False or missing cannot be done, and `needs` says which tool needs which. `permissions` maps a
    tool to what its runner does with a call ("allow" where nothing is said); no text changes it.

    `answers` False: turns enter the history, and an answer is given only when the client asks. `yields` False:
    speech over the agent's neither pauses nor stops it, and is answered after it.
    """

    names: tuple[str, ...] = ()
    serves: Literal["enrolled", "anyone"] = "enrolled"
    tools: tuple[ToolSpec, ...] = ()
    permissions: Mapping[str, Permission] = field(default_factory=dict[str, Permission])
    capabilities: Mapping[str, bool] = field(default_factory=dict[str, bool])
    needs: Mapping[str, str] = field(default_factory=dict[str, str])
    acknowledgement: str = ""  # said before a slow tool where the model says nothing; empty: nothing
    answers: bool = True
    yields: bool = True
    yield_us: int = 700_000  # from the beginning of an overlap to stop or resume
    longest_us: int = 60_000_000  # an utterance whose end nobody reports is over after this
