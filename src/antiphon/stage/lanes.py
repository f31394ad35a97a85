"""Lanes: the places where batches are performed, in this process, in others, or on a cluster.

A lane performs one batch at a time; a stage keeps every lane busy. The same worker gives the same rows
in all of them.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from antiphon.errors import AntiphonError, DataError, ModelError
from antiphon.stage.outcome import Failed, Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.stage.outcome import OpenWorker, Worker

T = TypeVar("T")
Lane = Callable[[Sequence[T]], Awaitable[Sequence[Outcome]]]

# How often a dead worker is replaced before the stage gives up: one bad record or a passing shortage of
# memory is survived, a machine that kills every worker is not tried for hours.
REPLACEMENTS = 3


async def attempt(worker: Worker[T], records: Sequence[T]) -> list[Outcome]:
    """Perform a batch, with the errors that concern only its records turned into outcomes."""
    try:
        outcomes = list(await worker(records))
    except (ModelError, DataError) as error:
        transient = isinstance(error, ModelError) and error.transient
        if transient or len(records) == 1:
            return [Failed(str(error), transient)] * len(records)
        return [outcome for record in records for outcome in await attempt(worker, [record])]
    if len(outcomes) != len(records):
        raise ValueError(f"the worker gave {len(outcomes)} outcomes for {len(records)} records")
    return outcomes


@asynccontextmanager
async def open_here(open_worker: OpenWorker[T], in_flight: int) -> AsyncGenerator[list[Lane[T]]]:
    """Lanes in this process, sharing one worker."""
    async with open_worker() as worker:
        yield [partial(attempt, worker)] * in_flight


@dataclass(frozen=True)
class Stopped:
    """An error on its way from another process. Exceptions do not all survive pickling; these parts do."""

    kind: type[AntiphonError] | None
    args: tuple[Any, ...]
    state: dict[str, Any]
    trace: str

    @staticmethod
    def of(error: Exception) -> Stopped:
        trace = "".join(traceback.format_exception(error))
        if isinstance(error, AntiphonError):
            return Stopped(type(error), error.args, dict(vars(error)), trace)
        return Stopped(None, (f"{type(error).__name__}: {error}",), {}, trace)

    def error(self) -> Exception:
        """The error again: one of Antiphon's as it was, any other as a RuntimeError, trace in a note."""
        kind = self.kind or RuntimeError
        error = kind.__new__(kind)
        error.args = self.args
        vars(error).update(self.state)
        if self.kind is None:
            error.add_note(f"In the worker's process:\n{self.trace}")
        return error


async def answer(worker: Worker[T], records: Sequence[T]) -> list[Outcome] | Stopped:
    """`attempt`, with what would end the stage as a value that can travel."""
    try:
        return await attempt(worker, records)
    except Exception as error:  # noqa: BLE001  the boundary of a process: the parent raises it again
        return Stopped.of(error)


def lost(records: int, how: str) -> list[Outcome]:
    """The outcomes of a batch whose worker died."""
    return [Failed(f"the worker died while performing this ({how})", transient=True)] * records
