"""How many tokens a text is, about, and how many a verdict may take."""

from __future__ import annotations

import re

from antiphon.text.script import HAN

CHARACTERS_PER_TOKEN = {"zh": 1.6, "en": 4.0}
VERDICT_TOKENS = {True: 16, False: 400}  # a verdict between two words, or a score with its reason
_HAN = re.compile(f"[{HAN}]")


def tokens_in(text: str) -> float:
    """About how many tokens a text is: Han characters and everything else have their own sizes."""
    han = len(_HAN.findall(text))
    return han / CHARACTERS_PER_TOKEN["zh"] + (len(text) - han) / CHARACTERS_PER_TOKEN["en"]
