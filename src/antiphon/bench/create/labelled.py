"""Lines with labels: how texts are shown to a model, and how its answer is read back, strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_COLON = re.compile(r"\s*[:：]\s*")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an answer cannot be read."""

    reason: str


def lay_out(texts: Mapping[str, str]) -> str:
    """One line a text: `问题：…`. Line breaks inside a text become blanks."""
    return "\n".join(f"{label}：{_BLANKS.sub(' ', text.strip())}" for label, text in texts.items())


def read_back(answer: str, labels: Collection[str]) -> dict[str, str] | Problem:
    """The text of every label, each exactly once and nothing else; anything more or less is a problem."""
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, answer.splitlines())):
        label, *rest = _COLON.split(line, maxsplit=1)
        if not rest or label not in labels:
            return Problem(f"a line that nobody asked for: {short(line)}")
        if label in found:
            return Problem(f"{label} is given twice")
        if not rest[0]:
            return Problem(f"{label} is empty")
        found[label] = rest[0]
    if missing := [label for label in labels if label not in found]:
        return Problem(f"{missing[0]} is missing")
    return found


def short(text: str) -> str:
    """The beginning of an answer, for a reason."""
    flat = _BLANKS.sub(" ", text.strip())
    return repr(flat if len(flat) <= 60 else f"{flat[:59]}…")
