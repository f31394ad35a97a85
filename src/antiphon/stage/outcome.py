"""What a stage's worker gives back for one record, and what a worker is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeVar

from antiphon.jsonl import Row

T_contra = TypeVar("T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Made:
    """A finished row. A blob's name is its path below the folder of the sealed file: `clips/ab12.flac`.

    The stage adds the record's key to the row as `key`; a row may not use that name for anything else.
    """

    row: Row
    blobs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class Failed:
    """No row, and why. A transient failure is repeated when the stage is resumed, a permanent one kept."""

    reason: str
    transient: bool


Outcome = Made | Failed


@dataclass(frozen=True, slots=True)
class Failure:
    """The row that stands for a record without a result."""

    KIND: ClassVar[str] = "failure"
    V: ClassVar[int] = 1
    key: str
    reason: str
    transient: bool


class Worker(Protocol[T_contra]):
    """Performs a batch: one outcome per record, in the same order.

    ModelError and DataError are failures of these records (`ModelError.transient` decides whether
    resuming repeats them); raised for a batch, a permanent one is traced to its record by performing
    the batch again one by one. ConfigError ends the stage. Anything else is a bug and ends it too.
    """

    async def __call__(self, records: Sequence[T_contra], /) -> Sequence[Outcome]: ...


# Opens a worker (loads a model, connects) once per process. Must be picklable for processes and clusters.
OpenWorker = Callable[[], AbstractAsyncContextManager[Worker[T_contra]]]
