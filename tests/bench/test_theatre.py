"""`Theatre`: a suite in virtual time is performed without a question in sound and without a recogniser."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.folder import RunFolder, load
from antiphon.bench.items import Item
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Suite
from antiphon.bench.suites.full_duplex.open_sets import open_metrics
from antiphon.bench.takes import Instruments, Met, Said, Take
from antiphon.bench.theatre import Theatre
from antiphon.jsonl import to_row
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.bench.perform import Performance
    from antiphon.bench.suite import Metrics
    from antiphon.clock import Clock
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True)
class Named:
    name: str


class Worker:
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    async def __call__(self, items: Sequence[Item]) -> list[Outcome]:
        self.seen += [item.id for item in items]
        return [self._one(item) for item in items]

    def _one(self, item: Item) -> Outcome:
        if item.id == "s-1/0":
            return Failed("the recogniser was away", transient=True)
        met = Met("s-0", "s-0-0", "respond", True, "", 0, 1, "", "sessions/s-0.jsonl")
        take = Take(item.id, item.subset, None, 0.0, (Said("", None, 0.0, "stop", None),), met=met)
        return Made(to_row(take), {"sessions/s-0.jsonl": b"{}\n"})


def plan(out: Path, seen: list[str], *, resume: bool = False) -> Plan:
    @asynccontextmanager
    async def perform(_: Performance, __: Path) -> AsyncGenerator[Worker, None]:
        yield Worker(seen)

    def opened(uri: str, _: Clock) -> Named:
        return Named(f"scripted: {uri}")

    items = tuple(
        Item(
            f"s-{number}/0",
            "multi-party",
            "en",
            "?",
            cluster=f"s-{number}",
            extra={"expect": "respond", "points": 1},
        )
        for number in range(2)
    )
    both: Metrics = {"strict": open_metrics(), "paper": open_metrics()}
    suite = Suite("virtual", items, both, "full-duplex:open", virtual=True)
    return Plan(
        suite, "engine:", RunFolder(out), Instruments("", ()), resume=resume, venue=Theatre(opened, perform)
    )


def test_sessions_are_performed_kept_scored_and_resumed(tmp_path: Path):
    seen: list[str] = []
    asyncio.run(run(plan(tmp_path / "run", seen), lambda _: Silent()))
    done = load(tmp_path / "run")
    rows = {(each.metric, each.subset): (each.value, each.n, each.invalid) for each in done.summaries}
    assert rows["point_pass", "multi-party"] == (1.0, 1, 1)
    assert rows["session_pass", "multi-party"] == (1.0, 1, 1)
    assert not (tmp_path / "run" / "queries.jsonl").exists()
    assert not (tmp_path / "run" / "transcripts.jsonl").exists()
    assert (tmp_path / "run" / "sessions" / "s-0.jsonl").read_bytes() == b"{}\n"
    assert done.manifest.warnings == (
        "People, and the model's words and times, are scripted; the engine and its turn policy are those that serve.",
    )
    asyncio.run(run(plan(tmp_path / "run", seen, resume=True), lambda _: Silent()))
    assert seen == ["s-0/0", "s-1/0", "s-1/0"]  # only what had failed is performed again


def test_a_plan_in_virtual_time_speaks_nothing(tmp_path: Path):
    assert plan(tmp_path, []).speaks is False
