"""Clients that come back to the session that they had: here, or at the server before this one."""

from __future__ import annotations

import asyncio
import hmac
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from antiphon.realtime.server.gate import Refusal
from antiphon.realtime.server.kept_sessions import hashed
from antiphon.realtime.server.stack import Back

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping

    from antiphon.realtime.server.session import ClientSession
    from antiphon.realtime.server.stack import Stack


_BUSY = Refusal(503, "the session is being begun again; come back in a moment")


@dataclass(frozen=True, slots=True)
class Return:
    """A session that lives, and the last event that its client has got."""

    session: ClientSession
    after: int | None


class House(Protocol):
    """The server, as far as those concern it who come back."""

    draining: bool

    @property
    def sessions(self) -> Collection[ClientSession]: ...
    @property
    def stack(self) -> Stack: ...
    def full(self) -> Refusal | None: ...


class Returns:
    """Who may have which session again."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._taken: set[str] = set()  # kept sessions that are being begun again

    async def of(self, asked: Mapping[str, str]) -> Return | Back | Refusal:
        """The session that a client had, by `session`, `resume` and `after`, or why it cannot have it again."""
        if self._house.draining:
            return Refusal(503, "the server is shutting down")
        number = _number(asked.get("after"))
        session = next((each for each in self._house.sessions if each.name == asked["session"]), None)
        if session is None:
            return await self._kept(asked, number)
        if session.presence.token is None:
            return _gone()
        if not hmac.compare_digest(session.presence.token.encode(), asked.get("resume", "").encode()):
            return Refusal(403, "resume is not this session's token")
        if isinstance(number, Refusal):
            return number
        if number is not None and not session.presence.outbox.whole_after(number):
            after = asked["after"][:40]
            return Refusal(409, f"what came after {after!r} is not there any more; begin a new session")
        return Return(session, number)

    async def _kept(self, asked: Mapping[str, str], number: int | Refusal | None) -> Back | Refusal:
        shelf, name, token = self._house.stack.keep, asked["session"], asked.get("resume", "")
        if name in self._taken:
            return _BUSY
        found = await asyncio.to_thread(shelf.read, name) if shelf is not None else None
        if found is None or name in self._taken:  # by another connection, while this one was reading
            return _gone() if found is None else _BUSY
        if not hmac.compare_digest(found.token, hashed(token)):
            return Refusal(403, "resume is not this session's token")
        if isinstance(number, Refusal):
            return number
        return self._house.full() or Back(found, token, number)

    @contextmanager
    def taking(self, back: Back) -> Generator[None]:
        """A kept session is one of this server's now: nobody else begins it again."""
        self._taken.add(back.kept.session)
        try:
            yield
        finally:
            self._taken.discard(back.kept.session)


def _gone() -> Refusal:
    return Refusal(404, "no such session; it is over, or was never one to come back to")


def _number(after: str | None) -> int | Refusal | None:
    if after is None:
        return None
    if (found := re.fullmatch(r"event_(\d{1,9})(?:\.\w+)?", after)) is None:
        return Refusal(400, f"after is the event_id of the last event that came, not {after[:40]!r}")
    return int(found[1])
