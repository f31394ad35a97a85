"""The items that a client puts into the conversation, asks for, truncates or takes out."""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import Message, ToolCall, ToolResult, says
from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.shapes import Item, Part
from antiphon.realtime import events
from antiphon.realtime.live.understanding import HEARD_HZ
from antiphon.realtime.protocols.ga_sound import Intake

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.messages import Role
    from antiphon.models.wire.ga import client
    from antiphon.models.wire.ga.shapes import Event, Unknown
    from antiphon.realtime.live.driver import Driver
    from antiphon.realtime.protocols.ga_out import Narrator

MOST_ITEMS = 5000
_ROLES = ("user", "assistant", "system")
_KINDS = ("message", "function_call", "function_call_output")
_PARTS = ("input_text", "input_audio", "output_text", "output_audio", "text", "audio")
# Names that the engine and we ourselves give.
_OURS = re.compile(r"(?:item|turn)-\d+|item_[ucni]\d{1,7}|item_for_.*")
_CREATE = "conversation.item.create"


class DeclinedError(WireError):
    """What cannot be done now, with the protocol's own code for it."""

    def __init__(self, event: str, problem: str, code: str, field: str | None = None) -> None:
        super().__init__(event, field, problem)
        self.code = code


class Items:
    """`waiting` are those that no answer has seen yet, `results` those of the client's tools. `read` is called
    whenever the words of some sound became known."""

    def __init__(
        self,
        driver: Driver,
        narrator: Narrator,
        say: Callable[[Event | Unknown], None],
        read: Callable[[], None],
    ) -> None:
        self._driver, self._narrator, self._say, self._read = driver, narrator, say, read
        self._names = count(1)
        self.waiting: list[Item] = []
        self.results: list[ToolResult] = []
        self._unread: set[str] = set()
        self._returned: set[str] = set()  # items of `results`, earlier ones too

    def kept(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of items that no answer has seen, and of those that are results of the client's calls."""
        calls = {result.call_id for result in self.results}
        returned = [name for name in self._returned if self._narrator.items[name].call_id in calls]
        return tuple(item.id or "" for item in self.waiting), tuple(returned)

    def restore(self, waiting: Sequence[str], returned: Sequence[str]) -> None:
        """Go on with items that the narrator has. What was sound without words stays without."""
        items = self._narrator.items
        self.waiting = [items[name] for name in waiting if name in items]
        self.results = [_result(items[name]) for name in returned if name in items]
        self._returned = set(returned)
        given = (re.fullmatch(r"item_[nci](\d+)", name) for name in items)
        self._names = count(1 + max((int(one[1]) for one in given if one is not None), default=0))

    @property
    def unread(self) -> bool:
        """Whether the words of some sound are not known yet."""
        return bool(self._unread)

    # ---- what comes in

    def create(self, event: client.ItemCreate) -> None:
        """An item at the end of the conversation. Raises WireError."""
        item = event.item
        last = next(reversed(self._narrator.items), "root")
        if event.previous_item_id not in (None, last):
            self._known(event.previous_item_id, _CREATE, "previous_item_id")
            raise WireError(_CREATE, "previous_item_id", f"items enter at the end, here after {last!r}")
        _check(item)
        pcm = self._sound(item)
        if item.type == "function_call_output" and self._driver.asking.awaits(item.call_id or ""):
            named = self._named(item)
            self._narrator.add(named)
            self._returned.add(named.id or "")
            self.results.append(_result(item))
            return
        if item.type == "function_call_output" and not self._called(item.call_id):
            raise WireError(_CREATE, "item.call_id", f"no call {item.call_id!r} in this conversation")
        named = self._named(item)
        self.waiting.append(named)
        self._narrator.add(named)
        if pcm:
            self._begin_reading(named.id or "", pcm)

    def committed(self, pcm: bytes) -> None:
        """Sound of the person's that the client cut off as a turn."""
        name = f"item_c{next(self._names)}"
        self._narrator.committed(name)
        self.waiting.append(self._narrator.items[name])
        self._begin_reading(name, pcm)

    def silence(self, from_ms: int, to_ms: int) -> None:
        """Nobody spoke: an item without words."""
        name = f"item_i{next(self._names)}"
        self._say(server.TimeoutTriggered(audio_start_ms=from_ms, audio_end_ms=to_ms, item_id=name))
        self._narrator.committed(name)

    def _named(self, item: Item) -> Item:
        if len(self._narrator.items) >= MOST_ITEMS:
            raise WireError(_CREATE, "item", f"a conversation holds at most {MOST_ITEMS} items")
        if item.id in self._narrator.items:
            code = "item_create_duplicate_item_id"
            raise DeclinedError(_CREATE, f"there is an item {item.id!r} already", code, "item.id")
        if item.id is not None and _OURS.fullmatch(item.id):
            raise WireError(
                _CREATE, "item.id", f"{item.id!r} is a name that the server gives; choose another"
            )
        parts = (
            tuple(replace(part, audio=None) for part in item.content) if item.content is not None else None
        )
        return replace(
            item, id=item.id or f"item_n{next(self._names)}", object="realtime.item", status="completed", content=parts
        )  # fmt: skip

    def _sound(self, item: Item) -> bytes:
        """All sound of an item, as the ear wants it."""
        parts = [
            part for part in item.content or () if part.type == "input_audio" and part.transcript is None
        ]
        listening = self._narrator.session.audio
        assert listening is not None
        assert listening.input is not None
        assert listening.input.format is not None
        taken = Intake(listening.input.format)
        pcm = b""
        for part in parts:
            try:
                pcm += taken.push(base64.b64decode(part.audio or "", validate=True))
            except ValueError as error:
                raise WireError(_CREATE, "item.content", f"sound in base64, but {error}") from None
        if parts and not pcm:
            raise WireError(_CREATE, "item.content", "input_audio needs audio or a transcript")
        return pcm

    def _begin_reading(self, name: str, pcm: bytes) -> None:
        self._unread.add(name)

        def known(text: str) -> None:
            self._unread.discard(name)
            if name in self._narrator.items:
                self._narrator.transcribed(name, text, len(pcm) / (2 * HEARD_HZ))
                _set_words(self.waiting, name, text)
            self._read()

        self._driver.understanding.read(name, pcm, known)

    def _called(self, call: str | None) -> bool:
        return any(
            item.type == "function_call" and item.call_id == call for item in self._narrator.items.values()
        )

    # ---- from waiting into the history

    def tell(self) -> None:
        """What is known of those that wait is history now; what follows unread sound waits with it."""
        while self.waiting and self.waiting[0].id not in self._unread:
            item = self.waiting.pop(0)
            self._driver.desk.put(events.Noted, item.id or "", message(item))

    def last_words(self) -> Item | None:
        """The last waiting item where it is the person's, taken out."""
        return self.waiting.pop() if self.waiting and self.waiting[-1].role == "user" else None

    def referred(self, given: Item, at: int) -> Message:
        """An item of a response's `input`. Raises WireError."""
        field = f"response.input[{at}]"
        if given.type == "item_reference":
            return message(self._known(given.id, "response.create", f"{field}.id"))
        try:
            _check(given)
        except WireError as error:
            raise WireError("response.create", field, error.problem) from None
        if any(part.audio is not None for part in given.content or ()):
            raise WireError("response.create", field, "create an item of the sound first, and refer to it")
        return message(given)

    # ---- what is there

    def _known(self, name: str | None, event: str, field: str = "item_id") -> Item:
        item = self._narrator.items.get(name or "")
        if item is None:
            code = f"item_{event.rpartition('.')[2]}_invalid_item_id"
            raise DeclinedError(event, f"no item {name!r} in this conversation", code, field)
        return item

    def retrieve(self, name: str) -> None:
        """Say what the item holds. Raises WireError."""
        self._say(server.ItemRetrieved(item=self._known(name, "conversation.item.retrieve")))

    def delete(self, name: str) -> None:
        """Take the item out of the history. Raises WireError."""
        item = self._known(name, "conversation.item.delete")
        if self._narrator.saying(name):
            raise WireError(
                "conversation.item.delete", "item_id", "it is being said; cancel the response first"
            )
        if name in self._returned:
            raise WireError("conversation.item.delete", "item_id", "it belongs to its call; delete that")
        self.waiting = [each for each in self.waiting if each.id != name]
        for known in self._narrator.names_of(name, item):
            self._driver.desk.put(events.Forgotten, known)
        del self._narrator.items[name]
        self._say(server.ItemDeleted(item_id=name))

    def truncate(self, event: client.ItemTruncate) -> None:
        """Only so much of a spoken item was heard. Raises WireError."""
        where = "conversation.item.truncate"
        item = self._known(event.item_id, where)
        if item.role != "assistant":
            raise WireError(where, "item_id", "only what the agent says can be truncated")
        if event.content_index != 0:
            raise WireError(where, "content_index", "an item of the agent's has one part, 0")
        place_ms = self._driver.playout.place_of(event.item_id, event.audio_end_ms)
        if place_ms is None or event.audio_end_ms < 0:
            got_ms = self._driver.playout.got_ms(event.item_id)
            raise WireError(
                where, "audio_end_ms", f"{event.audio_end_ms} ms of an item of which {got_ms} ms were sent"
            )
        self._driver.desk.put(events.Truncated, event.item_id, place_ms)
        self._say(
            server.ItemTruncated(
                item_id=event.item_id, audio_end_ms=event.audio_end_ms, content_index=event.content_index
            )
        )


def _check(item: Item) -> None:
    """Raises WireError for what no conversation here holds."""
    if item.type not in _KINDS or (item.type == "message" and item.role not in _ROLES):
        raise WireError(_CREATE, "item.type", f"no {item.type!r} of {item.role!r} here")
    for at, part in enumerate(item.content or ()):
        if part.type not in _PARTS:
            raise WireError(
                _CREATE, f"item.content[{at}].type", f"no {part.type!r} here; there are: {', '.join(_PARTS)}"
            )


def _set_words(items: list[Item], name: str, text: str) -> None:
    for at, item in enumerate(items):
        if item.id == name:
            parts = (
                replace(part, transcript=text) if part.type == "input_audio" else part
                for part in item.content or ()
            )
            items[at] = replace(item, content=tuple(parts))


def text_of(item: Item) -> str:
    """All words of an item."""
    return "".join(_words(part) for part in item.content or ())


def _words(part: Part) -> str:
    return part.text or part.transcript or ""


def _result(item: Item) -> ToolResult:
    value: Any = item.output or ""
    with suppress(ValueError, RecursionError):  # plain words are a result too
        value = json.loads(value)
    return ToolResult(item.call_id or "", value)


def message(item: Item) -> Message:
    """An item as a model reads it."""
    if item.type == "function_call_output":
        return Message("tool", (_result(item),))
    if item.type == "function_call":
        try:
            arguments: object = json.loads(item.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = {}
        known = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
        return Message("assistant", (ToolCall(item.call_id or "", item.name or "", known),))
    return says(cast("Role", item.role), text_of(item))
