"""Speech quality: estimates of the mean opinion score, each under its own name."""

from __future__ import annotations

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value


def _column(column: str, title: str, what: str) -> Metric:
    def measure(evidence: Evidence) -> Value | NoValue:
        if evidence.said.clip is None:
            return NoValue("excluded", "the reply has no speech")
        found = evidence.measured.get(column, f"{title} gave nothing for this clip")
        return NoValue("invalid", found) if isinstance(found, str) else Value(found)

    info = MetricInfo(column, title, "", "higher", 2, what, False, "speech", (1.0, 5.0))
    return Metric(info, lambda _: True, measure, needs=(column,))


DISTILLMOS = _column(
    "distillmos", "DistillMOS", "Estimated opinion of the whole sound, 1 to 5 (Stahl & Gamper, 2025)."
)
DNSMOS = _column(
    "dnsmos_ovrl", "DNSMOS", "Estimated opinion of speech under noise, 1 to 5 (Reddy et al., P.835, 2022)."
)
UTMOS22 = _column(
    "utmos22",
    "UTMOS22",
    "Estimated naturalness, 1 to 5 (Saeki et al., 2022), by the checkpoint that the run names.",
)
UTMOSV2 = _column(
    "utmosv2", "UTMOSv2", "Estimated naturalness, 1 to 5 (Baba et al., 2024); another scale than UTMOS22."
)
QUALITY = (UTMOS22, UTMOSV2, DISTILLMOS, DNSMOS)
