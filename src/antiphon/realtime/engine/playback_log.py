"""How much of each item was made, sent and played, and which characters that is: what was heard is what was said."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from antiphon.text.script import HAN

_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-]\w+)*")


@dataclass(slots=True)
class ItemLog:
    """One item. `marks` are pairs (ms, chars): after so much sound, so many characters are spoken."""

    text: str = ""
    made_ms: int = 0
    sent_ms: int = 0
    played_ms: int = 0
    marks: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])

    def made(self, ms: int, chars: int) -> None:
        """`ms` more sound for `chars` more characters. A renderer that counts no characters for a while
        spreads the next count over all sound since the last."""
        self.made_ms += max(0, ms)
        if chars > 0:
            at = min(len(self.text), self.marks[-1][1] + chars)
            self.marks.append((self.made_ms, at))

    def sent(self, ms: int) -> None:
        self.sent_ms = max(self.sent_ms, min(ms, self.made_ms))

    def played(self, ms: int) -> None:
        """A receipt. It never goes back, and nothing is heard that was not made."""
        self.played_ms = max(self.played_ms, min(ms, self.made_ms))
        self.sent_ms = max(self.sent_ms, self.played_ms)

    def truncated(self, ms: int) -> None:
        """The client's own word on what was heard: it may be less than a receipt or an estimate said."""
        self.played_ms = min(ms, self.made_ms)

    def lost(self, ms: int) -> None:
        """Nothing after the first `ms` has reached the client, whatever was taken for played."""
        self.sent_ms = min(self.sent_ms, ms)
        self.played_ms = min(self.played_ms, ms)

    @property
    def heard_chars(self) -> int:
        """Characters heard: a word that was cut does not count."""
        return self.chars_at(self.played_ms)

    @property
    def heard(self) -> str:
        return self.text[: self.heard_chars]

    def chars_at(self, ms: int) -> int:
        """Characters whose sound has ended `ms` after the item's beginning, in whole words."""
        exact = self._spoken(ms)
        for word in _WORD.finditer(self.text, 0, len(self.text)):
            if word.start() < exact < word.end():
                return word.start()
            if word.start() >= exact:
                break
        return int(exact)

    def resume_point(self, ms: int) -> tuple[int, int]:
        """(ms, chars) where speech that was cut at `ms` goes on: the beginning of the word that was cut."""
        char = self.chars_at(ms)
        while char < len(self.text) and self.text[char].isspace():
            char += 1
        return min(ms, self._sounds_at(char)), char

    def _spoken(self, ms: int) -> float:
        """Characters spoken at `ms`, interpolated between marks; after the last mark nothing is known."""
        right = bisect_right(self.marks, (ms, len(self.text) + 1))
        left_ms, left_chars = self.marks[right - 1]
        if right == len(self.marks):
            return left_chars
        right_ms, right_chars = self.marks[right]
        return left_chars + (right_chars - left_chars) * (ms - left_ms) / (right_ms - left_ms)

    def _sounds_at(self, char: int) -> int:
        """When the sound of character `char` begins, in ms."""
        right = bisect_left([chars for _, chars in self.marks], char)
        if right == 0:
            return 0
        if right == len(self.marks):
            return self.marks[-1][0]
        (left_ms, left_chars), (right_ms, right_chars) = self.marks[right - 1 : right + 1]
        share = (char - left_chars) / max(1, right_chars - left_chars)
        return left_ms + int((right_ms - left_ms) * share)
