"""The outpatient desk's own checks: what must wait for the caller's payment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.text.mentions import contains

if TYPE_CHECKING:
    from antiphon.envs.story import Story


def looked_after_partner(story: Story, tool: str, did: str) -> str | None:
    """The agent calls `tool` with success after the partner has used its own tool `did`."""
    ready = next((at for at, _ in story.calls(did, role="user")), len(story.steps))
    if any(at > ready for at, _ in story.calls(tool)):
        return None
    return f"{tool} was not called after the partner did {did}"


def never_says_before_partner(story: Story, forms: list[str], did: str) -> str | None:
    """The agent says none of the forms until the partner has used its own tool `did`."""
    ready = next((at for at, _ in story.calls(did, role="user")), len(story.steps))
    for at, text in story.said():
        for form in forms:
            if at < ready and contains(text, form):
                return f"step {at + 1} says {form!r} before the partner did {did}"
    return None
