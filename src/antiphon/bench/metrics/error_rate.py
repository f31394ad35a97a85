"""`ErrorRate`: what an edit distance counted, ready to be pooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.text.align import align, distance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.text.align import Alignment


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Errors in the units of a reference, and the units they were counted on.

    `reason` says why the metric does not apply; then `value` is None. A group is pooled as
    sum(errors) / sum(total): a row's `Score.value` is `value` and its `weight` is `total`.
    `by` names the functions and versions that decided what a unit is.
    """

    reference: Sequence[str]
    hypothesis: Sequence[str]
    errors: int
    by: str
    reason: str | None = None

    @property
    def total(self) -> int:
        return len(self.reference)

    @property
    def value(self) -> float | None:
        """Errors for each reference unit: 0 is perfect, and insertions can bring it above 1."""
        return None if self.reason or not self.reference else self.errors / self.total

    @property
    def alignment(self) -> Alignment:
        """Which unit became which, computed when asked for: few readers need it, and it costs most."""
        return align(self.reference, self.hypothesis)


def error_rate(
    reference: Sequence[str], hypothesis: Sequence[str], by: str, reason: str | None = None
) -> ErrorRate:
    """The error rate between two sequences of units that are ready to be compared."""
    return ErrorRate(reference, hypothesis, distance(reference, hypothesis), by, reason)
