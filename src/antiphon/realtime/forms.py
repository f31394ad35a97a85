"""Tables of forms of speech: what a form shows, how much it weighs, and how it looks in English and in Mandarin."""

from __future__ import annotations

import re
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
