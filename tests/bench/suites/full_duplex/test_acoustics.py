from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import fmean, stdev
from typing import Any

import pytest

from antiphon.bench.suite import Evidence, NoValue, Value
from antiphon.bench.suites.full_duplex.acoustics import acoustic_metrics, level, opinion
from antiphon.bench.takes import Contour
from tests.bench.suites.full_duplex.duplex import evidence, track, words

EXTRA = {"overlap": [0.02, 0.04]}
# Ten frames of 10 ms. The agent sounds from 0.01 to 0.03 s and from 0.05 to 0.08 s; the word at 0.05 s begins what comes after.
PITCH = (0.0, 100.0, 110.0, 300.0, 0.0, 200.0, 0.0, 220.0, 0.0, 400.0)
LEVEL = (-300.0, 60.0, 62.0, 40.0, 30.0, 70.0, 66.0, 68.0, 20.0, 10.0)
SPANS = ((0.01, 0.03), (0.05, 0.08))


def item(spans: Any = SPANS, contour: bool = True, query_s: float = 0.1) -> Evidence:
    said = (*words("one", 0.01, 0.02), *words("two", 0.05, 0.03))
    agent = track(said, spans)
    if contour:
        agent = replace(agent, contour=Contour("c", "by", PITCH, LEVEL))
    return evidence("user_interruption", EXTRA, query_s=query_s, agent=agent)


pitch = partial(level, "pitch_hz", fmean, 1)
intensity = partial(level, "intensity_db", fmean, 1)


def test_strict_looks_at_where_the_agent_speaks():
    assert pitch(0, "strict", item()) == Value(105.0, evidence={"frames": 2})
    assert pitch(1, "strict", item()) == Value(210.0, evidence={"frames": 2})
    assert intensity(0, "strict", item()) == Value(61.0, evidence={"frames": 2})
    assert intensity(1, "strict", item()) == Value(68.0, evidence={"frames": 3})


def test_paper_leaves_out_the_silence_before_only():
    assert pitch(0, "paper", item()) == Value(170.0, evidence={"frames": 3})  # 100, 110, 300 until 0.05 s
    assert intensity(0, "paper", item()) == Value(48.0, evidence={"frames": 4})  # 60, 62, 40, 30
    assert intensity(1, "paper", item()).value == pytest.approx(46.8)  # 70, 66, 68, 20, 10


def test_paper_looks_no_further_than_the_person_s_track():
    assert intensity(1, "paper", item(query_s=0.08)) == Value(68.0, evidence={"frames": 3})


def test_a_deviation_needs_two_frames():
    deviation = partial(level, "pitch_hz", stdev, 2)
    assert deviation(1, "strict", item()).value == pytest.approx(200**0.5)  # of 200 and 220
    alone = item(spans=((0.05, 0.06),))
    assert deviation(1, "paper", item(spans=((0.01, 0.03), (0.07, 0.08)), query_s=0.08)) == Value(0.0, evidence={"frames": 1})  # fmt: skip
    assert isinstance(deviation(1, "strict", alone), NoValue)


def test_silence_is_zero_in_the_paper_and_excluded_in_strict():
    silent = item(spans=())
    reason = "the agent says nothing before the overlap's end, or nothing that has one"
    assert pitch(0, "strict", silent) == NoValue("excluded", reason)
    unvoiced = replace(silent, tracks={"agent": replace(silent.tracks["agent"], contour=Contour("c", "by", (0.0,) * 10, LEVEL))})  # fmt: skip
    assert pitch(0, "paper", unvoiced) == Value(0.0, evidence={"frames": 0})


def test_a_track_that_was_not_traced_is_invalid():
    assert pitch(0, "strict", item(contour=False)) == NoValue(
        "invalid", "the agent's track was not traced; score the run again"
    )


@pytest.mark.parametrize("scoring", ["paper", "strict"])
def test_the_quality_estimates_are_unavailable_and_say_why(scoring):
    found = {metric.info.name: metric.score(item()) for metric in acoustic_metrics(scoring)}
    assert {name for name, score in found.items() if score.status == "unavailable"} == {
        f"{name}_{when}" for name in ("utmosv2", "stoi", "pesq", "si_sdr") for when in ("before", "after")
    }
    assert "torchaudio" in (found["pesq_before"].reason or "")
    assert found["utmosv2_after"].reason == "no scorer was asked; add --scorer utmosv2:"
    assert found["pitch_before"].status == "valid"


def test_utmosv2_is_asked_about_the_parts_and_read_back_by_their_seconds():
    strict, paper = (
        {metric.info.name: metric for metric in acoustic_metrics(name)} for name in ("strict", "paper")
    )
    asked = {
        (scoring, when): metrics[f"utmosv2_{when}"].parts(item())
        for scoring, metrics in (("strict", strict), ("paper", paper))
        for when in ("before", "after")
        if metrics[f"utmosv2_{when}"].parts is not None
    }
    assert asked == {
        ("strict", "before"): [(0.01, 0.03)], ("strict", "after"): [(0.05, 0.08)],
        ("paper", "before"): [(0.01, 0.05)], ("paper", "after"): [(0.05, 0.1)],
    }  # fmt: skip
    scored = replace(item(), parts={(0.01, 0.03): {"utmosv2": 3.5}, (0.05, 0.08): {"utmosv2": "too short"}})
    assert opinion(0, "strict", scored) == Value(3.5, evidence={"part_s": [0.01, 0.03]})
    assert opinion(1, "strict", scored) == NoValue("invalid", "too short")
    assert opinion(0, "strict", item(spans=())) == NoValue(
        "excluded", "the agent says nothing before the overlap's end"
    )
    gone = replace(scored, gaps={"utmosv2": ("unavailable", "no weights")})
    assert opinion(0, "strict", gone) == NoValue("unavailable", "no weights")
