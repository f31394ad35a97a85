"""The stage: a map over records that can be killed at any moment and resumed without losing work."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from antiphon.clock import RealClock
from antiphon.errors import AntiphonError, ConfigError, DataError
from antiphon.stage.folder import lock_unless_held
from antiphon.stage.journal import Journal
from antiphon.stage.lanes import Lane, open_here
from antiphon.stage.outcome import Failed
from antiphon.stage.progress import Silent
from antiphon.stage.seal import lines, seal
from antiphon.stage.sidecar import claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from antiphon.clock import Clock
    from antiphon.stage.outcome import OpenWorker
    from antiphon.stage.progress import Progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a stage runs; never what it gives.

    `batch` records go to a worker at once, `in_flight` batches at a time; `workers` is the number of
    processes (0: this one); `cluster` is a Ray address, or "local" for a cluster started here.
    """

    batch: int = 1
    in_flight: int = 1
    workers: int = 0
    cluster: str | None = None

    def __post_init__(self) -> None:
        for name, least in (("batch", 1), ("in_flight", 1), ("workers", 0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Finished:
    """A sealed file: `rows` in all, of which `failed` are failures; `made` by this call, the others
    `reused`."""

    path: Path
    rows: int
    failed: int
    reused: int
    made: int
    seconds: float


_DEFAULTS = Settings()
_NOBODY = Silent()
_REAL = RealClock()


async def map_records(  # noqa: PLR0913  what is mapped (6) and how (3), by keyword: one seam, no bag of options
    records: Sequence[T],
    open_worker: OpenWorker[T],
    *,
    key: Callable[[T], str],
    fingerprint: Mapping[str, object],
    out: Path,
    settings: Settings = _DEFAULTS,
    progress: Progress = _NOBODY,
    clock: Clock = _REAL,
) -> Finished:
    """Give every record a row in `out` (a .jsonl file), in input order; blobs go below its folder.

    Each outcome is kept as soon as it is there, so a kill at any moment costs only what was in flight;
    calling again performs what is missing and repeats transient failures. A sealed file equals that of
    an undisturbed run, whatever the settings, if the worker gives equal records equal rows.
    Ctrl-C (a cancelled task) keeps what has finished and cancels the rest.

    `key` names a record for good; `fingerprint` (full model names, settings, versions) is what the rows
    depend on besides the record. Rows of keys that are no longer among the records are kept aside.
    Takes the folder's lock unless the process holds it already.

    Raises ConfigError for two records with one key, rows made under another fingerprint, another
    writer, or a worker's ConfigError; DataError when the disk is full; RuntimeError naming the records
    for a bug in the worker, which must not pass as a failed record. Before raising, batches in flight
    are finished and kept, unless nothing can be written. The call can be repeated after each of them.
    """
    began_us = clock.mono_us()
    by_key = _by_key(records, key, out)
    with lock_unless_held(out.parent):
        claim(out, fingerprint)
        known = lines(out)
        pending = [each for each in by_key.items() if each[0] not in known or known[each[0]].transient]
        reused = len(by_key) - len(pending)
        progress.start(len(by_key), reused)
        try:
            if pending:
                with Journal(out) as journal:
                    stage = _Stage(pending, settings, journal, progress)
                    await stage.run(open_worker)
            failed = seal(out, list(by_key))
        finally:
            progress.stop()
    seconds = (clock.mono_us() - began_us) / 1e6
    return Finished(out, len(by_key), failed, reused, len(pending), seconds)


def _by_key(records: Iterable[T], key: Callable[[T], str], out: Path) -> dict[str, T]:
    found: dict[str, T] = {}
    for record in records:
        name = key(record)
        if name in found:
            raise ConfigError(f"two records for {out} have the key {name!r}; a key names one record")
        found[name] = record
    return found


class _Stage(Generic[T]):
    """One performance of the pending records: every lane takes the next batch until none is left."""

    def __init__(
        self, pending: list[tuple[str, T]], settings: Settings, journal: Journal, progress: Progress
    ) -> None:
        size = settings.batch
        self._batches = [pending[start : start + size] for start in range(0, len(pending), size)]
        self._left = iter(self._batches)
        self._settings = settings
        self._journal = journal
        self._progress = progress
        self._problem: Exception | None = None

    async def run(self, open_worker: OpenWorker[T]) -> None:
        async with _open_lanes(open_worker, self._settings, len(self._batches)) as lanes:
            running = [asyncio.create_task(self._drive(lane)) for lane in lanes]
            try:
                await asyncio.gather(*running)
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
        if self._problem is not None:
            raise self._problem

    async def _drive(self, lane: Lane[T]) -> None:
        for batch in self._left:
            try:
                await self._perform(lane, batch)
            except DataError:
                raise  # nothing can be written any more: the other lanes need not go on
            except AntiphonError as error:
                self._problem = self._problem or error
            except Exception as error:  # noqa: BLE001  a bug: raised when the other lanes have finished
                self._problem = self._problem or _bug(error, [key for key, _ in batch])
            if self._problem is not None:
                return
            await asyncio.sleep(0)  # a worker that never waits must not keep Ctrl-C out

    async def _perform(self, lane: Lane[T], batch: list[tuple[str, T]]) -> None:
        outcomes = await lane([record for _, record in batch])
        failed = 0
        for (key, _), outcome in zip(batch, outcomes, strict=True):
            self._journal.keep(key, outcome)
            failed += isinstance(outcome, Failed)
        self._progress.advance(len(batch), failed)


def _bug(error: Exception, keys: list[str]) -> RuntimeError:
    bug = RuntimeError(
        f"a bug in the worker, performing {', '.join(keys)}: {type(error).__name__}: {error}; "
        "finished rows are kept"
    )
    bug.__cause__ = error
    return bug


def _open_lanes(
    open_worker: OpenWorker[T], settings: Settings, batches: int
) -> AbstractAsyncContextManager[list[Lane[T]]]:
    """No more lanes or processes than there are batches."""
    in_flight = min(settings.in_flight, batches)
    workers = min(max(settings.workers, 1), -(-batches // in_flight))
    if settings.cluster is not None:
        from antiphon.stage.ray import open_actors

        return open_actors(open_worker, settings.cluster, workers, in_flight)
    if settings.workers > 0:
        from antiphon.stage.processes import open_processes

        return open_processes(open_worker, workers, in_flight)
    return open_here(open_worker, in_flight)
