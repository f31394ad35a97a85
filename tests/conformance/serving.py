"""`antiphon serve` as a process of its own, with a scripted model, voice and recogniser, and a person's noise."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from antiphon.jsonl import dumps
from tests.realtime.serving import noise

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

OPENS = "We open at nine."
HOURS = "On Monday we open at nine."
LIBRARY = "The library is on the second floor."
EVERYTHING = "There is a lot to tell about this place and so I begin with its long and eventful history. " * 4
SPOKEN = "Please tell me about the library."
LINES = (
    {"match": "hours", "tool_calls": [{"name": "hours", "arguments": {"day": "Monday"}, "id": "call_1"}]},
    {"match": "everything", "text": EVERYTHING},
    {"match": "library", "text": LIBRARY},
    {"match": "open?", "text": OPENS},
    {"match": "*", "text": HOURS},  # after a tool's result there are no words to match
)
_READY = re.compile(r"Realtime clients: (ws://\S+/v1)/realtime")


@contextmanager
def serving(folder: Path) -> Generator[str]:
    """The address of a server that lives as long as the block; then it must end by itself, and well."""
    script = folder / "script.jsonl"
    script.write_text("".join(dumps(line) + "\n" for line in LINES), "utf-8")
    log = folder / "serve.log"
    command = [
        sys.executable, "-c", "from antiphon.cli.main import main; main()", "serve", "--port", "0", "--vad", "energy", "--system",
        f"scripted:{script}?piece_chars=12", "--synthesizer", "scripted:", "--transcriber", f"scripted:?text={SPOKEN}",
    ]  # fmt: skip
    with (
        log.open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=out, env=dict(os.environ)) as server,
    ):
        try:
            yield _address(server, log)
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(30)
    assert code == 0, log.read_text("utf-8")


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(600):
        if found := _READY.search(log.read_text("utf-8")):
            return found[1]
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"the server did not begin: {log.read_text('utf-8')}")


def person(folder: Path) -> Path:
    """A file of what somebody says: noise that the energy detector takes for speech."""
    path = folder / "person.pcm"
    path.write_bytes(noise(1500))
    return path
