"""A Realtime endpoint on the loopback: it recites, keeps what it is sent, and fails when it is told to.

Events are written by the server side of our own codec, except for `raw`, which goes out as it stands: what
other servers are documented to say, so that a mistake which both of our sides share is caught.
"""

from __future__ import annotations

import http
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.codec import read_client, write
from antiphon.models.wire.ga.dialect import GA, Dialect
from antiphon.models.wire.ga.shapes import Failure, Item, Part, Response, Session, StatusDetails, Usage

if TYPE_CHECKING:
    from collections.abc import Generator

    from websockets.http11 import Request
    from websockets.http11 import Response as Answer
    from websockets.sync.server import ServerConnection

    from antiphon.models.wire.ga.shapes import Event

Fault = Literal[
    "401", "429", "500", "error", "limit", "close", "lost", "expired", "garbage", "hold", "incomplete",
    "filtered", "failed", "cancelled", "empty", "silent", "refuse settings",
]  # fmt: skip
REPLY = "答案是北京。"
SOUND = (np.sin(np.arange(4800) / 20) * 9000).astype("<i2").tobytes()  # 200 ms at 24 kHz
USAGE = Usage(
    total_tokens=60,
    input_tokens=42,
    output_tokens=18,
    input_token_details={"text_tokens": 20, "audio_tokens": 22},
    output_token_details={"text_tokens": 6, "audio_tokens": 12},
)


@dataclass
class Endpoint:
    """`faults` are used up in order, one a connection; `sent` is what clients wrote, one list a session."""

    dialect: Dialect
    uri: str = ""
    reply: str = REPLY
    sound: bytes = SOUND
    heard: str | None = None
    calls: tuple[tuple[str, str, str], ...] = ()  # id, name, arguments
    faults: list[Fault] = field(default_factory=list[Fault])
    raw: tuple[str, ...] = ()
    pause_s: float = 0.0
    sent: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    said: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    over: threading.Event = field(default_factory=threading.Event)
    holding: threading.Event = field(default_factory=threading.Event)  # it has said all it says, and listens

    def names(self) -> list[str]:
        """The names of all events of the last session, repetitions once."""
        names = [event["type"] for event in self.sent[-1]]
        return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]


class _Session:
    """One connection."""

    def __init__(self, endpoint: Endpoint, connection: ServerConnection, fault: Fault | None) -> None:
        self.endpoint, self.connection, self.fault = endpoint, connection, fault
        self.log: list[dict[str, Any]] = []
        self.settings = Session(type="realtime", id="sess_1", model="m")
        endpoint.sent.append(self.log)

    def say(self, event: Event) -> None:
        if (text := write(event, self.endpoint.dialect)) is not None:
            self.endpoint.said.append(text)
            self.connection.send(text)

    def take(self) -> client.ClientEvent:
        text = self.connection.recv()
        assert isinstance(text, str)
        self.log.append(json.loads(text))
        return read_client(text, self.endpoint.dialect)

    def run(self) -> None:
        if self.fault == "silent":
            self.endpoint.over.wait(5)
            return
        self.say(server.SessionCreated(event_id="ev_0", session=self.settings))
        while True:
            match self.take():
                case client.SessionUpdate(session=settings):
                    if self.fault == "refuse settings":
                        wrong = Failure(type="invalid_request_error", code="invalid_value", message="Invalid voice.", param="session.audio.output.voice")  # fmt: skip
                        self.say(server.Error(event_id="ev_e", error=wrong))
                        continue
                    self.say(server.SessionUpdated(event_id="ev_1", session=settings))
                case client.AudioCommit():
                    self.say(server.AudioCommitted(event_id="ev_2", item_id="item_q"))
                    if self.endpoint.heard is not None:
                        self.say(
                            server.TranscriptionCompleted(item_id="item_q", transcript=self.endpoint.heard)
                        )
                case client.ItemCreate(item=item):
                    self.say(server.ItemAdded(item=item))
                    self.say(server.ItemDone(item=item))
                case client.ResponseCreate():
                    if not self.answer():
                        return
                case _:
                    pass

    def answer(self) -> bool:
        """False ends the session."""
        self.endpoint.over.wait(self.endpoint.pause_s)
        if self.endpoint.raw:
            for line in self.endpoint.raw:
                self.connection.send(line)
            return True
        if self.fault in ("error", "limit", "expired"):
            return self.refuse()
        self.say(server.ResponseCreated(response=Response(id="resp_1", status="in_progress")))
        if self.fault in ("failed", "filtered", "cancelled", "incomplete", "empty"):
            return self.end_early()
        self.words_and_sound()
        if self.fault in ("close", "lost", "hold"):
            return self.break_off()
        if self.fault == "garbage":
            self.connection.send("\x00 no JSON")
        for at, (call, name, arguments) in enumerate(self.endpoint.calls):
            asked = Item(type="function_call", id=f"item_{at}", call_id=call, name=name, arguments="")
            self.say(server.OutputItemAdded(item=asked, output_index=at + 1))
            self.say(server.ArgumentsDelta(call_id=call, item_id=f"item_{at}", delta=arguments))
            self.say(server.ArgumentsDone(call_id=call, item_id=f"item_{at}", arguments=arguments, name=name))
        self.say(server.ResponseDone(response=Response(id="resp_1", status="completed", usage=USAGE)))
        return True

    def break_off(self) -> bool:
        if self.fault == "hold":
            self.endpoint.holding.set()
            while not isinstance(self.take(), client.ResponseCancel):
                pass
            return True
        if self.fault == "close":
            self.connection.close(1011, "the worker died")
        else:
            self.connection.socket.close()
        return False

    def words_and_sound(self) -> None:
        place = {"response_id": "resp_1", "item_id": "item_a", "output_index": 0, "content_index": 0}
        speech = self.speaks()
        self.say(server.OutputItemAdded(item=Item(type="message", id="item_a", role="assistant", content=())))
        if not speech:
            self.say(server.TextDelta(**place, delta=self.endpoint.reply))
            self.say(server.TextDone(**place, text=self.endpoint.reply))
            return
        self.say(server.ContentPartAdded(**place, part=Part(type="audio", transcript="")))
        half = len(self.endpoint.reply) // 2
        cut = 2001  # in the middle of a sample
        self.say(server.TranscriptDelta(**place, delta=self.endpoint.reply[:half]))
        self.say(server.AudioDelta(**place, delta=self.endpoint.sound[:cut]))
        self.say(server.TranscriptDelta(**place, delta=self.endpoint.reply[half:]))
        self.say(server.AudioDelta(**place, delta=self.endpoint.sound[cut:]))
        self.say(server.AudioDone(**place))
        self.say(server.TranscriptDone(**place, transcript=self.endpoint.reply))

    def speaks(self) -> bool:
        update = next(event for event in self.log if event["type"] == "session.update")
        settings = read_client(json.dumps(update), self.endpoint.dialect)
        assert isinstance(settings, client.SessionUpdate)
        return settings.session.output_modalities == ("audio",)

    def refuse(self) -> bool:
        failures = {
            "error": Failure(type="invalid_request_error", code="invalid_value", message="No.", param="response"),
            "limit": Failure(type="tokens", code="rate_limit_exceeded", message="Rate limit reached. Please try again in 20ms."),
            "expired": Failure(type="invalid_request_error", code="session_expired", message="Your session hit the maximum duration of 60 minutes."),
        }  # fmt: skip
        self.say(server.Error(event_id="ev_e", error=failures[self.fault or "error"]))
        return True

    def end_early(self) -> bool:
        details = {
            "failed": ("failed", StatusDetails(type="failed", error=Failure(type="server_error", code="internal_error", message="boom"))),
            "filtered": ("incomplete", StatusDetails(type="incomplete", reason="content_filter")),
            "cancelled": ("cancelled", StatusDetails(type="cancelled", reason="turn_detected")),
            "incomplete": ("incomplete", StatusDetails(type="incomplete", reason="max_output_tokens")),
            "empty": ("completed", None),
        }  # fmt: skip
        if self.fault == "incomplete":
            self.words_and_sound()
        status, why = details[self.fault or "empty"]
        self.say(server.ResponseDone(response=Response(status=status, status_details=why, usage=USAGE)))
        return True


@contextmanager
def listening(dialect: Dialect = GA, options: str = "attempts=1") -> Generator[Endpoint]:
    """An endpoint while the block runs."""
    endpoint = Endpoint(dialect)

    def admit(connection: ServerConnection, request: Request) -> Answer | None:
        endpoint.headers.append(dict(request.headers.raw_items()))
        endpoint.paths.append(request.path)
        if endpoint.faults and endpoint.faults[0] in ("401", "429", "500"):
            status = http.HTTPStatus(int(endpoint.faults.pop(0)))
            answer = connection.respond(status, json.dumps({"error": {"message": "as the test wants"}}))
            answer.headers["Retry-After-Ms"] = "7"
            return answer
        return None

    def handle(connection: ServerConnection) -> None:
        fault = endpoint.faults.pop(0) if endpoint.faults else None
        try:
            _Session(endpoint, connection, fault).run()
        except (ConnectionClosed, OSError):
            pass  # whoever asked went away
        finally:
            endpoint.over.set() if fault == "hold" else None

    with serve(handle, "127.0.0.1", 0, process_request=admit, compression=None) as running:
        port = running.socket.getsockname()[1]
        spoken = "" if dialect is GA else f"dialect={dialect.name}&"
        endpoint.uri = f"realtime+ws://127.0.0.1:{port}/v1/realtime?model=m&{spoken}{options}"
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.over.set()
            running.shutdown()
            thread.join()
