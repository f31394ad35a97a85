"""`Plan`: what one creation asks of whom, kept in its folder so that it can go on by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from antiphon.errors import ConfigError
from antiphon.jsonl import dumps, read_records, to_row, write_text

if TYPE_CHECKING:
    from pathlib import Path

SKIPPABLE = ("entities", "adapt")


@dataclass(frozen=True, slots=True)
class Plan:
    """Models by URI, files by path. `licences` are the user's own words; `names` None is our small list;
    `meta` holds what the card states: full model names, date, versions."""

    KIND: ClassVar[str] = "creation"
    V: ClassVar[int] = 1
    source: str
    name: str
    chat: str = "llama:qwen2.5-coder-1.5b"
    judge: str | None = "embedded:"
    synthesizer: str = "kokoro:"
    transcriber: str = "whisper:base"
    scorers: tuple[str, ...] = ()
    voices: str | None = None
    names: str | None = None
    subset: str | None = None
    skip: tuple[str, ...] = ()
    attempts: int = 4
    seed: int = 0
    limit: int | None = None
    licences: tuple[str, ...] = ()
    verified_only: bool = False
    meta: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ConfigError(f"--attempts counts from 1, not {self.attempts}")
        for stage in self.skip:
            if stage not in SKIPPABLE:
                raise ConfigError(f"--skip {stage}: only {' and '.join(SKIPPABLE)} can be left out")


def plan_path(folder: Path) -> Path:
    """Where a creation's plan lies."""
    return folder / "create.json"


def write_plan(folder: Path, plan: Plan) -> None:
    """Keep the plan, all or nothing."""
    write_text(plan_path(folder), dumps(to_row(plan)) + "\n")


def read_plan(folder: Path) -> Plan:
    """The plan of a creation. Raises ConfigError where there is none, DataError for a broken one."""
    path = plan_path(folder)
    if not path.is_file():
        raise ConfigError(f"no creation in {folder}: {path.name} is missing; `antiphon create run` makes one")
    return read_records(path, Plan)[0]
