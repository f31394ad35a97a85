from __future__ import annotations

import pytest

from antiphon.bench.metrics.quality import DISTILLMOS, DNSMOS, UTMOS22, UTMOSV2
from antiphon.bench.suite import Evidence
from tests.bench.bench_evidence import spoken


def test_each_estimate_is_read_from_its_own_column() -> None:
    evidence = spoken(measured={"distillmos": 4.25, "dnsmos_ovrl": 3.5, "dnsmos_sig": 1.0})
    assert (DISTILLMOS.score(evidence).value, DNSMOS.score(evidence).value) == (4.25, 3.5)


def test_the_two_utmos_are_two_columns_and_neither_stands_in_for_the_other() -> None:
    evidence = spoken(measured={"utmosv2": 3.25})
    assert (UTMOSV2.info.name, UTMOSV2.score(evidence).value) == ("utmosv2", 3.25)
    missing = UTMOS22.score(evidence)
    assert (missing.metric, missing.value, missing.status) == ("utmos22", None, "invalid")
    assert missing.reason == "UTMOS22 gave nothing for this clip"


@pytest.mark.parametrize(
    ("evidence", "status", "reason"),
    [
        (spoken(measured={"distillmos": "shorter than 1 s"}), "invalid", "shorter than 1 s"),
        (spoken(measured={"dnsmos_ovrl": 3.5}), "invalid", "DistillMOS gave nothing for this clip"),
        (spoken(duration_s=0), "excluded", "the reply has no speech"),
        (
            spoken(gaps={"distillmos": ("unavailable", "torch is not here; pip install 'antiphon[mos]'")}),
            "unavailable",
            "torch is not here; pip install 'antiphon[mos]'",
        ),
    ],
)
def test_no_estimate_is_no_number_and_never_another_scorers(
    evidence: Evidence, status: str, reason: str
) -> None:
    found = DISTILLMOS.score(evidence)
    assert (found.value, found.status, found.reason) == (None, status, reason)
