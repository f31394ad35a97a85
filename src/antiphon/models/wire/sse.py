"""Server-sent events, sans-IO: bytes in, the `data` of each event out."""

from __future__ import annotations


class EventReader:
    """Cuts a byte stream into events. Lines end at a newline byte only: Mandarin text may hold
    U+2028 and its like, which are no line ends here. Comments and other fields are skipped.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[str]:
        """The events that this piece completes. Raises UnicodeDecodeError on bytes that are no UTF-8."""
        first, newline, after = piece.partition(b"\n")
        self._rest += first
        if not newline:
            return []  # a long line of sound comes in many pieces: look at each byte once
        lines = [bytes(self._rest), *after.split(b"\n")]
        self._rest = bytearray(lines.pop())
        return [event for line in lines if (event := self._line(line.rstrip(b"\r"))) is not None]

    def end(self) -> list[str]:
        """What a last event without its blank line holds: some servers forget it."""
        return self.feed(b"\n\n")

    def _line(self, line: bytes) -> str | None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            return None
        if line or not self._data:
            return None
        event, self._data = b"\n".join(self._data), []
        return event.decode()
