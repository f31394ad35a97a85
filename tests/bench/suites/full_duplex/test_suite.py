from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.catalog import metrics_of, open_suite
from antiphon.bench.suite import Selection
from antiphon.errors import ConfigError
from tests.bench.suites.full_duplex.duplex import OVERLAP, folder


def names(version: str, scoring: str) -> list[str]:
    return [metric.info.name for metric in metrics_of(f"full-duplex:{version}")[scoring]]


def test_a_version_is_a_suite_whose_metrics_are_found_again(tmp_path: Path):
    folder(tmp_path / "user_backchannel" / "3", {"metadata.json": OVERLAP}, "input.wav", "clean_input.wav")
    suite = open_suite("full-duplex", Selection(tmp_path, version="v1.5"))
    assert (suite.name, suite.source, suite.live) == ("full-duplex-1.5", "full-duplex:1.5", True)
    assert suite.transcriber == "whisper:base?beam=5&words=1"
    assert [metric.info.name for metric in suite.metrics["paper"]] == names("1.5", "paper")


def test_each_version_measures_its_own():
    assert names("1.0", "paper") == [
        "pause_takeover", "turn_takeover", "interruption_takeover", "takeover_latency_s", "interruption_rating",
        "backchannel_takeover", "backchannel_frequency", "backchannel_jsd",
    ]  # fmt: skip
    assert names("1.5", "paper") == [
        "respond", "resume", "uncertain", "unknown", "stop_latency_s", "response_latency_s", "wpm_before", "wpm_after",
        "pitch_before", "pitch_after", "pitch_sd_before", "pitch_sd_after", "intensity_before", "intensity_after",
        "intensity_sd_before", "intensity_sd_after", "utmosv2_before", "utmosv2_after", "stoi_before", "stoi_after",
        "pesq_before", "pesq_after", "si_sdr_before", "si_sdr_after",
    ]  # fmt: skip
    assert set(names("1.5", "strict")) - set(names("1.5", "paper")) == {
        "respond_by_rule", "resume_by_rule", "uncertain_by_rule", "unknown_by_rule", "stopped",
    }  # fmt: skip
    assert set(names("3.0", "strict")) - set(names("3.0", "paper")) == {"speaks_before_tools"}


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        (Selection(), "several sets; add --version 1.0, 1.5, 3.0, open"),
        (
            Selection(version="2.0"),
            "no version '2.0'; there are: 1.0, 1.5, 3.0, open; 2.0 is a conversation with another",
        ),
        (
            Selection(version="open"),
            "written and performed in one: antiphon run --suite full-duplex --version open",
        ),
        (Selection(version="3"), "full-duplex 3.0 needs --data FOLDER with tool_use, from github.com"),
    ],
)
def test_what_is_missing_is_said_in_a_line(chosen: Selection, problem: str):
    with pytest.raises(ConfigError, match=problem):
        open_suite("full-duplex", chosen)
