"""New domains from MCP seeds and new tasks for a domain, by a code agent: resumable stages."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from antiphon.clock import RealClock
from antiphon.envs.domain import open_domain
from antiphon.envs.evolve.code_agent import (
    Batch,
    Created,
    Effort,
    create_domain,
    prompts_version,
    propose_tasks,
)
from antiphon.envs.evolve.seeds import folder_of_seed
from antiphon.envs.hard_cases import HardCase, tags_by_failures
from antiphon.envs.overlap import Evaluation, evaluation
from antiphon.jsonl import to_row
from antiphon.models.catalog import open_chat
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings, map_records
from antiphon.stage.outcome import Made
from antiphon.stage.progress import Silent
from antiphon.stage.seal import read_sealed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.envs.importers.mcp import McpServer
    from antiphon.models.ports import Chat
    from antiphon.stage.outcome import Failure, Outcome
    from antiphon.stage.progress import Progress

_NOBODY = Silent()


@dataclass(frozen=True, slots=True)
class Creation:
    """Domains to make: one folder below `out` for each seed of which one is accepted, and `domains.jsonl`."""

    seeds: tuple[McpServer, ...]
    by: str
    out: Path
    effort: Effort = field(default_factory=Effort)
    against: tuple[str, ...] = ()
    allow_weak: bool = False
    how: Settings = field(default_factory=Settings)


async def create(creation: Creation, progress: Progress = _NOBODY) -> tuple[list[Created], list[Failure]]:
    """Make a domain of every seed that has none yet. A kill costs the conversations under way."""
    kept = evaluation([open_domain(each) for each in creation.against])
    fingerprint = {
        "by": open_chat(creation.by, RealClock()).name,
        "prompts": prompts_version(),
        "rounds": creation.effort.rounds,
        "tasks": creation.effort.tasks,
        "seed": creation.effort.seed,
        "against": sorted(creation.against),
    }
    path = creation.out / "domains.jsonl"
    with lock(creation.out):
        await map_records(
            creation.seeds, partial(_open_creator, creation, kept), key=folder_of_seed, fingerprint=fingerprint, out=path,
            settings=creation.how, progress=progress,
        )  # fmt: skip
        return read_sealed(path, Created)


@asynccontextmanager
async def _open_creator(creation: Creation, kept: Evaluation) -> AsyncGenerator[_Creator]:
    yield _Creator(creation, kept, open_chat(creation.by, RealClock()))


@dataclass(frozen=True, slots=True)
class _Creator:
    """The stage's worker: a domain a seed, its files as blobs."""

    creation: Creation
    kept: Evaluation
    chat: Chat

    async def __call__(self, seeds: Sequence[McpServer]) -> list[Outcome]:
        return [await self._one(seed) for seed in seeds]

    async def _one(self, seed: McpServer) -> Outcome:
        made, files = await create_domain(
            self.chat, seed, self.creation.effort, self.kept, allow_weak=self.creation.allow_weak
        )
        return Made(to_row(made), {f"{made.name}/{name}": text.encode() for name, text in files.items()})


@dataclass(frozen=True, slots=True)
class Asking:
    """Tasks to ask a code agent for, in batches, guided by the hard cases."""

    domain: str
    by: str
    out: Path
    cases: tuple[HardCase, ...] = ()
    batches: int = 1
    per_batch: int = 5
    effort: Effort = field(default_factory=Effort)
    how: Settings = field(default_factory=Settings)


async def ask(asking: Asking, progress: Progress = _NOBODY) -> list[Batch]:
    """The batches of proposed tasks (`proposed.jsonl`), those that are there already included."""
    fingerprint = {
        "domain": open_domain(asking.domain).version,
        "by": open_chat(asking.by, RealClock()).name,
        "prompts": prompts_version(),
        "cases": tags_by_failures(asking.cases),
        "per_batch": asking.per_batch,
        "rounds": asking.effort.rounds,
    }
    path = asking.out / "proposed.jsonl"
    with lock(asking.out):
        await map_records(
            range(asking.batches), partial(_open_asker, asking), key=str, fingerprint=fingerprint, out=path,
            settings=asking.how, progress=progress,
        )  # fmt: skip
        return read_sealed(path, Batch)[0]


@asynccontextmanager
async def _open_asker(asking: Asking) -> AsyncGenerator[_Asker]:
    yield _Asker(asking, open_chat(asking.by, RealClock()))


@dataclass(frozen=True, slots=True)
class _Asker:
    """The stage's worker: a batch of tasks a number."""

    asking: Asking
    chat: Chat

    async def __call__(self, numbers: Sequence[int]) -> list[Outcome]:
        domain = open_domain(self.asking.domain)
        return [
            Made(
                to_row(
                    await propose_tasks(
                        self.chat, domain, self.asking.cases, self.asking.per_batch, self.asking.effort, number=number
                    )
                )
            )
            for number in numbers
        ]  # fmt: skip
