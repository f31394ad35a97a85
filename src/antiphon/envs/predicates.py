"""Predicates that every domain has: each looks at a story and says what is violated, or None.

A domain adds its own in `predicates.py`: functions `f(story, **arguments) -> str | None`. `forms` are groups of
spellings: of each group one must be there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from antiphon.envs.story import Story, fits
from antiphon.text.mentions import contains

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Forms = list[list[str]]

_YES = re.compile(
    r"\b(yes|yeah|yep|correct|right|exactly|sure|okay|ok|go ahead|please do|do it|confirm(ed)?|sounds good)\b"
    r"|对|是的|没错|正确|可以|好的?|行|确认|嗯"
)
_NO = re.compile(
    r"^\W*(no(?! problem)|nope|not|wait|hold on)\b|\b(don't|do not|isn't|is not|wrong|incorrect)\b|不(?!用改)|(?<!没)错|别|等等"
)


def called(story: Story, tool: str, arguments: Mapping[str, Any] | None = None) -> str | None:
    """The agent called the tool, with success and with at least these arguments."""
    if any(True for _ in story.calls(tool, arguments)):
        return None
    return f"{tool} was never called with success" + (f" with {dict(arguments)}" if arguments else "")


def not_called(story: Story, tool: str, arguments: Mapping[str, Any] | None = None) -> str | None:
    """The agent did not even try the tool with these arguments."""
    for at, step in enumerate(story.steps):
        call = step.call
        if (
            call is not None
            and step.role == "assistant"
            and call["name"] == tool
            and fits(arguments, call["arguments"])
        ):
            return f"step {at + 1} calls {tool}"
    return None


def called_before(
    story: Story, tool: str, before: str, arguments: Mapping[str, Any] | None = None
) -> str | None:
    """Every successful call of `before` comes after a successful one of `tool`."""
    first = next((at for at, _ in story.calls(tool, arguments)), len(story.steps))
    for at, _ in story.calls(before):
        if at < first:
            return f"step {at + 1} calls {before} before {tool}"
    return None


def says(story: Story, forms: Forms, after: str = "") -> str | None:
    """The agent says one form of each group; with `after`, once that tool has succeeded."""
    begin = -1
    if after:
        begin = next((at for at, _ in story.calls(after)), len(story.steps))
    words = [text for _, text in story.said(after=begin)]
    lacking = [
        group[0] for group in forms if not any(contains(text, each) for text in words for each in group)
    ]
    if not lacking:
        return None
    return f"the agent never says {', '.join(lacking)}" + (f" after {after}" if after else "")


def never_says(story: Story, forms: list[str], before: str = "") -> str | None:
    """The agent says none of the forms; with `before`, not until that tool has succeeded."""
    end = len(story.steps)
    if before:
        end = next((at for at, _ in story.calls(before)), end)
    for at, text in story.said():
        for form in forms:
            if at < end and contains(text, form):
                return f"step {at + 1} says {form!r}" + (f" before {before}" if before else "")
    return None


def confirmed_before(story: Story, tool: str, forms: Forms) -> str | None:
    """Before each successful call of the tool the agent reads every detail back in one turn, and the partner,
    who speaks next, agrees. What was said before an earlier call of the tool does not count again."""
    previous = -1
    for at, _ in story.calls(tool):
        if not _confirmed(story, previous, at, forms):
            details = ", ".join(group[0] for group in forms)
            return f"step {at + 1} calls {tool} without {details} read back and agreed to"
        previous = at
    return None


def _confirmed(story: Story, begin: int, end: int, forms: Forms) -> bool:
    for at, text in story.said(after=begin):
        if at >= end or not all(any(contains(text, each) for each in group) for group in forms):
            continue
        answer = next(((when, words) for when, words in story.said("user", after=at) if when < end), None)
        if answer is not None and agrees(answer[1]):
            return True
    return False


def agrees(words: str) -> bool:
    """Whether folded words are a yes."""
    return _YES.search(words) is not None and _NO.search(words) is None


def asked(story: Story, forms: list[str]) -> str | None:
    """The agent asks a question that holds one of the forms."""
    for _, text in story.said():
        if ("?" in text or "？" in text or "吗" in text) and any(contains(text, form) for form in forms):
            return None
    return f"the agent never asks for {forms[0]}"


BUILT_IN: Mapping[str, Callable[..., str | None]] = {
    each.__name__: each
    for each in (called, not_called, called_before, says, never_says, confirmed_before, asked)
}


def of_tools(arguments: Mapping[str, Any]) -> Sequence[str]:
    """The tool names among a predicate's arguments, for the construction checks."""
    return [str(arguments[name]) for name in ("tool", "before", "after") if arguments.get(name)]
