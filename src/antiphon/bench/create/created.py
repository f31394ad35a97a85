"""`Created`: what a creation has come to, and where its files lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.create.decisions import Decisions, read_decisions
from antiphon.bench.create.draft import Draft
from antiphon.bench.create.plan import Plan, read_plan
from antiphon.bench.create.voices import VoiceProfile
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.stage.seal import read_sealed

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Created:
    """What a creation has come to: every draft with its marks, the voices, and what people decided."""

    folder: Path
    plan: Plan
    drafts: tuple[Draft, ...]
    profiles: tuple[VoiceProfile, ...]
    decisions: Decisions

    def count(self, *statuses: str) -> int:
        """How many drafts are in one of these states."""
        return sum(self.decisions.status(draft) in statuses for draft in self.drafts)

    @property
    def waiting(self) -> list[Draft]:
        """What a person should look at: what keeps a draft out first, then what nobody could tell."""
        states = {draft.id: self.decisions.status(draft) for draft in self.drafts}
        return [
            draft for state in ("held", "unverified") for draft in self.drafts if states[draft.id] == state
        ]


def drafts_path(folder: Path) -> Path:
    """Every draft as the last call left it."""
    return folder / "drafts.jsonl"


def voices_path(folder: Path) -> Path:
    """Every voice as it was measured."""
    return folder / "voices.jsonl"


def dataset_path(folder: Path) -> Path:
    """The finished dataset: a suite folder of its own."""
    return folder / "dataset"


def load(folder: Path) -> Created:
    """A creation as its last call left it, with today's decisions. Raises ConfigError where there is none."""
    plan = read_plan(folder)
    if not drafts_path(folder).exists():
        raise ConfigError(f"{folder} has no drafts yet; `antiphon create resume {folder}` makes them")
    profiles, _ = read_sealed(voices_path(folder), VoiceProfile)
    drafts = read_records(drafts_path(folder), Draft)
    return Created(folder, plan, tuple(drafts), tuple(profiles), read_decisions(folder))
