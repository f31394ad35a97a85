from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.instruments import asked_for, check_instruments, usable, with_instruments
from antiphon.bench.items import Item
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.bench.takes import Instruments, Manifest
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.scripted_instruments import ScriptedScorer
from tests.bench.bench_runs import INSTRUMENTS

WHISPER = "whisper:base@0f4d3c int8 beam=5 vad=1 (faster-whisper 1.2 ctranslate2 4.6)"
MANIFEST = Manifest(
    "starter", "starter", "openai+http://host/v1#m", "openai+http://host/v1#m", "strict", 0, 1, INSTRUMENTS,
    WHISPER, (), None, None, (),
)  # fmt: skip
ITEMS = [Item("k-0", "general_knowledge", "zh", "？")]


def warnings(manifest: Manifest, transcriber: str = WHISPER, items: list[Item] = ITEMS) -> tuple[str, ...]:
    return with_instruments(
        manifest, INSTRUMENTS, {"transcriber": transcriber, "judge": None}, items
    ).warnings


def test_every_instrument_is_named_in_full() -> None:
    gaps, names = check_instruments(replace(INSTRUMENTS, judge="scripted:echo"))
    assert gaps == {}
    assert names["transcriber"] == "scripted:transcriber@" + str(names["transcriber"])[-12:]
    assert names["judge"] == "scripted:echo 3 s at 24000 Hz"
    assert names["scripted:?names=distillmos"] == "scripted:scorer distillmos"


def test_without_a_judge_there_is_a_gap() -> None:
    assert check_instruments(INSTRUMENTS)[0] == {
        "judge": ("not judged", "no judge was given; add --judge URI")
    }


def test_a_scorer_that_is_not_here_is_a_gap_and_not_used(
    own_cache: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    instruments = replace(INSTRUMENTS, scorers=("dnsmos:", "scripted:?names=distillmos"))
    gaps, names = check_instruments(instruments)  # the cache is empty, so there are no weights
    status, reason = gaps["dnsmos_ovrl"]
    assert (status, "antiphon weights fetch dnsmos" in reason) == ("unavailable", True)
    assert usable(instruments, names).scorers == ("scripted:?names=distillmos",)


def test_a_recogniser_that_is_not_here_stops_the_run(own_cache: object) -> None:
    with pytest.raises(UnavailableError, match="antiphon weights fetch whisper-base"):
        check_instruments(replace(INSTRUMENTS, transcriber="whisper:base"))


def test_two_scorers_of_one_kind_would_overwrite_each_other_and_are_refused() -> None:
    twice = replace(INSTRUMENTS, scorers=("scripted:?names=a", "scripted:?names=b"))
    with pytest.raises(
        ConfigError, match=r"^--scorer scripted: is given twice, and a run keeps one of a kind"
    ):
        check_instruments(twice)


def test_metrics_of_a_scorer_that_nobody_asked_for_are_left_out() -> None:
    names = {metric.info.name for metric in METRICS["strict"]}
    plain = {metric.info.name for metric in asked_for(METRICS["strict"], [], {})}
    assert names - plain == {"utmos22", "utmosv2", "distillmos", "dnsmos_ovrl"}
    gaps = {"dnsmos_ovrl": ("unavailable", "no weights")}
    some = asked_for(METRICS["strict"], [ScriptedScorer(("distillmos",))], gaps)  # pyright: ignore[reportArgumentType]
    assert names - {metric.info.name for metric in some} == {"utmos22", "utmosv2"}


def test_the_same_ears_in_system_and_scorer_are_told_whatever_their_settings() -> None:
    cascade = replace(
        MANIFEST, system="cascade:(whisper:base@0f4d3c int8 beam=1 vad=1 (faster-whisper 1.2) -> llama:m)"
    )
    told = (
        "The same recogniser sits in the system and in the scorer: what it mishears in both places can pass "
        "unnoticed."
    )
    assert told in warnings(cascade)
    assert told not in warnings(cascade, WHISPER.replace("base@0f4d3c", "large@77aa"))
    assert told not in warnings(MANIFEST)


def test_whatever_is_scripted_or_synthetic_is_told() -> None:
    fake = replace(MANIFEST, system="scripted:echo")
    assert warnings(fake, "scripted:transcriber@1") == (
        "The system is scripted: it recites, and measures nothing about any model.",
        "The recogniser is scripted: error rates are made up.",
        "1 of 1 questions have no recording: a synthesizer spoke them.",
    )
    published = replace(ITEMS[0], audio="0.wav")
    assert warnings(MANIFEST, items=[published]) == (
        "Questions are synthetic speech, not recordings of people.",
    )
    assert warnings(MANIFEST, items=[replace(published, speech="recorded")]) == ()


def test_imported_outputs_tell_that_nothing_is_known_of_their_making_and_how_many_are_missing() -> None:
    imported = replace(MANIFEST, system_uri="imported:", items=5, meta={"left_out": 995})
    assert warnings(imported) == (
        "The outputs were made elsewhere: nothing here tells how, or how fast.",
        "995 of 1000 items have no output and were left out (--covered).",
    )


def test_the_manifest_names_what_measured(own_cache: object) -> None:
    instruments = Instruments("scripted:", ("scripted:?names=a",), "scripted:echo", "scripted:")
    _, names = check_instruments(instruments)
    found = with_instruments(MANIFEST, instruments, names, ITEMS)
    assert (found.instruments, found.transcriber, found.scorers, found.judge) == (
        instruments, names["transcriber"], ("scripted:scorer a",), "scripted:echo 3 s at 24000 Hz",
    )  # fmt: skip


def test_a_recogniser_that_hears_nothing_need_not_be_here(own_cache: object) -> None:
    _, names = check_instruments(replace(INSTRUMENTS, transcriber="whisper:base"), hears=False)
    assert names["transcriber"] == "none: no sound came without its transcript"
