"""`Sandbox`: the owner's side of a sandbox process. Makes the tools of a generated file usable as tools."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import msgspec

from antiphon.clock import RealClock
from antiphon.envs.changes import apply
from antiphon.envs.drafts import plain, untouched
from antiphon.envs.sandbox.frames import HEAD, Answer, Request, length, pack
from antiphon.envs.sandbox.guards import lacking
from antiphon.envs.sandbox.limits import DEFAULT
from antiphon.envs.tools import Tool
from antiphon.errors import ConfigError, DomainError
from antiphon.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from antiphon.clock import Clock
    from antiphon.envs.changes import Json
    from antiphon.envs.sandbox.limits import Limits

_CHILD = Path(__file__).with_name("child.py")
_REAL = RealClock()
_PIECE = 1 << 16


class SandboxError(DomainError):
    """Generated code passed a limit, died, or answered with what is no answer."""


class Sandbox:
    """A process for generated tools, started on first use and again after it died. A context manager.

    Refuses to start (ConfigError) where the system cannot keep out files, network or processes, unless
    `allow_weak`. `without` leaves guards out, to try the others. Its `read` is what `read_domain` takes.
    """

    def __init__(
        self,
        limits: Limits = DEFAULT,
        *,
        allow_weak: bool = False,
        without: Collection[str] = (),
        clock: Clock = _REAL,
    ) -> None:
        self._limits = limits
        self._allow_weak = allow_weak
        self._without = sorted(without)
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._files: dict[str, Request] = {}
        self._held: object = None
        self._spent_us = 0
        self._lock = Lock()
        self.guards: dict[str, str] = {}
        """Name → "" where the guard is on, or why it is not. Known once the process has started."""

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()  # the tools are gone, and with them whoever could start it again

    def close(self) -> None:
        """End the process. The tools start it again when they are used."""
        process: subprocess.Popen[bytes] | None = getattr(self, "_process", None)
        self._process = None
        self._held = None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()

    def ready(self) -> dict[str, str]:
        """Start, and say of each guard whether it is on (""), or why not. Raises ConfigError where too few are."""
        with self._lock:
            self._start()
            return self.guards

    def read(self, path: Path, behaviour: Mapping[str, Any]) -> dict[str, Tool]:
        """The tools of a generated file. Raises DomainError for what is wrong with it."""
        try:
            source = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DomainError(f"cannot be read ({error})") from None
        request = Request("read", path.name, source=source, behaviour=dict(behaviour))
        with self._lock:
            self._start()
            answer = self._ask(request, self._limits.import_s)
            if answer.problem or answer.raised:
                self.close()
                raise DomainError(str(answer.problem or answer.raised))
            self._files[path.name] = request
        found = [ToolSpec(**msgspec.structs.asdict(each)) for each in answer.interfaces]
        return {spec.name: Tool(spec, self._function(path.name, spec.name), _as_given) for spec in found}

    def _function(self, file: str, tool: str) -> Callable[..., Any]:
        def function(db: Json, **arguments: Any) -> Any:
            return self._call(file, tool, db, arguments)

        return function

    def _call(self, file: str, tool: str, db: Json, arguments: dict[str, Any]) -> Any:
        """One call on a draft: the process works on its own copy, and what it changed is written to the draft."""
        document = untouched(db)
        if document is None:
            document = cast("Json", plain(db))
        with self._lock:
            self._start()
            send = None if self._held is document else document
            answer = self._ask(
                Request("call", file, tool=tool, arguments=arguments, db=send), self._limits.call_s
            )
            self._held = document
        if answer.raised is not None or answer.problem is not None:
            raise SandboxError(str(answer.raised or answer.problem))
        if answer.changes:
            _write(db, document, answer.changes)
        return answer.value

    def _start(self) -> None:
        """A process that is alive, with every file read."""
        if self._process is not None and (
            self._process.poll() is not None or self._spent_us > self._limits.cpu_s * 500_000
        ):
            self.close()  # it died between calls, or has used half of its time: a new one begins afresh
        if self._process is not None:
            return
        self._spent_us = 0
        setting = {"path": _path(), "limits": asdict(self._limits), "without": self._without}
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-S", "-P", "-B", str(_CHILD)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
            env={"PYTHONHASHSEED": "0"}, start_new_session=True,
        )  # fmt: skip
        self._send(json.dumps(setting).encode() + b"\n", 10.0)
        self.guards = self._receive(10.0).guards
        open_to = lacking([name for name, why in self.guards.items() if not why])
        if open_to and not self._allow_weak:
            missing = "; ".join(f"{name}: {why}" for name, why in self.guards.items() if why)
            self.close()
            raise ConfigError(
                f"this system cannot keep generated code from {', '.join(open_to)} ({missing}); "
                "use Linux 5.13 or newer on x86_64 or aarch64, or --allow-weak-sandbox for code that you have read"
            )
        for request in self._files.values():
            answer = self._ask(request, self._limits.import_s)
            if answer.problem or answer.raised:
                raise SandboxError(str(answer.problem or answer.raised))

    def _ask(self, request: Request, within_s: float) -> Answer:
        began_us = self._clock.mono_us()
        token = secrets.token_hex(8)
        self._send(pack(msgspec.structs.replace(request, token=token)), within_s)
        answer = self._receive(within_s, token)
        self._spent_us += self._clock.mono_us() - began_us
        return answer

    def _send(self, data: bytes, within_s: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        fd = self._process.stdin.fileno()
        os.set_blocking(fd, False)
        until_us = self._clock.mono_us() + int(within_s * 1e6)
        view = memoryview(data)
        while view:
            if not self._ready([], [fd], until_us):
                raise self._ended(f"it did not take its input within {within_s:g} s")
            try:
                view = view[os.write(fd, view[:_PIECE]) :]
            except BrokenPipeError:
                raise self._ended("") from None
            except BlockingIOError:
                continue

    def _receive(self, within_s: float, token: str = "") -> Answer:
        """The next answer with this token; what generated code wrote to the pipe by itself is thrown away."""
        until_us = self._clock.mono_us() + int(within_s * 1e6)
        while (answer := self._next(until_us, within_s)).token != token:
            pass
        return answer

    def _next(self, until_us: int, within_s: float) -> Answer:
        size = length(self._exactly(HEAD, until_us, within_s))
        if size > self._limits.result_bytes:
            raise self._ended(f"it sent {size} bytes; at most {self._limits.result_bytes}")
        body = self._exactly(size, until_us, within_s)
        try:
            return msgspec.json.decode(body, type=Answer)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise self._ended(f"it sent what is no answer ({error})") from None

    def _exactly(self, size: int, until_us: int, within_s: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        fd = self._process.stdout.fileno()
        parts: list[bytes] = []
        while size > 0:
            if not self._ready([fd], [], until_us):
                raise self._ended(f"it took longer than {within_s:g} s")
            part = os.read(fd, min(size, _PIECE))
            if not part:
                raise self._ended("")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _ready(self, read: list[int], write: list[int], until_us: int) -> bool:
        left_s = (until_us - self._clock.mono_us()) / 1e6
        readable, writable, _ = select.select(read, write, [], max(0.0, left_s))
        return bool(readable or writable)

    def _ended(self, why: str) -> SandboxError:
        """The error for a process that is no more; without a reason it died by itself."""
        process = self._process
        if not why and process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
            why = f"its process died ({_fate(process.returncode)})"
        self.close()
        return SandboxError(why)


def _fate(code: int | None) -> str:
    if code is None:
        return "it closed its output"
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


def _as_given(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The process checks the arguments itself, and says what is wrong with them as the tool's error."""
    return arguments


def _path() -> list[str]:
    """Where the process finds the standard library, msgspec and this package; it cannot read there later."""
    return [str(Path(each).resolve()) for each in sys.path if each]


def _write(db: Json, document: Json, changes: dict[str, dict[str, Any]]) -> None:
    try:
        after = apply(document, changes)
    except (ValueError, TypeError, KeyError) as error:
        raise SandboxError(f"it reported changes that do not fit: {error}") from None
    for key in document.keys() - after.keys():
        del db[key]
    for key, value in after.items():
        if value is not document.get(key):
            db[key] = value
