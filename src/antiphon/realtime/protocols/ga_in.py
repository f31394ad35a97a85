"""What a client of the GA dialect wants, done: settings, sound, items, answers. Errors go back as events."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, cast

from antiphon.errors import WireError
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.shapes import ResponseOptions, Unknown
from antiphon.realtime import events
from antiphon.realtime.protocols import ga_session
from antiphon.realtime.protocols.asides import MOST, Asides
from antiphon.realtime.protocols.ga_idle import Patience
from antiphon.realtime.protocols.ga_items import DeclinedError, Items, text_of
from antiphon.realtime.protocols.ga_items import message as as_message
from antiphon.realtime.protocols.ga_sound import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.models.wire.ga.client import ClientEvent
    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.live.driver import Driver
    from antiphon.realtime.live.ports import Wish
    from antiphon.realtime.protocols.ga_kept import Talk
    from antiphon.realtime.protocols.ga_out import Narrator


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
        self._items = Items(driver, narrator, say, self._answer_deferred)
        self._asides = Asides(driver.parts, driver)
        narrator.patience = self._patience = Patience(driver.desk, self._silence)
        self._requests = count(1)
        self._deferred: str | None = None  # a request that waits for the words of some sound
        self._truncated: str | None = None  # the response that the last truncation ended

    def _new_intake(self, session: Session) -> Intake:
        assert session.audio is not None
        assert session.audio.input is not None
        assert session.audio.input.format is not None
        return Intake(session.audio.input.format)

    def kept(self) -> Talk:
        """What the client knows of the conversation."""
        return self._narrator.kept(*self._items.kept())

    def restore(self, known: Talk) -> None:
        """Go on with a conversation of a narrator that has its settings already."""
        self._narrator.restore(known)
        self._items.restore(known.waiting, known.returned)
        self._patience.timeout_ms = ga_session.timeout_ms(known.settings)

    def receive(self, event: ClientEvent) -> None:
        """Do it. Raises WireError for what cannot be done; the session goes on."""
        match event:
            case client.AudioAppend(audio=audio):
                self._hear(audio)
            case client.SessionUpdate(session=change):
                self._update(change)
            case client.AudioCommit():
                self._commit()
            case client.AudioClear():
                self._driver.understanding.clear()
                self._say(server.AudioCleared())
            case client.ResponseCreate(response=wanted):
                self._respond(wanted or ResponseOptions())
            case client.ResponseCancel(response_id=response):
                self._cancel(response)
            case client.OutputClear():
                self._clear()
            case Unknown():
                self._extension(event)
            case _:
                self._about_items(event)

    def _about_items(self, event: ClientEvent) -> None:
        match event:
            case client.ItemCreate():
                self._items.create(event)
            case client.ItemRetrieve(item_id=item):
                self._items.retrieve(item)
            case client.ItemDelete(item_id=item):
                self._items.delete(item)
            case client.ItemTruncate():
                self._truncate(event)
            case _:
                raise WireError("an event", "type", "not of a client")

    # ---- sound and settings

    def _hear(self, audio: bytes) -> None:
        if self._items.waiting and self._driver.manners.turns:
            self._items.tell()
        if not self._driver.hear(self._intake.push(audio)):
            raise WireError(
                "input_audio_buffer.append", "audio", "too much sound without a commit; it is dropped"
            )

    def _update(self, change: Session) -> None:
        session = ga_session.changed(self._narrator.session, change)
        if session.audio != self._narrator.session.audio:
            self._intake = self._new_intake(session)
        self._patience.timeout_ms = ga_session.timeout_ms(session)
        self._settled(session)
        self._driver.check_cues()
        self._narrator.settle(session)
        self._say(server.SessionUpdated(session=session))

    def _commit(self) -> None:
        where = "input_audio_buffer.commit"
        if self._driver.manners.turns:
            raise WireError(where, None, "the server finds the turns; set turn_detection to null to commit")
        pcm = self._driver.understanding.commit()
        if not pcm:
            raise DeclinedError(where, "no sound since the last commit", "input_audio_buffer_commit_empty")
        self._items.committed(pcm)

    def _silence(self, from_us: int, to_us: int) -> None:
        """Nobody spoke for so long that the agent shall say something."""
        self._items.silence(from_us // 1000, to_us // 1000)
        quiet_s = (to_us - from_us) / 1e6
        self._driver.desk.put(
            events.Background, "silence", f"The person has said nothing for {quiet_s:.0f} seconds."
        )

    # ---- answers

    def _respond(self, options: ResponseOptions) -> None:
        wish = ga_session.wish(options, self._narrator.session, self._items.referred)
        if options.conversation == "none":
            self._begin_aside(options, wish)
            return
        if options.conversation not in (None, "auto"):
            raise WireError("response.create", "response.conversation", '"auto" or "none"')
        following = bool(
            self._items.results
        )  # it answers the results of calls that the response under way made
        if (self._narrator.answering and not following) or self._deferred is not None:
            raise DeclinedError(
                "response.create", "conversation already has an active response",
                "conversation_already_has_active_response",
            )  # fmt: skip
        request = f"request-{next(self._requests)}"
        self._narrator.expect(request, options)
        self._driver.asking.expect(request, wish)
        if wish.tools is not None:
            self._settled(self._narrator.session)  # the engine has to know them
        if self._items.unread:
            self._deferred = request
        else:
            self._ask(request)

    def _answer_deferred(self) -> None:
        if self._deferred is not None and not self._items.unread:
            request, self._deferred = self._deferred, None
            self._ask(request)

    def _ask(self, request: str) -> None:
        """What waits is history now, and the last words of the person's, or the tools' results, are answered."""
        results, self._items.results = self._items.results, []
        last = None if results else self._items.last_words()
        self._items.tell()
        for result in results:
            self._driver.asking.returned(result, request)
        if last is not None:
            self._driver.desk.put(events.Typed, text_of(last), item=last.id or "", request=request)
        elif not results:
            self._driver.desk.put(events.Asked, request)

    def _begin_aside(self, options: ResponseOptions, wish: Wish) -> None:
        if self._asides.full:
            raise WireError(
                "response.create", "response.conversation", f"at most {MOST} responses outside at once"
            )
        after = [as_message(item) for item in self._items.waiting]
        self._asides.ask(self._narrator.aside(options), wish, after)

    def _cancel(self, response: str | None) -> None:
        if response is not None and self._asides.cancel(response):
            return
        asking = self._narrator.answering or self._driver.asking.awaited
        truncated, self._truncated = self._truncated, None
        if not asking and truncated is not None and response in (None, truncated):
            return
        if not asking or response not in (None, self._narrator.response):
            which = "response" if response is None else f"response {response!r}"
            what = f"Cancellation failed: no {which} is under way"  # LiveKit knows it by these words
            raise DeclinedError("response.cancel", what, "response_cancel_not_active")
        self._narrator.cancelled = True
        if self._deferred is not None:
            self._ask(self._deferred)
            self._deferred = None
        self._driver.desk.put(events.Cancelled)

    def _truncate(self, event: client.ItemTruncate) -> None:
        """Who truncates what is being said stops it; a cancel that follows finds it stopped."""
        saying = self._narrator.saying(event.item_id)
        self._items.truncate(event)
        if saying:
            self._narrator.cancelled = True
            self._truncated = self._narrator.response

    def _clear(self) -> None:
        """Stop speaking: the sound that is left lies on our side."""
        response = self._narrator.response
        if response is not None:
            self._narrator.cancelled = True
            self._driver.desk.put(events.Cancelled)
        self._say(server.OutputCleared(response_id=response or ""))

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
            self._driver.manners.more_cues = cues
            self._driver.check_cues()
        elif event.type == "duplex.typed" and isinstance(text := body.get("text"), str) and text.strip():
            self._items.tell()
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
