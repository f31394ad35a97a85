from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.audio.files import decode
from antiphon.audio.vad import speech_spans
from antiphon.bench.catalog import open_suite
from antiphon.bench.folder import RunFolder, load
from antiphon.bench.listen import sounds_of
from antiphon.bench.queries import Query
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Selection
from antiphon.bench.takes import Heard, Measured, Take
from antiphon.clock import RealClock
from antiphon.stage.progress import Silent
from antiphon.text.script import language_of
from tests.bench.bench_runs import kept

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ITEMS = {
    "starter-chinese_knowledge-000": "zh",
    "starter-english_knowledge-000": "en",
    "starter-multi_round-000": "zh",
}
ORDER = ("recognised", "first_text", "first_speech")


@pytest.fixture
def empty_cache_with_weights(
    weights: Callable[..., list[Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Nothing was said, heard or measured before; only the weights are those of this machine."""
    (whisper, *_) = weights("whisper-base", "qwen2.5-coder-0.5b", "kokoro", "dnsmos")
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "weights").symlink_to(whisper.parent)
    monkeypatch.setenv("ANTIPHON_CACHE", str(cache))
    return cache


def plan(out: Path) -> Plan:
    suite = open_suite("starter", Selection())
    items = tuple(item for item in suite.items if item.id in ITEMS)
    return Plan(replace(suite, items=items), "cascade:", RunFolder(out))


@pytest.mark.weights
@pytest.mark.timeout(600)
async def test_the_embedded_agent_is_measured_from_question_to_score(
    empty_cache_with_weights: Path, tmp_path: Path
):
    first = plan(tmp_path / "run")
    folder = await run(first, lambda _: Silent())

    failures, takes = folder.rows(folder.takes, Take)
    assert (failures, {take.item for take in takes}) == ({}, set(ITEMS))
    assert folder.rows(folder.queries, Query)[0] == {}
    clips = {sound.clip for sound in sounds_of(takes, told_language=True)}
    assert len(clips) == len(ITEMS)
    for path, kind in stages(folder):
        failed, rows = folder.rows(path, kind)
        assert (path.name, failed, {row.clip for row in rows}) == (path.name, {}, clips)

    for take in takes:
        check(take, folder)
    scores = {(one.item, one.metric): one for one in load(folder.path).scores}
    for item, language in ITEMS.items():
        error = scores[item, "syllable_error_rate" if language == "zh" else "word_error_rate"]
        assert error.value is not None, error.reason
        assert error.value < 0.5
        for metric in ("rtf", "first_token_s", "first_audio_s", "dnsmos_ovrl"):
            assert scores[item, metric].status == "valid", scores[item, metric].reason
        assert scores[item, "accuracy"].status == "not judged"
        assert 1 < (scores[item, "dnsmos_ovrl"].value or 0) < 5

    await resume_does_nothing(first)


def stages(folder: RunFolder) -> list[tuple[Path, type[Heard] | type[Measured]]]:
    """What must hold a row for every reply; DistillMOS where it is installed."""
    scorers = ["dnsmos", *(["distillmos"] if importlib.util.find_spec("distillmos") else [])]
    return [(folder.transcripts, Heard), *((folder.measures(scorer), Measured) for scorer in scorers)]


def check(take: Take, folder: RunFolder) -> None:
    """Words in the language of the question, times in their order, and sound that is speech."""
    (said,) = take.replies
    assert language_of(said.text) == ITEMS[take.item], said.text
    assert language_of(said.heard or "") == ITEMS[take.item], said.heard
    assert said.timing is not None
    assert said.clip is not None
    times = [said.timing.stages[stage] for stage in ORDER]
    assert 0 < times[0] <= times[1] <= times[2] <= said.timing.end_us
    assert times[1:] == [said.timing.first_token_us, said.timing.first_audio_us]
    clip = decode(folder.clip(said.clip).read_bytes(), said.clip)
    voiced_s = sum(span.end_s - span.start_s for span in speech_spans(clip))
    assert voiced_s > 0.5 * clip.duration_s > 0.2


async def resume_does_nothing(done: Plan) -> None:
    """A second run over the same folder takes seconds, loads no model and leaves every file as it was."""
    before = kept(done.out.path)
    clock = RealClock()
    started_us = clock.mono_us()
    await run(replace(done, resume=True), lambda _: Silent())
    assert clock.mono_us() - started_us < 10_000_000
    assert kept(done.out.path) == before
