from __future__ import annotations

from antiphon.realtime.meter import Meter


def test_counts_and_stages_are_told_as_prometheus_reads_them():
    meter = Meter(sessions=2)
    meter.count("sessions")
    meter.count("sessions")
    meter.count("refused", "status", '4"01')
    meter.took({"sent": 450})
    meter.took({"sent": 20_000})
    text = meter.text()
    assert "antiphon_sessions 2\n" in text
    assert "# TYPE antiphon_sessions_total counter\nantiphon_sessions_total 2\n" in text
    assert 'antiphon_refused_total{status="4\\"01"} 1\n' in text
    buckets = [line for line in text.splitlines() if line.startswith("antiphon_stage_ms_bucket")]
    assert [int(line.rpartition(" ")[2]) for line in buckets] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2]
    assert text.endswith(
        'antiphon_stage_ms_sum{stage="sent"} 20450\nantiphon_stage_ms_count{stage="sent"} 2\n'
    )
