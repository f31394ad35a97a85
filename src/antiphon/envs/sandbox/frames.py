"""What travels between a sandbox process and its owner: frames of JSON, each with its length before it."""

from __future__ import annotations

import os
import struct
from typing import Any

import msgspec

HEAD = 4  # bytes of length


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """To the process. "read": the tools of a `file` with `source`; "call": a tool, on `db` or on the document
    held since the last call. The answer carries the same `token`, which nobody can know before."""

    do: str
    file: str
    token: str = ""
    source: str = ""
    behaviour: dict[str, Any] = {}
    tool: str = ""
    arguments: dict[str, Any] = {}
    db: dict[str, Any] | None = None


class Interface(msgspec.Struct, frozen=True):
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    cancel_on_interrupt: bool
    blocks_answer: bool
    slow: bool


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """From the process. `problem` is what is wrong with the file, `raised` how a tool failed inside."""

    token: str = ""
    problem: str | None = None
    raised: str | None = None
    interfaces: tuple[Interface, ...] = ()
    value: Any = None
    changes: dict[str, dict[str, Any]] = {}
    guards: dict[str, str] = {}


def pack(record: object) -> bytes:
    """A record as a frame."""
    body = msgspec.json.encode(record)
    return struct.pack(">I", len(body)) + body


def length(head: bytes) -> int:
    """How many bytes follow a frame's head."""
    return int(struct.unpack(">I", head)[0])


def take(fd: int) -> bytes | None:
    """The body of the next frame, waiting as long as it takes; None when the other side is gone."""
    head = _exactly(fd, HEAD)
    return None if head is None else _exactly(fd, length(head))


def _exactly(fd: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
