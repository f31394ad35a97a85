"""Lanes in spawned processes, each with its own worker and event loop, spoken to over a socket pair."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import pickle
import signal
import socket
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from antiphon.errors import ConfigError
from antiphon.stage.lanes import REPLACEMENTS, Stopped, answer, lost

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Sequence
    from multiprocessing.context import SpawnProcess

    from antiphon.stage.lanes import Lane
    from antiphon.stage.outcome import OpenWorker, Outcome

T = TypeVar("T")
_LENGTH_BYTES = 8
_OPENING = -1  # the number of a message about opening the worker
_GRACE_S = 5.0  # for a worker to close what it opened, before its process is killed


@asynccontextmanager
async def open_processes(
    open_worker: OpenWorker[T], processes: int, in_flight: int
) -> AsyncGenerator[list[Lane[T]]]:
    """`in_flight` lanes in each of `processes` processes. A process that dies costs the batches it had
    in flight (transient failures) and is replaced REPLACEMENTS times, then ConfigError."""
    children = [_Child(open_worker) for _ in range(processes)]
    try:
        for child in children:
            await child.start()
        yield [child.perform for child in children for _ in range(in_flight)]
    finally:
        await asyncio.gather(*(child.close() for child in children))


class _Running(NamedTuple):
    process: SpawnProcess
    writer: asyncio.StreamWriter
    listening: asyncio.Task[None]


class _Child(Generic[T]):
    """One process as its parent sees it."""

    def __init__(self, open_worker: OpenWorker[T]) -> None:
        self._open_worker = open_worker
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[asyncio.Future[list[Outcome]], int]] = {}
        self._running: _Running | None = None
        self._deaths = 0
        self._ended: Exception | None = None  # why nothing more is performed here

    async def start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = multiprocessing.get_context("spawn").Process(
                target=_serve, args=(theirs, self._open_worker), daemon=True
            )
            with _without_ctrl_c():
                process.start()
        reader, writer = await asyncio.open_connection(sock=ours)
        listening = asyncio.create_task(self._listen(reader, process, writer))
        self._running = _Running(process, writer, listening)

    async def perform(self, records: Sequence[T]) -> list[Outcome]:
        if self._ended is not None or self._running is None:
            raise self._ended or RuntimeError("this worker process was never started")
        future: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._waiting[number] = (future, len(records))
        with suppress(ConnectionError):  # it died: `_listen` finds that out and settles the future
            await _send(self._running.writer, (number, records))
        return await future

    async def _listen(
        self, reader: asyncio.StreamReader, process: SpawnProcess, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while (message := await _receive(reader)) is not None:
                self._settle(*message)
        except Exception as error:  # noqa: BLE001  a row that cannot be read here: whoever waits raises it
            self._end(error)
        writer.close()
        await asyncio.to_thread(process.join, _GRACE_S)
        if self._ended is None:
            await self._replace(_death(process.exitcode))

    def _settle(self, number: int, result: list[Outcome] | Stopped) -> None:
        if number == _OPENING and isinstance(result, Stopped):
            self._end(result.error())
            return
        future, _ = self._waiting.pop(number)
        if future.done():
            return  # cancelled meanwhile
        if isinstance(result, Stopped):
            future.set_exception(result.error())
        else:
            future.set_result(result)

    async def _replace(self, how: str) -> None:
        self._deaths += 1
        if self._deaths > REPLACEMENTS:
            self._end(
                ConfigError(
                    f"a worker process died {self._deaths} times (last: {how}); finished rows are kept: "
                    "resume with fewer --workers or more free memory"
                )
            )
            return
        waiting, self._waiting = self._waiting, {}
        await self.start()
        for future, records in waiting.values():
            if not future.done():
                future.set_result(lost(records, how))

    def _end(self, error: Exception) -> None:
        self._ended = error
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(error)
        self._waiting.clear()

    async def close(self) -> None:
        self._ended = self._ended or RuntimeError("the stage is over")
        if self._running is None:
            return
        process, writer, listening = self._running
        writer.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await asyncio.to_thread(process.join, _GRACE_S)
        if process.is_alive():
            process.kill()
            await asyncio.to_thread(process.join)


@contextmanager
def _without_ctrl_c() -> Generator[None]:
    """Processes started here do not hear Ctrl-C, which reaches the whole group: the parent decides, and a
    child that is still importing must not die of it with a traceback. Here it is only heard later."""
    resource_tracker.ensure_running()  # it is started with the first process, and unblocks Ctrl-C as it is
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _death(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    return f"{name}, perhaps out of memory" if name == "SIGKILL" else name


def _serve(channel: socket.socket, open_worker: OpenWorker[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where the mask was not inherited
    asyncio.run(_serve_until_closed(channel, open_worker))


async def _serve_until_closed(channel: socket.socket, open_worker: OpenWorker[Any]) -> None:
    reader, writer = await asyncio.open_connection(sock=channel)
    tasks: set[asyncio.Task[None]] = set()

    async def perform(number: int, records: Sequence[Any]) -> None:
        reply = await answer(worker, records)
        try:
            await _send(writer, (number, reply))
        except ConnectionError:
            pass  # the parent is gone: nobody wants it
        except Exception as error:  # noqa: BLE001  a row that cannot travel is the worker's bug
            await _send(writer, (number, Stopped.of(error)))

    try:
        async with open_worker() as worker:
            while (message := await _receive(reader)) is not None:
                task = asyncio.create_task(perform(*message))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    except Exception as error:  # noqa: BLE001  the boundary of a process: the parent raises it again
        with suppress(ConnectionError):  # the parent is gone as well
            await _send(writer, (_OPENING, Stopped.of(error)))
    finally:
        writer.close()


async def _send(writer: asyncio.StreamWriter, message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    writer.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    await writer.drain()


async def _receive(reader: asyncio.StreamReader) -> Any:
    """The next message, None when the other side is gone."""
    try:
        size = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
        return pickle.loads(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
