"""What a text mentions: words, names and numbers, whatever their spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DIGITS_APART = re.compile(r"(?<=\d)[ \-–.](?=\d)")
_LONG_NUMBER = 5  # digits: shorter ones are not read out in groups
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ZEROS = re.compile(r"(?<=\d)\.0+(?!\d)")
_SPACES = re.compile(r"\s+")


@lru_cache(maxsize=4096)
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
        folded = digits_together(folded)
    start = folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_joined(folded[:start][-1:], wanted[:1]) or _goes_on(wanted[-1:], folded[end : end + 2])):
            return True
        start = folded.find(wanted, start + 1)
    return False


def digits_together(folded: str) -> str:
    """Words with their numbers in one piece: "415 555-1234" as 4155551234."""
    return _DIGITS_APART.sub("", folded)


def _joined(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word or number."""
    return (left + right).isascii() and left.isalnum() and right.isalnum()


def _goes_on(last: str, following: str) -> bool:
    """Whether a word or number goes on after its last character: 990 does in 990.5."""
    if _joined(last, following[:1]):
        return True
    return last.isdigit() and following[:1] == "." and following[1:].isdigit()
