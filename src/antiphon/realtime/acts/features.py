"""What a classifier sees of a line: runs of words and of characters, in English and in Mandarin.

Case and most punctuation are not heard, so they are not seen; who is called is only that somebody is called, and a
number only that it is one.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z][a-z']*|@|0|[?!]|[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|[零〇一二三四五六七八九十百千万两]{2,}")
LONGEST = 3  # words in a run
SPELLED = (3, 4)  # characters in a run within an English word


def tokens(text: str, called: str | None = None) -> list[str]:
    """Words and Han characters in lower case, ? and !; `@` for who is called, `0` for a number."""
    if called:
        text = text.replace(called, "@")
    text = _NUMBER.sub("0", text.lower().replace("’", "'").replace("？", "?").replace("！", "!"))
    return _WORD.findall(text)


def features(text: str, called: str | None = None) -> list[str]:
    """Every run once, the line's beginning and end (`^`, `$`) included; `_` is any one word. Empty where
    there is no word."""
    words = tokens(text, called)
    if not any(word not in "?!" for word in words):
        return []
    edged = ["^", *words, "$"]
    found = [
        " ".join(edged[at : at + size])
        for size in range(1, LONGEST + 1)
        for at in range(len(edged) - size + 1)
    ]
    found += [f"{first} _ {third}" for first, third in zip(edged, edged[2:], strict=False)]
    for word in words:
        if word.isascii() and len(word) > SPELLED[0]:
            spelled = f"_{word}_"
            found += [
                f"~{spelled[at : at + size]}" for size in SPELLED for at in range(len(spelled) - size + 1)
            ]
    return list(dict.fromkeys(found))
