from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from antiphon.bench.results import Results
from antiphon.bench.suites.vocalbench_zh.stamp import scripted, stamps
from antiphon.bench.takes import Take
from tests.bench.bench_boards import PAPERS


def _results(machine: str | None = "Linux, NVIDIA L20", **changes: Any) -> Results:
    take = Take("a", "safety", None, 1.0, (), meta={} if machine is None else {"machine": machine})
    return Results(Path("run"), replace(PAPERS, **changes), (), {"a": take}, {}, {}, (), (), {})


def _differs(**changes: Any) -> set[str]:
    return {one.part for one in stamps(_results(**changes)) if not one.same}


def test_a_run_with_the_papers_own_instruments_differs_in_nothing() -> None:
    assert _differs() == set()


def test_each_part_is_told_apart() -> None:
    assert _differs(judge="openai:qwen-max-latest") == {"judge"}
    panel = replace(PAPERS.instruments, judge="openai:qwen-max-2025-01-25", panel=("openai:gpt-4o",))
    assert _differs(judge="panel of 2: qwen-max-2025-01-25 + gpt-4o", instruments=panel) == {"judge"}
    assert _differs(instruments=replace(panel, panel=(), repeat=3)) == {"judge"}
    assert _differs(transcriber="whisper large-v3-turbo") == {"recogniser"}
    assert _differs(transcriber="whisper:distil-large-v3@0123 int8") == {"recogniser"}
    assert _differs(transcriber="whisper-hf:openai/whisper-large-v3@06f233fe06e7 beam=1") == set()
    assert _differs(scorers=("distillmos", "emotion2vec_plus_large")) == {"UTMOS checkpoint"}
    for other in ("utmosv2:fusion_stage3 ood", "utmos22:epoch=3-step=7459.ckpt@1a2b judge 288 domain 0"):
        assert _differs(scorers=(other, "emotion2vec_plus_large")) == {"UTMOS checkpoint"}
    assert _differs(scorers=("utmos22 ood", "emotion2vec_base")) == {"emotion model"}
    assert _differs(synthesizer="kokoro") == {"query audio"}
    assert _differs(machine="Linux, 2 cores") == {"hardware"}
    assert _differs(scoring="strict") == {"scoring"}
    assert _differs(system="scripted:echo") == {"replies"}


def test_what_is_not_known_is_not_the_same() -> None:
    assert _differs(judge=None, scorers=()) == {"judge", "UTMOS checkpoint", "emotion model"}
    assert _differs(system_uri="imported:") == {"query audio", "hardware"}
    assert _differs(machine=None) == {"hardware"}


def test_scripted_replies_are_told_by_name_or_uri() -> None:
    assert scripted(_results(system_uri="scripted:x.jsonl"))
    assert not scripted(_results())
