"""What a client of the GA dialect wants, done: settings, sound, items, answers. Errors go back as events."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import Message, ToolCall, ToolResult, says
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.shapes import Failure, Item, Unknown
from antiphon.realtime import events, ga_session
from antiphon.realtime.ga_sound import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.messages import Role
    from antiphon.models.wire.ga.client import ClientEvent
    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.driver import Driver
    from antiphon.realtime.ga_out import Narrator

_MOST_ITEMS = 5000
_ROLES = ("user", "assistant", "system")


class Reception:
    """One client's events. `settled` is called with settings that are about to hold."""

    def __init__(
        self,
        driver: Driver,
        narrator: Narrator,
        say: Callable[[Event | Unknown], None],
        settled: Callable[[Session], None],
    ) -> None:
        self._driver, self._narrator, self._say, self._settled = driver, narrator, say, settled
        self._intake = self._new_intake(narrator.session)
        self._names = count(1)
        self._waiting: list[Item] = []  # items that no answer has seen yet
        self._results: list[ToolResult] = []

    def _new_intake(self, session: Session) -> Intake:
        assert session.audio is not None
        assert session.audio.input is not None
        assert session.audio.input.format is not None
        return Intake(session.audio.input.format)

    def receive(self, event: ClientEvent) -> None:
        """Do it. Raises WireError for what cannot be done; the session goes on."""
        match event:
            case client.AudioAppend(audio=audio):
                if self._waiting and self._driver.manners.turns:
                    self._tell_waiting()
                if not self._driver.hear(self._intake.push(audio)):
                    raise WireError(
                        "input_audio_buffer.append", "audio", "too much sound without a commit; it is dropped"
                    )
            case client.SessionUpdate(session=change):
                self._update(change)
            case client.AudioCommit():
                self._commit()
            case client.AudioClear():
                self._driver.understanding.clear()
                self._say(server.AudioCleared())
            case client.ResponseCreate():
                self._answer(event)
            case client.ResponseCancel():
                self._cancel()
            case Unknown():
                self._extension(event)
            case _:
                self._items(event)

    def _items(self, event: ClientEvent) -> None:
        match event:
            case client.ItemCreate(item=item):
                self._create(item)
            case client.ItemRetrieve(item_id=item):
                self._say(server.ItemRetrieved(item=self._known(item, "conversation.item.retrieve")))
            case client.ItemDelete(item_id=item):
                self._delete(item)
            case client.ItemTruncate():
                self._truncate(event)
            case _:
                pass  # output_audio_buffer.clear: WebRTC only

    def _update(self, change: Session) -> None:
        session = ga_session.changed(self._narrator.session, change)
        if session.audio != self._narrator.session.audio:
            self._intake = self._new_intake(session)
        self._settled(session)
        self._narrator.settle(session)
        self._say(server.SessionUpdated(session=session))

    def _commit(self) -> None:
        if self._driver.manners.turns:
            raise WireError(
                "input_audio_buffer.commit",
                None,
                "the server finds the turns; set turn_detection to null to commit",
            )
        item = f"item_c{next(self._names)}"
        if not self._driver.understanding.commit(item):
            raise WireError(
                "input_audio_buffer.commit", None, "buffer too small: no sound since the last commit"
            )
        self._narrator.committed(item)

    def _answer(self, event: client.ResponseCreate) -> None:
        wanted = event.response
        if wanted is not None and wanted.conversation == "none":
            raise WireError(
                "response.create",
                "response.conversation",
                "answers outside the conversation are not served here",
            )
        if self._narrator.answering:
            raise WireError("response.create", None, "conversation already has an active response")
        last = self._waiting.pop() if self._waiting and self._waiting[-1].role == "user" else None
        self._tell_waiting()
        if self._results:
            results, self._results = self._results, []
            for result in results:
                self._driver.asking.returned(result)
            if last is not None:
                self._driver.desk.put(events.Typed, _text(last), answer=False)
        elif last is not None:
            self._driver.desk.put(events.Typed, _text(last))
        else:
            self._driver.understanding.ask()

    def _cancel(self) -> None:
        if not self._narrator.answering:
            failure = Failure(
                type="invalid_request_error",
                code="response_cancel_not_active",
                message="no answer is under way",
            )
            self._say(server.Error(error=failure))
            return
        self._narrator.cancelled = True
        self._driver.desk.put(events.Cancelled)

    def _create(self, item: Item) -> None:
        if item.type == "function_call_output":
            self._result(item)
            return
        if item.type not in ("message", "function_call") or (
            item.type == "message" and item.role not in _ROLES
        ):
            raise WireError(
                "conversation.item.create", "item.type", f"no {item.type!r} of {item.role!r} here"
            )
        if any(part.audio is not None for part in item.content or ()):
            raise WireError(
                "conversation.item.create",
                "item.content",
                "send sound with input_audio_buffer.append and commit it",
            )
        named = self._named(item)
        self._waiting.append(named)
        self._narrator.add(named)

    def _named(self, item: Item) -> Item:
        if len(self._narrator.items) >= _MOST_ITEMS:
            raise WireError(
                "conversation.item.create", "item", f"a conversation holds at most {_MOST_ITEMS} items"
            )
        if item.id in self._narrator.items:
            raise WireError("conversation.item.create", "item.id", f"there is an item {item.id!r} already")
        return replace(
            item, id=item.id or f"item_n{next(self._names)}", object="realtime.item", status="completed"
        )

    def _result(self, item: Item) -> None:
        value: Any = item.output or ""
        with suppress(ValueError, RecursionError):  # plain words are a result too
            value = json.loads(value)
        self._narrator.add(self._named(item))
        self._results.append(ToolResult(item.call_id or "", value))

    def _tell_waiting(self) -> None:
        """Items that were put in are history now."""
        waiting, self._waiting = self._waiting, []
        begun = self._driver.desk.begun
        for item in waiting:
            if begun and item.role == "user":
                self._driver.desk.put(events.Typed, _text(item), answer=False)
            else:
                self._driver.manners.before.append(_message(item))

    def _known(self, name: str, event: str) -> Item:
        item = self._narrator.items.get(name)
        if item is None:
            raise WireError(event, "item_id", f"no item {name!r} in this conversation")
        return item

    def _delete(self, name: str) -> None:
        self._known(name, "conversation.item.delete")
        kept = [item for item in self._waiting if item.id != name]
        if len(kept) == len(self._waiting):
            raise WireError(
                "conversation.item.delete", "item_id", "it was said or answered already, and stays"
            )
        self._waiting = kept
        del self._narrator.items[name]
        self._say(server.ItemDeleted(item_id=name))

    def _truncate(self, event: client.ItemTruncate) -> None:
        self._known(event.item_id, "conversation.item.truncate")
        place_ms = self._driver.playout.place_of(event.item_id, event.audio_end_ms)
        if place_ms is None or event.audio_end_ms < 0:
            got_ms = self._driver.playout.got_ms(event.item_id)
            raise WireError(
                "conversation.item.truncate", "audio_end_ms", f"{event.audio_end_ms} ms of an item of which {got_ms} ms were sent"
            )  # fmt: skip
        self._driver.desk.put(events.Truncated, event.item_id, place_ms)
        self._say(
            server.ItemTruncated(
                item_id=event.item_id, audio_end_ms=event.audio_end_ms, content_index=event.content_index
            )
        )

    def _extension(self, event: Unknown) -> None:
        """What GA has no word for."""
        body = event.body
        item, ms, call = body.get("item_id"), body.get("audio_ms"), body.get("call_id")
        if (
            event.type == "playback.acknowledged"
            and isinstance(item, str)
            and isinstance(ms, int)
            and ms >= 0
        ):
            self._driver.acknowledged(item, ms)
        elif event.type == "tool.confirmed" and isinstance(call, str):
            self._driver.desk.put(events.Confirmed, call, body.get("granted") is True)
        elif event.type == "duplex.cues" and (cues := _cues(body.get("cues"))) is not None:
            self._driver.manners.wishes = cues
            self._driver.check_cues()
        elif event.type == "duplex.typed" and isinstance(text := body.get("text"), str) and text.strip():
            self._tell_waiting()
            self._driver.desk.put(events.Typed, text.strip())
        else:
            raise WireError(event.type[:80], None, "no such event, or a field is missing")


def _cues(given: object) -> dict[str, float | str] | None:
    """Cues as names with numbers or words; None for anything else."""
    if not isinstance(given, dict):
        return None
    cues = cast("dict[str, object]", given)
    if not all(isinstance(value, str | int | float) for value in cues.values()):
        return None
    return cast("dict[str, float | str]", cues)


def _text(item: Item) -> str:
    return "".join(part.text or part.transcript or "" for part in item.content or ())


def _message(item: Item) -> Message:
    if item.type == "function_call":
        try:
            arguments: object = json.loads(item.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = {}
        known = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
        return Message("assistant", (ToolCall(item.call_id or "", item.name or "", known),))
    return says(cast("Role", item.role), _text(item))
