from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.page_table import summary_table
from antiphon.stats import Summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results


@pytest.fixture
def results(fake_run: Callable[..., Any]) -> Results:
    return fake_run(sounds=False).results()


def test_every_row_is_in_the_summary_as_value_or_word(results: Results) -> None:
    table = summary_table(results)
    assert [row.label for row in table.rows][-2:] == ["clarity", "all"]
    overall = dict(zip((info.name for info in table.measures), table.rows[-1].cells, strict=True))
    assert [(name, cell.words) for name, cell in overall.items() if cell] == [
        ("accuracy_text", ("n 13",)),
        ("accuracy_speech", ("n 13",)),
        ("error_rate", ("n 22", "1 invalid", "1 excluded")),
        ("distillmos", ("n 21", "2 invalid", "1 excluded")),
        ("rtf", ("n 22", "1 invalid", "1 excluded")),
        ("first_audio_s", ("n 22", "1 invalid", "1 excluded")),
    ]
    assert [(gap.title, gap.words) for gap in table.gaps] == [
        ("Judged good", "7 not judged, 1 invalid"),
        ("Emotion shown", "1 unavailable, 1 invalid"),
    ]


def test_where_columns_would_not_fit_a_metric_of_few_subsets_is_a_line(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antiphon.bench.page_table._COLUMNS", 3)
    monkeypatch.setattr("antiphon.bench.page_table._WIDE", 9)
    table = summary_table(results)
    assert {info.name for info in table.measures} == {"error_rate", "distillmos", "rtf", "first_audio_s"}
    assert [line.title for line in table.narrow] == ["Accuracy, text", "Accuracy, speech"]
    assert table.narrow[0].words.startswith(
        "chinese knowledge 50.0 %, n\N{NO-BREAK SPACE}2; foreign knowledge"
    )


def test_parts_of_a_subset_stand_below_the_whole_without_an_item_count(results: Results) -> None:
    part = Summary("distillmos", "clarity/loud", 3.0, None, None, "none", 1)
    table = summary_table(replace(results, summaries=(*results.summaries, part)))
    assert [(row.label, row.items) for row in table.rows[-2:]] == [("all", 24), ("clarity/loud", 0)]
    cells = dict(zip((info.name for info in table.measures), table.rows[-1].cells, strict=True))
    assert [name for name, cell in cells.items() if cell] == ["distillmos"]


def test_a_group_without_value_tells_its_own_reasons(results: Results) -> None:
    info = replace(results.metrics["rtf"], name="kept", title="Kept")
    lost = Summary("kept", "clarity", None, None, None, "none", 0, not_judged=2, reasons=("no judge",))
    made = replace(results, metrics={**results.metrics, "kept": info}, summaries=(*results.summaries, lost))
    assert ("Kept", "2 not judged", "no judge") in [
        (gap.title, gap.words, gap.reason) for gap in summary_table(made).gaps
    ]


def test_rows_say_whether_questions_were_recorded(results: Results) -> None:
    first = results.items[0]
    takes = dict(results.takes)
    takes[first.id] = replace(takes[first.id], query_speech="recorded")
    rows = {row.subset: row.speech for row in summary_table(replace(results, takes=takes)).rows}
    assert (rows["chinese_knowledge"], rows["english"], rows["all"]) == (
        "recorded 1, synthetic 1",
        "synthetic",
        "recorded 1, synthetic 23",
    )


def test_parts_have_a_table_of_their_own_with_their_metrics_only(results: Results) -> None:
    part = Summary("distillmos", "clarity/loud", 3.0, None, None, "none", 1)
    table = summary_table(replace(results, summaries=(*results.summaries, part)))
    assert table.whole[-1].label == "all"
    assert [info.name for info in table.parts.measures] == ["distillmos"]
    assert [(row.label, len(row.cells)) for row in table.parts.rows] == [("clarity/loud", 1)]
