"""A small stage as a program, for tests that kill it: rows and blobs that depend on the record alone.

Every performance is noted in a side log before it begins, and on standard output, so that a test can
prove how often each record was performed.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import resource
import signal
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.clock import RealClock
from antiphon.errors import ConfigError, DataError, ModelError, UnavailableError
from antiphon.stage.map import Settings, map_records
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True)
class Rig:
    log: Path
    pause_us: int = 3000
    die_on: str = ""
    always_die: bool = False
    break_on: str = ""
    unavailable: bool = False
    unpicklable_on: str = ""

    async def __call__(self, records: Sequence[str]) -> list[Outcome]:
        with self.log.open("a") as log:
            log.write("".join(f"{record}\n" for record in records))
        print("performing", *records, flush=True)  # noqa: T201  what a test waits for
        if self.break_on in records:
            raise KeyError(self.break_on)
        if self.always_die or (self.die_on in records and not self.died.exists()):
            self.died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        for record in records:
            _raise_for(record)
        await RealClock().sleep_us(self.pause_us * (1 + len(records[0]) % 3))
        return [self._made(record) for record in records]

    @property
    def died(self) -> Path:
        return self.log.with_suffix(".died")

    def _made(self, record: str) -> Made:
        sound = hashlib.sha256(record.encode()).digest() * 60
        name = f"clips/{hashlib.sha256(sound).hexdigest()[:16]}.flac"
        row = {"kind": "take", "v": 1, "item": record, "text": "你好" * (len(record) % 5), "clip": name}
        return Made(row | ({"bad": lambda: None} if record == self.unpicklable_on else {}), {name: sound})


def _raise_for(record: str) -> None:
    if record.endswith("!"):
        raise ModelError("rig:", "busy", transient=True)
    if record.endswith("?"):
        raise DataError("rig.wav", "is no sound")


@asynccontextmanager
async def open_rig(rig: Rig) -> AsyncIterator[Rig]:
    if rig.unavailable:
        raise UnavailableError("the rig is not here", "pip install rig")
    yield rig


def keys(n: int) -> list[str]:
    return [f"item-{'x' * (index % 3)}{index}" for index in range(n)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--extra", nargs="*", default=[])
    for name in ("batch", "in-flight"):
        parser.add_argument(f"--{name}", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--cluster")
    parser.add_argument("--pause-us", type=int, default=3000)
    parser.add_argument("--max-bytes", type=int)
    for name in ("die-on", "break-on", "unpicklable-on"):
        parser.add_argument(f"--{name}", default="")
    for name in ("always-die", "unavailable"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args()
    if given.max_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.max_bytes, given.max_bytes))
    rig = Rig(
        given.out.with_name("performed.log"), given.pause_us, given.die_on, given.always_die,
        given.break_on, given.unavailable, given.unpicklable_on,
    )  # fmt: skip
    settings = Settings(given.batch, given.in_flight, given.workers, given.cluster)
    stage = map_records(
        [*keys(given.n), *given.extra], partial(open_rig, rig), key=str, fingerprint={"rig": 1},
        out=given.out, settings=settings,
    )  # fmt: skip
    try:
        done = asyncio.run(stage)
    except (ConfigError, DataError, RuntimeError) as error:
        raise SystemExit(f"{type(error).__name__}: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("interrupted") from None
    print(done.rows, done.failed, done.reused, done.made)  # noqa: T201  what a test reads


if __name__ == "__main__":
    main()
