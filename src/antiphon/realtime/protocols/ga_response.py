"""One response told to a client, from `response.created` to `response.done`, in an order that stock clients expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from antiphon.models.wire.ga import server, shapes
from antiphon.models.wire.ga.shapes import (
    Audio,
    Failure,
    Item,
    Part,
    Response,
    ResponseOptions,
    StatusDetails,
)
from antiphon.realtime.protocols.ga_sound import Outlet

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.models.ports import Usage
    from antiphon.models.wire.ga.shapes import Event, Session

_INCOMPLETE = StatusDetails(type="incomplete", reason="max_output_tokens")


class Telling:
    """`item` names the message. `items` are the conversation, in its order; None for a response outside it."""

    def __init__(
        self,
        say: Callable[[Event], None],
        names: tuple[str, str],
        session: Session,
        options: ResponseOptions | None,
        items: dict[str, Item] | None,
    ) -> None:
        self._say, self._session, self._items = say, session, items
        self.id, self.item = names
        self._options = options or ResponseOptions()
        self._modalities = self._options.output_modalities or session.output_modalities or ("audio",)
        self.spoken = "audio" in self._modalities
        assert session.audio is not None
        assert session.audio.output is not None
        assert session.audio.output.format is not None
        self._outlet = Outlet(session.audio.output.format)
        self.text = ""
        self.cut_short = False
        self.output: list[Item] = []
        self._usage: shapes.Usage | None = None
        self._index: int | None = None  # of the message among the output
        say(server.ResponseCreated(response=self._response("in_progress")))

    def _response(self, status: str, details: StatusDetails | None = None) -> Response:
        session, options = self._session, self._options
        most = session.max_output_tokens if options.max_output_tokens is None else options.max_output_tokens
        outside = self._items is None
        return Response(
            id=self.id, object="realtime.response", status=status, status_details=details,
            output=tuple(self.output), output_modalities=self._modalities,
            audio=Audio(output=session.audio.output) if session.audio is not None else None,
            conversation_id=None if outside else f"conv_{session.id}", max_output_tokens=most,
            metadata=options.metadata, usage=self._usage,
        )  # fmt: skip

    def _place(self) -> dict[str, Any]:
        index = self._index or 0
        return {"response_id": self.id, "item_id": self.item, "output_index": index, "content_index": 0}

    # ---- what it holds

    def words(self, text: str) -> None:
        """More words."""
        self._open()
        self.text += text
        kind = server.TranscriptDelta if self.spoken else server.TextDelta
        self._say(kind(**self._place(), delta=text))

    def coded(self, pcm: bytes) -> bytes:
        """Speech of 24 kHz int16 in the client's format: what this piece completes."""
        return self._outlet.push(pcm)

    def sound(self, data: bytes) -> None:
        """More speech, in the client's format."""
        self._open()
        self._say(server.AudioDelta(**self._place(), delta=data))

    def call(self, call_id: str, name: str, arguments: str) -> None:
        """The client shall run a function."""
        asked = Item(
            type="function_call", object="realtime.item", id=f"item_{call_id}"[:64], status="in_progress",
            call_id=call_id, name=name, arguments="",
        )  # fmt: skip
        index = self._enter(asked)
        place: dict[str, Any] = {
            "response_id": self.id, "item_id": asked.id, "output_index": index, "call_id": call_id,
        }  # fmt: skip
        self._say(server.ArgumentsDelta(**place, delta=arguments))
        self._say(server.ArgumentsDone(**place, arguments=arguments, name=name))
        self._leave(index, replace(asked, status="completed", arguments=arguments))

    def used(self, usage: Usage) -> None:
        """What the model consumed, where it says."""
        given, made = usage.prompt_tokens, usage.completion_tokens
        if given is not None and made is not None:
            self._usage = shapes.Usage(total_tokens=given + made, input_tokens=given, output_tokens=made)

    def _enter(self, item: Item) -> int:
        """An item appears; its place among the output."""
        self.output.append(item)
        index = len(self.output) - 1
        self._say(server.OutputItemAdded(response_id=self.id, output_index=index, item=item))
        if self._items is not None:
            self._say(server.ItemAdded(item=item, previous_item_id=next(reversed(self._items), None)))
            self._items[item.id or ""] = item
        return index

    def _leave(self, index: int, item: Item) -> None:
        """An item is complete."""
        self.output[index] = item
        self._say(server.OutputItemDone(response_id=self.id, output_index=index, item=item))
        if self._items is not None:
            names = list(self._items)
            at = names.index(item.id) if item.id in names else 0
            self._items[item.id or ""] = item
            self._say(server.ItemDone(item=item, previous_item_id=names[at - 1] if at else None))

    def _open(self) -> None:
        """The message appears with its first word or sound."""
        if self._index is not None:
            return
        self._index = self._enter(
            Item(
                type="message", object="realtime.item", id=self.item, status="in_progress", role="assistant",
                content=(),
            )
        )  # fmt: skip
        part = Part(type="audio", transcript="") if self.spoken else Part(type="text", text="")
        self._say(server.ContentPartAdded(**self._place(), part=part))

    # ---- how it ends

    def completed(self, *, cut_short: bool = False) -> None:
        """It is whole, or whole as far as the limit of tokens lets it be."""
        self._end("incomplete" if cut_short else "completed", _INCOMPLETE if cut_short else None)

    def cancelled(self, reason: str) -> None:
        """The client cancelled it, or the person did."""
        self._end("cancelled", StatusDetails(type="cancelled", reason=reason))

    def failed(self, why: str) -> None:
        """The model or the voice failed."""
        error = Failure(type="server_error", code="model_failed", message=why)
        self._end("failed", StatusDetails(type="failed", error=error))

    def _end(self, status: str, details: StatusDetails | None) -> None:
        if self._index is not None:
            self._close(self._index, "completed" if status == "completed" else "incomplete")
        self._say(server.ResponseDone(response=self._response(status, details)))

    def _close(self, index: int, state: str) -> None:
        if self.spoken:
            if data := self._outlet.finish():
                self.sound(data)
            part = Part(type="audio", transcript=self.text)
            self._say(server.AudioDone(**self._place()))
            self._say(server.TranscriptDone(**self._place(), transcript=self.text))
            content = Part(type="output_audio", transcript=self.text)
        else:
            part = Part(type="text", text=self.text)
            self._say(server.TextDone(**self._place(), text=self.text))
            content = Part(type="output_text", text=self.text)
        self._say(server.ContentPartDone(**self._place(), part=part))
        self._leave(index, replace(self.output[index], status=state, content=(content,)))


def broken_off(response: str, session: Session) -> Response:
    """A response of the conversation that nobody goes on with."""
    return Response(
        id=response, object="realtime.response", status="cancelled", output=(), conversation_id=f"conv_{session.id}",
        status_details=StatusDetails(type="cancelled", reason="turn_detected"),
    )  # fmt: skip
