from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder
from antiphon.bench.items import Item
from antiphon.bench.scoring import gather, given_transcript, score_run, summaries_of
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.bench.takes import Heard, Judged, Measured, Said, Take
from antiphon.jsonl import Record, dumps, read_records, to_row
from antiphon.score import Score
from antiphon.stage.outcome import Failure
from antiphon.stats import Summary

ITEMS = [Item(f"k-{n}", "general_knowledge", "zh", f"{n}？", "北京") for n in range(3)]


def keep(path: Path, *rows: Record) -> None:
    path.write_text("".join(dumps(to_row(row)) + "\n" for row in rows), encoding="utf-8")


def take(item: str, text: str = "是北京。", clip: str | None = "c0", **meta: str) -> Take:
    return Take(item, "general_knowledge", "q", 1.0, (Said(text, clip, 1.0, "stop", None),), meta=meta)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Three items: one performed, one failed, one not there."""
    run = RunFolder(tmp_path)
    keep(run.items, *ITEMS)
    keep(run.takes, take("k-0"), Failure("k-1", "HTTP 500", transient=True))
    return run


def test_every_item_has_its_evidence_in_the_runs_order(folder: RunFolder) -> None:
    keep(folder.transcripts, Heard("c0", "ears", "是北京"))
    found = gather(folder, {"judge": ("not judged", "no judge")})
    assert [one.item.id for one in found] == ["k-0", "k-1", "k-2"]
    assert [(one.take is not None, one.failure) for one in found] == [
        (True, None), (False, "HTTP 500"), (False, None),
    ]  # fmt: skip
    assert found[0].heard == Heard("c0", "ears", "是北京")
    assert found[0].gaps == {"judge": ("not judged", "no judge")}


def test_a_clip_that_was_not_recognised_is_a_gap_of_its_item_only(folder: RunFolder) -> None:
    keep(folder.takes, take("k-0"), take("k-1", clip="c1"))
    keep(folder.transcripts, Heard("c1", "ears", "是北京"), Failure("c0", "busy", transient=True))
    first, second, _ = gather(folder, {})
    assert first.gaps == {"transcript": ("invalid", "not recognised: busy")}
    assert second.gaps == {}


def test_a_transcript_that_came_with_the_outputs_wins(folder: RunFolder) -> None:
    keep(folder.takes, imported := take("k-0", transcript="是背景"))
    keep(folder.transcripts, Heard("c0", "ears", "是北京"))
    assert given_transcript(imported) == Heard("", "imported transcript", "是背景")
    assert gather(folder, {})[0].heard == Heard("", "imported transcript", "是背景")
    assert given_transcript(take("k-0")) is None


def test_measures_of_several_scorers_come_together_by_clip(folder: RunFolder) -> None:
    keep(folder.measures("distillmos"), Measured("c0", "d", {"distillmos": 4.0}))
    keep(folder.measures("dnsmos"), Measured("c0", "n", {"dnsmos_ovrl": 3.0, "dnsmos_sig": 2.0}))
    folder.path.joinpath("measures-dnsmos.journal.jsonl").write_text("{}\n", encoding="utf-8")
    assert gather(folder, {})[0].measured == {"distillmos": 4.0, "dnsmos_ovrl": 3.0, "dnsmos_sig": 2.0}


@pytest.mark.parametrize(
    "row", [Measured("c0", "n", {}, "shorter than 1 s"), Failure("c0", "shorter than 1 s", transient=False)]
)
def test_a_scorer_that_refuses_every_clip_gives_its_reason_in_its_own_column(
    folder: RunFolder, row: Measured | Failure
) -> None:
    keep(folder.measures("dnsmos"), row)
    assert gather(folder, {})[0].measured == {"dnsmos_ovrl": "shorter than 1 s"}
    score_run(folder, METRICS["strict"], {})
    (found,) = (
        score for score in read_records(folder.scores, Score)
        if (score.item, score.metric) == ("k-0", "dnsmos_ovrl")
    )  # fmt: skip
    assert (found.status, found.reason) == ("invalid", "shorter than 1 s")


def test_a_judge_that_could_not_be_had_is_a_verdict_without_value(folder: RunFolder) -> None:
    kept = Judged("k-0", "accuracy", "judge", "knowledge@1", verdict=True, answer="正确")
    keep(folder.judgements, kept, Failure("k-0 score creativity@1", "busy", transient=True))
    assert gather(folder, {})[0].judged == {
        "accuracy": kept,
        "score": Judged(
            "k-0",
            "score",
            "",
            "creativity@1",
            None,
            "",
            "invalid",
            "no verdict: busy; `antiphon judge` asks again",
        ),
    }


def test_scoring_again_gives_the_same_files(folder: RunFolder) -> None:
    def files() -> list[bytes]:
        score_run(folder, METRICS["strict"], {})
        return [path.read_bytes() for path in (folder.scores, folder.summaries, folder.metrics)]

    assert files() == files()


def test_the_missing_count_among_the_invalid_and_are_no_zeros(folder: RunFolder) -> None:
    found = {s.metric: s for s in score_run(folder, METRICS["strict"], {})}
    keyword = found["keyword_accuracy"]
    assert (keyword.value, keyword.n, keyword.invalid) == (1.0, 1, 2)
    assert keyword.reasons == ("HTTP 500", "the item was not performed")
    assert read_records(folder.summaries, Summary) == list(found.values())


def test_a_metric_has_a_row_for_each_subset_and_one_over_all_where_there_are_several() -> None:
    rows = [Score("a", "s", "m", 1.0), Score("b", "t", "m", 0.0), Score("c", "t", "other", 0.5)]
    assert [(s.metric, s.subset, s.value, s.n) for s in summaries_of(rows)] == [
        ("m", "s", 1.0, 1),
        ("m", "t", 0.0, 1),
        ("m", "all", 0.5, 2),
        ("other", "t", 0.5, 1),
    ]
