"""`Story`: a trace as predicates and judges read it: who said and called what, in which order."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import same
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.task import Task
    from antiphon.messages import Role
    from antiphon.trace import Step

_DIGITS_APART = re.compile(r"(?<=\d)[ \-–.](?=\d)")
_LONG_NUMBER = 5  # digits: shorter ones are not read out in groups
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ZEROS = re.compile(r"(?<=\d)\.0+(?!\d)")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Story:
    """One episode to be judged: its steps, its task, and its state before and after."""

    steps: Sequence[Step]
    task: Task
    initial: Json
    final: Json

    def said(self, role: Role = "assistant", after: int = -1) -> Iterator[tuple[int, str]]:
        """Everything one side said from a step on: position and folded words."""
        for at, step in enumerate(self.steps):
            if at > after and step.role == role and step.text:
                yield at, fold(step.text)

    def calls(
        self, tool: str, arguments: Mapping[str, Any] | None = None, *, role: Role = "assistant"
    ) -> Iterator[tuple[int, Step]]:
        """The *successful* calls of a tool with at least these arguments: position and step."""
        for at, step in enumerate(self.steps):
            if step.call is None or step.role != role or step.call["name"] != tool:
                continue
            if (
                step.result is not None
                and "error" not in step.result
                and fits(arguments, step.call["arguments"])
            ):
                yield at, step


def fits(wanted: Mapping[str, Any] | None, given: Mapping[str, Any]) -> bool:
    """Whether a call's arguments hold what is wanted; words are compared folded."""
    return all(name in given and _alike(value, given[name]) for name, value in (wanted or {}).items())


def _alike(wanted: object, given: object) -> bool:
    if isinstance(wanted, str) and isinstance(given, str):
        return fold(wanted) == fold(given)
    return same(wanted, given)


def fold(text: str) -> str:
    """Words in one spelling: width, case, spaces, "1,980.00" as 1980."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return _ZEROS.sub("", _THOUSANDS.sub("", _SPACES.sub(" ", text))).strip()


def contains(folded: str, form: str) -> bool:
    """Whether folded words hold a form, as a word or number of its own where it is Latin or digits.

    A long number is found in groups too: 4155551234 in "415 555-1234".
    """
    wanted = fold(form)
    if wanted.isdecimal() and len(wanted) >= _LONG_NUMBER:
        folded = _DIGITS_APART.sub("", folded)
    start = folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_joined(folded[:start][-1:], wanted[:1]) or _goes_on(wanted[-1:], folded[end : end + 2])):
            return True
        start = folded.find(wanted, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word or number."""
    return (left + right).isascii() and left.isalnum() and right.isalnum()


def _goes_on(last: str, following: str) -> bool:
    """Whether a word or number goes on after its last character: 990 does in 990.5."""
    if _joined(last, following[:1]):
        return True
    return last.isdigit() and following[:1] == "." and following[1:].isdigit()


def transcript(story: Story) -> str:
    """The whole episode for a judge: words, calls with arguments, results, changes; today first."""
    lines = [f"Today is {story.initial.get('current_date', 'unknown')}."]
    names = {"assistant": "Agent", "user": "Customer"}
    for number, step in enumerate(story.steps, start=1):
        who = names.get(step.role, step.role)
        if step.call is not None:
            lines.append(f"[{number}] {who} calls {step.call['name']} {dumps(step.call['arguments'])}")
            lines.append(f"    result: {dumps(cast('Json', step.result)['value'])}")
            if step.changes:
                lines.append(f"    database changed at: {', '.join(step.changes)}")
        elif step.text:
            lines.append(f"[{number}] {who}: {step.text}")
    return "\n".join(lines)
