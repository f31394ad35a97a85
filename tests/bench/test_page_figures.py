from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.page_figures import latency, pictures, summary_table
from antiphon.bench.takes import Timing
from antiphon.report.strips import Stage
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
    monkeypatch.setattr("antiphon.bench.page_figures._COLUMNS", 3)
    monkeypatch.setattr("antiphon.bench.page_figures._WIDE", 9)
    table = summary_table(results)
    assert {info.name for info in table.measures} == {"error_rate", "distillmos", "rtf", "first_audio_s"}
    assert [line.title for line in table.narrow] == ["Accuracy, text", "Accuracy, speech"]
    assert table.narrow[0].words.startswith(
        "chinese knowledge 50.0 %, n\N{NO-BREAK SPACE}2; foreign knowledge"
    )


def test_an_unjudged_ability_is_not_replaced_by_an_error_rate(results: Results) -> None:
    assert str(pictures(results).radar).count(">2 not judged<") == 3
    assert pictures(results).caption == (
        "Axes run from 0 to 100: Accuracy, text (chinese knowledge, foreign knowledge, reasoning, multi round, "
        "code switching, english); DistillMOS from 1 to 5 as 0 to 100 (fluency); 100 − Syllable error rate "
        "(clarity). Bars along them are 95 % intervals. "
        "A dotted axis was not measured."
    )


def test_two_abilities_give_dots_and_no_radar(results: Results) -> None:
    few = replace(
        results, items=tuple(item for item in results.items if item.subset in ("english", "reasoning"))
    )
    found = pictures(few)
    assert (found.radar, len(found.dots)) == (None, 6)


def test_the_typical_reply_counts_only_undisturbed_times(results: Results) -> None:
    alone, crowded, untimed = (results.takes[item.id] for item in results.items[:3])
    timing = Timing(300_000, 900_000, 2_000_000, {"recognised": 100_000})
    alone = replace(alone, replies=(replace(alone.replies[0], timing=timing),))
    untimed = replace(untimed, replies=(replace(untimed.replies[0], timing=None),))
    takes = {take.item: take for take in (alone, replace(crowded, in_flight=4), untimed)}
    found = latency(replace(results, takes=takes))
    assert found is not None
    assert found.caption == "Median of 1 replies, one request in flight"
    assert found.strip.stages == (
        Stage("recognised", 0.1, "wait"),
        Stage("first text", 0.3, "wait"),
        Stage("first speech", 0.9, "text"),
        Stage("end", 2.0, "speech"),
    )
    assert latency(replace(results, takes={untimed.item: untimed})) is None


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
