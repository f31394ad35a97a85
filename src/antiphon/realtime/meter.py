"""What a server counts, in the text form that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

_EDGES_MS = (50, 100, 200, 300, 450, 700, 1000, 1500, 2500, 5000, 10_000)


@dataclass
class Meter:
    """Counters since the server began; `sessions` is how many live now."""

    sessions: int = 0
    counts: dict[tuple[str, str, str], int] = field(default_factory=dict[tuple[str, str, str], int])
    stages: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    sums_ms: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, name: str, label: str = "", value: str = "") -> None:
        """One more of `name`, told apart by one label."""
        key = (name, label, value)
        self.counts[key] = self.counts.get(key, 0) + 1

    def took(self, stages: dict[str, int]) -> None:
        """One answer's stages, each in ms after the person's last sound."""
        for stage, ms in stages.items():
            buckets = self.stages.setdefault(stage, [0] * (len(_EDGES_MS) + 1))
            buckets[bisect_left(_EDGES_MS, ms)] += 1
            self.sums_ms[stage] = self.sums_ms.get(stage, 0) + ms

    def text(self) -> str:
        """All of it, version 0.0.4 of the text format."""
        lines = ["# TYPE antiphon_sessions gauge", f"antiphon_sessions {self.sessions}"]
        for name in sorted({name for name, _, _ in self.counts}):
            lines.append(f"# TYPE antiphon_{name}_total counter")
            for (found, label, value), number in sorted(self.counts.items()):
                if found == name:
                    labels = f'{{{label}="{_escaped(value)}"}}' if label else ""
                    lines.append(f"antiphon_{name}_total{labels} {number}")
        if self.stages:
            lines.append("# TYPE antiphon_stage_ms histogram")
        for stage, buckets in sorted(self.stages.items()):
            below = 0
            for edge, number in zip((*_EDGES_MS, "+Inf"), buckets, strict=True):
                below += number
                lines.append(f'antiphon_stage_ms_bucket{{stage="{stage}",le="{edge}"}} {below}')
            lines.append(f'antiphon_stage_ms_sum{{stage="{stage}"}} {self.sums_ms[stage]}')
            lines.append(f'antiphon_stage_ms_count{{stage="{stage}"}} {below}')
        return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
