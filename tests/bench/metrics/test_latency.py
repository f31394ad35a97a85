from __future__ import annotations

import pytest

from antiphon.bench.metrics.latency import FIRST_AUDIO, FIRST_TOKEN, LATENCY, RTF, real_time_factor
from antiphon.bench.suite import Evidence, Metric
from antiphon.bench.takes import Timing
from antiphon.score import Score
from antiphon.stats import summarise
from tests.bench.bench_evidence import spoken


def scores(evidence: Evidence) -> dict[str, Score]:
    return {metric.info.name: metric.score(evidence) for metric in LATENCY}


def test_a_reply_of_two_seconds_made_in_one_has_a_factor_of_one_half() -> None:
    found = scores(spoken(duration_s=2.0, timing=Timing(200_000, 400_000, 1_000_000)))
    assert {name: (row.value, row.weight) for name, row in found.items()} == {
        "rtf": (0.5, 2.0),
        "first_token_s": (0.2, 1.0),
        "first_audio_s": (0.4, 1.0),
    }


def test_the_factor_of_a_group_is_a_ratio_of_sums() -> None:
    rows = [
        RTF.score(spoken(duration_s=9.0, timing=Timing(1, 2, 3_000_000))),  # 1/3
        RTF.score(spoken(duration_s=1.0, timing=Timing(1, 2, 2_000_000))),  # 2
    ]
    assert summarise(rows).value == pytest.approx(5 / 10)
    assert summarise(rows).value != pytest.approx((1 / 3 + 2) / 2)


def test_times_of_several_requests_at_once_do_not_count() -> None:
    assert {(row.value, row.status, row.reason) for row in scores(spoken(in_flight=4)).values()} == {
        (None, "excluded", "4 requests were in flight; times count only for one")
    }


def test_a_reused_reply_keeps_its_times_and_says_so() -> None:
    found = scores(spoken(meta={"reused": True}))
    assert [(row.value, row.evidence) for row in found.values()] == [
        (0.5, {"reused": True}),
        (0.2, {"reused": True}),
        (0.4, {"reused": True}),
    ]
    assert scores(spoken())["rtf"].evidence == {}


@pytest.mark.parametrize(
    ("metric", "timing", "duration_s", "status", "reason"),
    [
        (RTF, Timing(1, None, 2), 0.0, "excluded", "the reply has no speech"),
        (FIRST_AUDIO, Timing(1, None, 2), 0.0, "excluded", "the reply has no speech"),
        (FIRST_TOKEN, Timing(None, 1, 2), 1.0, "excluded", "the reply has no words"),
        (RTF, None, 1.0, "unavailable", "these outputs came from elsewhere, without times"),
    ],
)
def test_a_time_that_is_not_there_is_no_zero(
    metric: Metric, timing: Timing | None, duration_s: float, status: str, reason: str
) -> None:
    row = metric.score(spoken(timing=timing, duration_s=duration_s))
    assert (row.value, row.status, row.reason) == (None, status, reason)


def test_silence_has_no_factor() -> None:
    with pytest.raises(ValueError, match="without sound"):
        real_time_factor(1_000_000, 0.0)
