"""`Label`: what several scored rollouts say of a task: solved, failed, or at the frontier (section 4.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antiphon.envs.verdict import Verdict

Label = Literal["solved", "frontier", "failed", "unknown"]
_MOST_REASONS = 5


@dataclass(frozen=True, slots=True)
class Levels:
    """From which share of passed rollouts a task is solved, up to which it is failed, and how many valid
    rollouts a label needs."""

    solved_from: float = 1.0
    failed_to: float = 0.0
    least: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.failed_to < self.solved_from <= 1:
            raise ConfigError(
                f"solved from {self.solved_from}, failed to {self.failed_to}: it must be 0 <= failed < solved <= 1"
            )
        if self.least < 1:
            raise ConfigError(f"a label needs at least 1 valid rollout, not {self.least}")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A task with its label. Invalid rollouts don't count; `reasons` are why the others failed, the commonest
    first, and `invalid_reasons` why some don't count."""

    KIND: ClassVar[str] = "labelled"
    V: ClassVar[int] = 1
    task: str
    label: Label
    passed: int
    valid: int
    invalid: int = 0
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    invalid_reasons: dict[str, int] = field(default_factory=dict[str, int])


STRICT = Levels()


def label_of(passed: int, valid: int, levels: Levels = STRICT) -> Label:
    """The label of a task of whose valid rollouts so many passed."""
    if valid < levels.least:
        return "unknown"
    share = passed / valid
    if share >= levels.solved_from:
        return "solved"
    return "failed" if share <= levels.failed_to else "frontier"


def label(task: str, verdicts: Iterable[Verdict], levels: Levels = STRICT) -> Labelled:
    """A task with the label that its verdicts give it."""
    mine = [each for each in verdicts if each.task == task]
    valid = [each for each in mine if each.status == "valid"]
    passed = sum(each.passed is True for each in valid)
    return Labelled(
        task, label_of(passed, len(valid), levels), passed, len(valid), len(mine) - len(valid),
        _common(each.reason or "" for each in valid if each.passed is not True),
        _common(each.reason or "" for each in mine if each.status == "invalid"),
    )  # fmt: skip


def label_all(
    tasks: Sequence[str], verdicts: Sequence[Verdict], levels: Levels = STRICT
) -> dict[str, Labelled]:
    """Every task with its label, in order; one without rollouts is unknown."""
    return {task: label(task, verdicts, levels) for task in tasks}


def _common(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common(_MOST_REASONS))
