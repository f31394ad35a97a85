"""Clauses of a text that is still being written, and the words of a clause that can be spoken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.text.markdown import plain
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

# A unit is a Han character or a word of another script. The first clause may be short, because somebody
# waits for it; later ones are longer, because a voice needs context for its melody.
_SHORTEST_SENTENCE = 2
_FIRST_CLAUSE = 6
_LATER_CLAUSE = 16

_UNIT = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-]\w+)*")
_SENTENCE_END = r"[。！？!?；;…\n]+[”’」』）)\"]*"
# A full stop ends a sentence before a space, but not after a list's number, an initial or a title.
_FULL_STOP = (
    r"(?<!^\d)(?<!^\d\d)(?<!\b[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\bvs)"
    r"(?<!\be\.g)(?<!\bi\.e)\.[”’)\"]*(?=\s)"
)
_PAUSE = r"[，：]|[,:](?=\s)"
_BOUNDARY = re.compile(rf"(?P<end>{_SENTENCE_END}|{_FULL_STOP})|(?P<pause>{_PAUSE})", re.MULTILINE)

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\u200d\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]"
)
_LEFT_OVER = re.compile(r"\*{2,}|_{2,}|`+|~~|^\s*#+\s*|\*(?=\s|$)(?<=\S\*)")


class Splitter:
    """Cuts growing text into clauses at Mandarin and English punctuation. Joined again, they are the text."""

    def __init__(self) -> None:
        self._text = ""
        self._shortest = _FIRST_CLAUSE

    def feed(self, piece: str) -> list[str]:
        """The clauses that this piece completes."""
        self._text += piece
        clauses: list[str] = []
        while (end := self._next_end()) is not None:
            clauses.append(self._text[:end])
            self._text = self._text[end:]
            self._shortest = _LATER_CLAUSE
        return clauses

    def flush(self) -> list[str]:
        """What remains when the text has ended."""
        rest, self._text = self._text, ""
        return [rest] if rest else []

    def _next_end(self) -> int | None:
        for found in _BOUNDARY.finditer(self._text):
            least = self._shortest if found["pause"] else _SHORTEST_SENTENCE
            if len(_UNIT.findall(self._text, 0, found.start())) >= least:
                return found.end()
        return None


async def clauses_of(text: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """The clauses of a text while it comes. Joined again, they are the text."""
    splitter = Splitter()
    async for piece in text:
        for clause in splitter.feed(piece):
            yield clause
    for clause in splitter.flush():
        yield clause


def has_words(text: str) -> bool:
    """Whether there is anything to pronounce."""
    return any(char.isalnum() for char in text)


def sayable(clause: str) -> str:
    """A clause without Markdown, emoji and line breaks; empty when nothing can be pronounced."""
    words = " ".join(_EMOJI.sub("", _LEFT_OVER.sub("", plain(clause))).split())
    return words if has_words(words) else ""
