"""`Score`: one measured row; a value, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar, Literal

Status = Literal["valid", "invalid", "excluded", "not judged", "unavailable"]


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one item.

    `value` is None exactly when `status` is not valid, and then `reason` says why:
    *invalid* is our fault (infrastructure, a judge without an answer), *excluded* means that the
    metric does not apply, *not judged* that no judge was given, *unavailable* that no scorer is here.
    A group's value is sum(value * weight) / sum(weight): weight 1 gives a mean, the length of a
    reference gives a pooled error rate, a duration gives a ratio of sums.
    `cluster` names the source item where several rows come from one; intervals respect it.
    `evidence` keeps what the value was computed from; `meta` what may differ between equal runs.
    """

    KIND: ClassVar[str] = "score"
    V: ClassVar[int] = 1
    item: str
    subset: str
    metric: str
    value: float | None = None
    weight: float = 1.0
    status: Status = "valid"
    reason: str | None = None
    cluster: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    meta: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if (self.value is not None) != (self.status == "valid"):
            raise ValueError(f"{self.metric} of {self.item}: {self.status} with value {self.value}")
        if self.value is not None and not isfinite(self.value):
            raise ValueError(f"{self.metric} of {self.item}: {self.value} is no value; say why in `reason`")
        if not (isfinite(self.weight) and self.weight >= 0):
            raise ValueError(
                f"{self.metric} of {self.item}: weight {self.weight} is not finite and positive or 0"
            )
        if self.value is None and not self.reason:
            raise ValueError(f"{self.metric} of {self.item}: {self.status} without a reason")
