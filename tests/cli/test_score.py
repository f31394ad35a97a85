"""`antiphon score`: a kept run again, and outputs that were made elsewhere; `rescoring.py` does the work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.folder import RunFolder, load
from antiphon.score import Score
from tests.bench.bench_runs import kept, own_suite, perform, row
from tests.cli.commands import SCRIPTED, Done, antiphon

pytestmark = pytest.mark.usefixtures("own_cache")
EARS = SCRIPTED[:4]


def rates(folder: Path) -> dict[str, Score]:
    return {score.item: score for score in load(folder).scores if score.metric == "syllable_error_rate"}


@pytest.fixture
def golden(data: Path, tmp_path: Path) -> Path:
    """The five published outputs of Qwen3-Omni in the published layout."""
    found = data / "vocalbench-zh" / "model-output-qwen3-omni"
    if not found.is_dir():
        pytest.skip(f"no published outputs in {found}")
    place = tmp_path / "outputs"
    (place / "json").mkdir(parents=True)
    (place / "wav" / "chinese_knowledge").mkdir(parents=True)
    shutil.copy(found / "asr.json", place / "json" / "chinese_knowledge.json")
    shutil.copy(found / "chinese_knowledge-0000.wav", place / "wav" / "chinese_knowledge")
    return place


def score_golden(data: Path, golden: Path, *options: str) -> tuple[Done, Path]:
    out = golden.parent / "run"
    done = antiphon(
        "score", out, "--outputs", golden, "--system", "Qwen3-Omni", "--suite", "vocalbench-zh",
        "--data", data / "vocalbench-zh", "--subset", "chinese_knowledge", *EARS, *options,
    )  # fmt: skip
    return done, out


def test_the_published_outputs_have_the_published_error_rates(data: Path, golden: Path) -> None:
    done, out = score_golden(data, golden, "--covered", "--scoring", "paper")
    assert done.code == 0
    published = json.loads((data / "vocalbench-zh/model-output-qwen3-omni/result.json").read_text("utf-8"))
    found = rates(out)
    assert len(found) == len(published) == 5
    for one in published:
        assert found[one["Qid"]].value == pytest.approx(one["PER"], abs=1e-12)
    assert "Note: 995 of 1000 items have no output and were left out (--covered)." in done.out
    assert load(out).manifest.system == "Qwen3-Omni"


def test_an_item_without_an_output_does_not_silently_vanish(data: Path, golden: Path) -> None:
    done, out = score_golden(data, golden, "--json")
    assert (done.code, done.json["run"]) == (0, str(out))
    results = load(out)
    assert (len(results.items), len(results.takes)) == (1000, 5)
    assert set(results.failures.values()) == {"the outputs have no reply to this item"}
    keyword = next(s for s in results.summaries if s.metric == "keyword_accuracy")
    assert (keyword.n, keyword.invalid) == (5, 995)


def outputs(folder: Path, *responses: str) -> tuple[Path, Path]:
    """A suite of two questions, and outputs in words and sound."""
    suite = own_suite(folder / "suite", {}, {})
    place = folder / "outputs" / "json"
    place.mkdir(parents=True)
    rows = [{"Qid": f"q-{n}", "Response": text} for n, text in enumerate(responses)]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    (place / "general_knowledge.json").write_text(lines, encoding="utf-8")
    write(place.parent / "wav" / "general_knowledge" / "q-0.wav", Clip([0.5, -0.5] * 8_000, 16_000))
    return suite, place.parent


def test_outputs_of_an_own_suite_are_heard_and_scored_without_times(tmp_path: Path) -> None:
    suite, place = outputs(tmp_path, "是北京。", "是上海。")
    done = antiphon(
        "score", tmp_path / "run", "--outputs", place, "--suite", suite,
        "--transcriber", "scripted:?text=是背景", "--scorer", "scripted:?names=distillmos", "--json",
    )  # fmt: skip
    assert done.code == 0
    scores = load(tmp_path / "run").scores
    assert row(scores, "q-0", "keyword_accuracy").value == 1.0
    assert row(scores, "q-0", "syllable_error_rate").value == pytest.approx(2 / 3)  # běijīng heard as bèijǐng
    assert row(scores, "q-1", "syllable_error_rate").reason == "the reply has no speech"
    assert row(scores, "q-0", "rtf").reason == "these outputs came from elsewhere, without times"


def test_outputs_that_bring_all_transcripts_need_no_recogniser(tmp_path: Path) -> None:
    suite, place = outputs(tmp_path, "是北京。", "是上海。")
    rows = place / "json" / "general_knowledge.json"
    heard = {"Qid": "q-0", "Response": "是北京。", "Response_hyp": "是背景"}
    said = {"Qid": "q-1", "Response": "是上海。"}
    rows.write_text(json.dumps([heard, said], ensure_ascii=False), encoding="utf-8")
    given = ("--transcriber", "whisper:base", "--scorer", "scripted:?names=distillmos", "--json")
    done = antiphon("score", tmp_path / "run", "--outputs", place, "--suite", suite, *given)
    assert (done.code, done.err) == (0, "")
    results = load(tmp_path / "run")
    assert row(results.scores, "q-0", "syllable_error_rate").value == pytest.approx(2 / 3)
    assert results.manifest.transcriber == "none: no sound came without its transcript"
    again = antiphon("score", tmp_path / "run", *given)
    assert (again.code, load(tmp_path / "run").scores) == (0, results.scores)


def test_outputs_of_another_suite_are_refused_before_a_run_is_made(tmp_path: Path) -> None:
    _, place = outputs(tmp_path, "是北京。")
    done = antiphon("score", tmp_path / "run", "--outputs", place, "--suite", "starter", *EARS)
    assert done.code == 2
    assert "has no outputs for 'chinese_knowledge'; there are: general_knowledge" in done.complaint
    assert not (tmp_path / "run").exists()


def test_a_run_is_scored_by_the_other_scoring_and_back_again(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    before = kept(folder.path)
    assert antiphon("score", folder.path, "--scoring", "paper", "--json").code == 0
    assert load(folder.path).manifest.scoring == "paper"
    assert kept(folder.path) != before
    assert antiphon("score", folder.path, "--json").code == 0
    assert kept(folder.path) == before


def test_another_recogniser_hears_again_and_the_first_ones_rows_are_found_again(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    before = kept(folder.path)
    deaf = antiphon("score", folder.path, "--transcriber", "scripted:?text=", "--json")
    assert deaf.code == 0
    assert load(folder.path).manifest.instruments.transcriber == "scripted:?text="
    earlier = sorted(path.name for path in (folder.path / "earlier").rglob("*.jsonl"))
    assert earlier == ["transcripts.jsonl"]
    rows_of_the_first = next((folder.path / "earlier").rglob("transcripts.jsonl")).read_bytes()
    assert rows_of_the_first == before["transcripts.jsonl"]
    assert antiphon("score", folder.path, "--transcriber", "scripted:", "--json").code == 0
    assert kept(folder.path) == before


def test_nothing_is_asked_again(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    stamp = folder.takes.stat().st_mtime_ns
    antiphon("score", folder.path, "--scoring", "paper")
    assert folder.takes.stat().st_mtime_ns == stamp


def test_a_run_without_replies_is_to_be_finished_first(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    RunFolder(folder.path).takes.unlink()
    done = antiphon("score", folder.path)
    assert done.code == 2
    assert done.complaint == (
        f"antiphon: the run in {folder.path} has no replies yet; finish it with `antiphon run … --resume`"
    )


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    done = antiphon("score", tmp_path)
    assert (done.code, done.complaint.startswith("antiphon: no run in ")) == (2, True)
