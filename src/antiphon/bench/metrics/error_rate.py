"""`ErrorRate`: what an alignment-based metric counted, ready to be pooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antiphon.text.align import Alignment


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Errors in `total` reference units, and the alignment they were counted on.

    `reason` says why the metric does not apply; then `value` is None. A group is pooled as
    sum(errors) / sum(total): a row's `Score.value` is `value` and its `weight` is `total`.
    `by` names the functions and versions that decided what a unit is.
    """

    alignment: Alignment
    by: str
    reason: str | None = None

    @property
    def errors(self) -> int:
        return self.alignment.errors

    @property
    def total(self) -> int:
        return self.alignment.length

    @property
    def value(self) -> float | None:
        """Errors for each reference unit: 0 is perfect, and insertions can bring it above 1."""
        return None if self.reason else self.alignment.rate
