"""Tables of forms of speech: what a form shows, how much it weighs, and how it looks in English and in Mandarin."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = tuple[str, float, str, str]
Form = tuple[str, float, re.Pattern[str]]


def compiled(rows: Iterable[Row]) -> tuple[Form, ...]:
    """Each row with one pattern for both languages, whatever the case."""
    return tuple(
        (what, weight, re.compile("|".join(form for form in (english, mandarin) if form), re.IGNORECASE))
        for what, weight, english, mandarin in rows
    )


@lru_cache(maxsize=64)  # the same words are asked about several times a second
def shown(text: str, forms: tuple[Form, ...]) -> tuple[tuple[str, float], ...]:
    """Which of these forms a text has, each with its weight."""
    return tuple((what, weight) for what, weight, pattern in forms if pattern.search(text))
