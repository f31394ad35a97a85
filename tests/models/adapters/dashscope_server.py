"""A Realtime endpoint of Model Studio on the loopback, written from its documentation alone.

It uses nothing of our codec: events are JSON as the reference of the Qwen-Audio Realtime API shows them (client
and server events, as of October 2026), and what a client sends is checked by the rules that stand there: which
fields a session has, which modalities go together, that tools are nested, when `turn_detection` and `voice` may
change, one response at a time, which items there are. It keeps a conversation and answers by it: a question of
which it got sound is repeated by its length, one in words by the words, and the tool "clock" is called when it is
offered and no result is there yet. What the real service does beyond its documentation, this does not know.
"""

from __future__ import annotations

import base64
import json
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

if TYPE_CHECKING:
    from collections.abc import Generator

    from websockets.sync.server import ServerConnection

Json = dict[str, Any]
_SESSION = {
    "modalities", "voice", "instructions", "input_audio_format", "output_audio_format", "input_audio_transcription",
    "turn_detection", "tools", "max_tokens", "temperature", "top_p", "seed",
}  # fmt: skip
_ITEMS = ("message", "function_call", "function_call_output")
SPEECH = (np.sin(np.arange(4800) / 20) * 9000).astype("<i2").tobytes()  # 200 ms at 24 kHz


class RefusedError(Exception):
    """A client's error: the connection stays open."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


@dataclass
class Service:
    """What clients did, one list of errors and one of events a session."""

    uri: str = ""
    errors: list[str] = field(default_factory=list[str])
    sent: list[str] = field(default_factory=list[str])
    breaks: bool = False  # answer the next question by a server error, which ends the connection


class _Session:
    def __init__(self, service: Service, connection: ServerConnection) -> None:
        self.service, self.connection = service, connection
        self.events = 0
        self.settings: Json = {
            "object": "realtime.session", "model": "m", "modalities": ["text", "audio"], "voice": "longanqian",
            "input_audio_format": "pcm", "output_audio_format": "pcm", "id": "sess_1",
            "input_audio_transcription": {"model": "fun-asr"}, "tools": [],
            "turn_detection": {"type": "server_vad", "threshold": 0.5, "silence_duration_ms": 800},
        }  # fmt: skip
        self.updates = 0
        self.sound = bytearray()
        self.heard_any = False
        self.items: list[Json] = []

    def say(self, kind: str, **fields: Any) -> None:
        self.events += 1
        self.connection.send(json.dumps({"event_id": f"event_{self.events}", "type": kind, **fields}))

    def run(self) -> None:
        self.say("session.created", session=self.settings)
        while True:
            event = json.loads(self.connection.recv())
            self.service.sent.append(event["type"])
            try:
                if not self.obey(event):
                    return
            except RefusedError as refused:
                self.service.errors.append(str(refused))
                failure = {"type": "invalid_request_error", "code": "invalid_value", "message": str(refused), "param": refused.param}  # fmt: skip
                self.say("error", error=failure)

    def obey(self, event: Json) -> bool:
        match event["type"]:
            case "session.update":
                self.update(event["session"])
            case "input_audio_buffer.append":
                self.heard_any = True
                self.sound += base64.b64decode(event["audio"], validate=True)
            case "input_audio_buffer.commit":
                self.commit()
            case "input_audio_buffer.clear":
                self.sound.clear()
                self.say("input_audio_buffer.cleared")
            case "conversation.item.create":
                self.create(event["item"])
            case "response.create":
                return self.answer()
            case "response.cancel":
                raise RefusedError("Cannot cancel response: no response is in progress.", "response.cancel")
            case "session.finish":
                self.say("session.finished")
                return False
            case other:
                raise RefusedError(f"Unknown event type: {other}", "type")
        return True

    def update(self, change: Json) -> None:
        if unknown := set(change) - _SESSION:
            raise RefusedError(f"Unknown parameters: {sorted(unknown)}", "session")
        modalities = change.get("modalities", self.settings["modalities"])
        if sorted(modalities) not in (["text"], ["audio", "text"]):
            message = f"Invalid modalities: {modalities}. Supported combinations are: ['text'] and ['audio', 'text']."
            raise RefusedError(message, "session.modalities")
        for name in ("input_audio_format", "output_audio_format"):
            if change.get(name, "pcm") != "pcm":
                raise RefusedError(f"Invalid {name}: only pcm", f"session.{name}")
        if "turn_detection" in change and self.heard_any:
            raise RefusedError(
                "turn_detection can only be modified before the first audio.", "session.turn_detection"
            )
        for tool in change.get("tools", []):
            if tool.get("type") != "function" or not tool.get("function", {}).get("name"):
                raise RefusedError("Invalid tool: a name under function", "session.tools")
        if self.updates:
            change = {
                name: value for name, value in change.items() if name != "voice"
            }  # ignored, as documented
        self.updates += 1
        self.settings |= change
        self.say("session.updated", session=self.settings)

    def commit(self) -> None:
        if not self.sound:
            raise RefusedError("Error committing input audio buffer: buffer too small.", "input_audio_buffer")
        item = {"id": f"item_{len(self.items)}", "object": "realtime.item", "type": "message", "role": "user", "status": "completed"}  # fmt: skip
        ms = len(self.sound) // 32  # 16 kHz
        self.items.append({**item, "content": [{"type": "input_audio", "ms": ms}]})
        self.sound.clear()
        self.say("input_audio_buffer.committed", item_id=item["id"])
        self.say("conversation.item.created", item={**item, "content": [{"type": "input_audio"}]})
        kind = "conversation.item.input_audio_transcription.completed"
        self.say(kind, item_id=item["id"], content_index=0, transcript="现在几点？")

    def create(self, item: Json) -> None:
        if item.get("type") not in _ITEMS or (
            item["type"] == "function_call_output" and not item.get("call_id")
        ):
            raise RefusedError("Invalid item", "item")
        for part in item.get("content", []):
            if item.get("role") == "assistant" and part["type"] != "text":
                raise RefusedError(f"Invalid content type {part['type']} of an assistant", "item.content")
        self.items.append(item)
        self.say("conversation.item.created", item={"id": f"item_{len(self.items)}", **item})

    def answer(self) -> bool:
        if self.service.breaks:
            failure = {"type": "server_error", "code": "InternalError", "message": "the worker died"}
            self.say("error", error=failure)
            self.connection.close(1011, "server error")
            return False
        tools = [tool["function"]["name"] for tool in self.settings["tools"]]
        response: Json = {
            "id": "resp_1", "object": "realtime.response", "conversation_id": "", "modalities": self.settings["modalities"],
            "voice": self.settings["voice"], "output_audio_format": "pcm", "output": [],
        }  # fmt: skip
        self.say("response.created", response={**response, "status": "in_progress"})
        asked = "clock" in tools and self.items[-1]["type"] != "function_call_output"
        done = self.call() if asked else self.speak(self.words())
        self.items.append(done)
        usage = {
            "total_tokens": 60, "input_tokens": 42, "output_tokens": 18,
            "input_tokens_details": {"text_tokens": 20, "audio_tokens": 22},
            "output_tokens_details": {"text_tokens": 6, "audio_tokens": 12},
        }  # fmt: skip
        self.say(
            "response.done", response={**response, "status": "completed", "output": [done], "usage": usage}
        )
        return True

    def words(self) -> str:
        last = self.items[-1]
        if last["type"] == "function_call_output":
            return f"The tool says {last['output']}."
        part = last["content"][0]
        return f"I heard {part['ms']} ms." if "ms" in part else f"You wrote {part['text']}"

    def call(self) -> Json:
        item = {"id": "item_c", "object": "realtime.item", "type": "function_call", "status": "in_progress", "name": "clock", "call_id": "call_1", "arguments": ""}  # fmt: skip
        place = {"response_id": "resp_1", "item_id": "item_c", "output_index": 0, "call_id": "call_1"}
        self.say("response.output_item.added", response_id="resp_1", output_index=0, item=item)
        for piece in ('{"zone":', '"CET"}'):
            self.say("response.function_call_arguments.delta", **place, delta=piece)
        arguments = '{"zone":"CET"}'
        self.say("response.function_call_arguments.done", **place, name="clock", arguments=arguments)
        done = {**item, "status": "completed", "arguments": arguments}
        self.say("response.output_item.done", response_id="resp_1", output_index=0, item=done)
        return done

    def speak(self, words: str) -> Json:
        item = {"id": "item_a", "object": "realtime.item", "type": "message", "status": "in_progress", "role": "assistant", "content": []}  # fmt: skip
        place = {"response_id": "resp_1", "item_id": "item_a", "output_index": 0, "content_index": 0}
        spoken = "audio" in self.settings["modalities"]
        self.say("response.output_item.added", response_id="resp_1", output_index=0, item=item)
        self.say("conversation.item.created", item=item)
        self.say(
            "response.content_part.added", **place, part={"type": "audio" if spoken else "text", "text": ""}
        )
        series = "response.audio_transcript" if spoken else "response.text"
        for piece in (words[:3], words[3:]):
            self.say(f"{series}.delta", **place, delta=piece)
        if spoken:
            for at in range(0, len(SPEECH), 3200):
                self.say(
                    "response.audio.delta", **place, delta=base64.b64encode(SPEECH[at : at + 3200]).decode()
                )
            self.say("response.audio.done", **place)
        self.say(f"{series}.done", **place, **({"transcript": words} if spoken else {"text": words}))
        part = {"type": "audio", "transcript": words} if spoken else {"type": "text", "text": words}
        self.say("response.content_part.done", **place, part=part)
        done = {**item, "status": "completed", "content": [part]}
        self.say("response.output_item.done", response_id="resp_1", output_index=0, item=done)
        return done


@contextmanager
def model_studio(options: str = "attempts=1") -> Generator[Service]:
    """The service while the block runs."""
    service = Service()

    def handle(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed, OSError):  # the client went away
            _Session(service, connection).run()

    with serve(handle, "127.0.0.1", 0, compression=None) as running:
        port = running.socket.getsockname()[1]
        service.uri = f"realtime+ws://127.0.0.1:{port}/api-ws/v1/realtime?model=m&dialect=dashscope&{options}"
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield service
        finally:
            running.shutdown()
            thread.join()
