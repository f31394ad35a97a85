"""How the stages of a run are run: workers, limits, who watches, and rows of an earlier instrument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.bench.earlier import make_room
from antiphon.stage.map import Settings, map_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.judge.budget import Budget
    from antiphon.stage.progress import Progress


@dataclass(frozen=True, slots=True)
class Stages:
    """How stages are run: workers and in-flight limits, and who watches them; and within which budget
    a judge is asked. `say` tells a person what is about to be paid for; None: nobody is there."""

    how: Settings
    watch: Callable[[str], Progress]
    budget: Budget | None = None
    say: Callable[[str], None] | None = None

    async def run(
        self, name: str, records: Sequence[Any], open_worker: Callable[[], Any], **keep: Any
    ) -> None:
        """One stage by name; `keep` is what `map_records` needs to know where and as what to keep it."""
        how = keep.pop("how", self.how)
        await map_records(records, open_worker, settings=how, progress=self.watch(name), **keep)

    async def instrument(
        self, name: str, records: Sequence[Any], open_worker: Callable[[], Any], **keep: Any
    ) -> None:
        """A stage that another instrument may have run before: its rows are set aside, not mixed."""
        make_room(keep["out"], keep["fingerprint"])
        await self.run(name, records, open_worker, **keep)
