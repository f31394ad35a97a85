"""A chat endpoint on the loopback that counts what it is asked, and fails when it is told to."""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Generator

Fault = Literal["429", "500", "400", "garbage", "half"]
REPLY = "答案是北京。"


@dataclass
class Endpoint:
    """`faults` are used up in order, one a request; `asked` counts the questions that came."""

    uri: str = ""
    reply: str = REPLY
    faults: list[Fault] = field(default_factory=list[Fault])
    pause_s: float = 0.0
    asked: Counter[str] = field(default_factory=Counter[str])
    stopping: threading.Event = field(default_factory=threading.Event)

    def answer(self, question: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        self.asked[question] += 1
        self.stopping.wait(self.pause_s)
        fault = self.faults.pop(0) if self.faults else None
        stream = {"Content-Type": "text/event-stream"}
        if fault in ("429", "500", "400"):
            headers = {"Content-Type": "application/json", "Retry-After-Ms": "1"}
            return int(fault), headers, json.dumps({"error": {"message": "as the test wants"}}).encode()
        if fault == "garbage":
            return 200, {"Content-Type": "application/json"}, b"\x00\xff no JSON"
        words = _event({"content": self.reply})
        if fault == "half":
            return 200, stream, words
        return 200, stream, words + _event({}, "stop") + b"data: [DONE]\n\n"


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


@contextmanager
def listening(attempts: int = 1) -> Generator[Endpoint]:
    """An endpoint while the block runs; its URI asks for so many attempts a call."""
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, body = endpoint.answer(_question(sent["messages"][-1]["content"]))
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                pass  # whoever asked was killed

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint.uri = f"openai+http://127.0.0.1:{server.server_port}/v1?attempts={attempts}#m"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.stopping.set()
            server.shutdown()
            thread.join()


def _question(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
