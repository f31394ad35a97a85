"""The cockpit's own checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antiphon.envs.story import Story


def called_after_partner(story: Story, tool: str, did: str) -> str | None:
    """Every successful call of `tool` comes after the partner has used its own tool `did`."""
    ready = next((at for at, _ in story.calls(did, role="user")), len(story.steps))
    for at, _ in story.calls(tool):
        if at < ready:
            return f"step {at + 1} calls {tool} before the partner did {did}"
    return None
