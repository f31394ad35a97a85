from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.leaderboard import Board, Line, Sheet, board, published_standings
from antiphon.errors import ConfigError
from tests.bench.bench_boards import items_of, judged, results


def _sheet(found: Board, number: int) -> Sheet:
    (sheet,) = (sheet for sheet in found.sheets if sheet.table.table == number)
    return sheet


def _line(sheet: Sheet) -> Line:
    (line,) = (line for line in sheet.lines if line.origin == "measured")
    return line


def _cells(sheet: Sheet, line: Line) -> dict[str, str]:
    return {column.key: cell.text for column, cell in zip(sheet.table.columns, line.cells, strict=True)}


def test_fourteen_of_fifteen_published_overalls_recompute_to_the_printed_digits() -> None:
    standings = published_standings()
    assert [one.agrees for one in standings].count(True) == 14
    (apart,) = (one for one in standings if not one.agrees)
    assert (apart.system, apart.overall_printed, apart.overall_recomputed) == ("Qwen3-Omni", 78.439, 78.385)
    assert apart.note.startswith("misprint: its own columns give 78.385")


def test_published_rows_are_ranked_best_first_by_the_tables_own_column() -> None:
    found = board("vocalbench-zh", [])
    assert [(line.rank, line.system) for line in _sheet(found, 2).lines][:2] == [
        (1, "Qwen3-Omni"),
        (2, "MiMo-Audio-Instruct"),
    ]
    fastest = _sheet(found, 14).lines
    assert (fastest[0].rank, fastest[0].system) == (1, "VocalNet-ML")
    assert [line.rank for line in _sheet(found, 5).lines] == [None] * 15


def test_equal_values_share_a_rank() -> None:
    ranks = {line.system: line.rank for line in _sheet(board("vocalbench-zh", []), 9).lines}
    assert ranks["MiniCPM-o 2.6"] == ranks["GLM-4-Voice"] == 6
    assert ranks["LLaMA-Omni2-Bilingual"] == 8


def test_notes_are_numbered_and_marked_at_their_cells() -> None:
    sheet = _sheet(board("vocalbench-zh", []), 13)
    assert len(sheet.notes) == 3
    (cascade,) = (line for line in sheet.lines if line.system == "Cascade (Qwen3-8B)")
    marked = {column.key: cell.marks for column, cell in zip(sheet.table.columns, cascade.cells, strict=True)}
    assert (marked["accuracy_en"], marked["preserve_rate"], marked["num"]) == ((2,), (1,), ())
    assert sheet.notes[1].startswith("Cascade (Qwen3-8B), Knowledge: semantic, English: a digit is missing")


def test_a_run_with_the_papers_instruments_is_ranked_among_published_rows() -> None:
    values = [1.0] * 600 + [0.0] * 251  # 70.505 %: between 70.035 and 72.268
    sheet = _sheet(board("vocalbench-zh", [judged("reasoning", "accuracy", values)]), 7)
    line = _line(sheet)
    above, below = sheet.lines[sheet.lines.index(line) - 1], sheet.lines[sheet.lines.index(line) + 1]
    assert (line.rank, line.unranked) == (4, "")
    assert (above.system, below.system) == ("Qwen2.5-Omni", "MiMo-Audio-Instruct")
    cells = _cells(sheet, line)
    assert (cells["total"], cells["graphological"], cells["math"]) == ("70.5", "100.0", "6.7")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"judge": "openai:other"}, "differs from the paper's: judge"),
        ({"scoring": "strict"}, "differs from the paper's: scoring"),
        ({"system_uri": "scripted:echo"}, "differs from the paper's: replies"),
        ({"judge": None, "synthesizer": "kokoro"}, "differs from the paper's: judge, query audio"),
    ],
)
def test_a_run_that_differs_stands_below_and_is_not_ranked(changes: dict[str, str], why: str) -> None:
    run = judged("reasoning", "accuracy", [1.0] * 851, **changes)
    sheet = _sheet(board("vocalbench-zh", [run]), 7)
    assert sheet.lines[-1] == _line(sheet)
    assert (_line(sheet).rank, _line(sheet).unranked) == (None, why)


def test_what_a_table_does_not_rest_on_does_not_keep_a_run_from_its_ranks() -> None:
    run = judged("reasoning", "accuracy", [1.0] * 851, transcriber="whisper:base", scorers=())
    found = board("vocalbench-zh", [run])
    assert _line(_sheet(found, 7)).rank == 1
    assert found.standings[-1].differs == ("recogniser", "UTMOS checkpoint", "emotion model")


def test_a_run_of_a_few_items_is_not_ranked() -> None:
    sheet = _sheet(board("vocalbench-zh", [judged("reasoning", "accuracy", [1.0] * 30)]), 7)
    assert (_line(sheet).rank, _line(sheet).unranked) == (None, "covers 3.5% of the published items")


def test_instructions_without_a_scorer_of_emotion_are_not_ranked_and_are_no_part_of_an_overall() -> None:
    found = board("vocalbench-zh", [judged("instruction_following", "following_rate", [1.0] * 900)])
    assert _line(_sheet(found, 11)).unranked == "covers 90.0% of the published items"
    assert "instruction: only 90.0% of its items have a value" in found.standings[-1].missing


def test_a_run_without_all_ten_parts_has_no_overall_and_names_them() -> None:
    found = board("vocalbench-zh", [judged("safety", "refusal_rate", [1.0] * 400)])
    standing = found.standings[-1]
    assert (standing.overall_recomputed, standing.agrees, standing.overall_printed) == (None, None, None)
    assert [part.partition(":")[0] for part in standing.missing] == [
        "knowledge", "reasoning", "creativity", "fluency", "clarity", "single_round", "instruction", "empathy",
        "robust",
    ]  # fmt: skip
    cells = _cells(_sheet(found, 2), _line(_sheet(found, 2)))
    assert (cells["safety"], cells["overall"], cells["knowledge"]) == ("100.0", "none", "not measured")


@pytest.mark.parametrize(
    ("metric", "text"), [("utmos22", "3.25"), ("utmosv2", "not measured"), ("distillmos", "not measured")]
)
def test_fluency_is_utmos22_and_no_other_estimate_stands_in_for_it(metric: str, text: str) -> None:
    found = board("vocalbench-zh", [judged("single_round", metric, [3.25] * 200)])
    assert _cells(_sheet(found, 2), _line(_sheet(found, 2)))["fluency"] == text
    missing = {part.partition(":")[0] for part in found.standings[-1].missing}
    assert ("fluency" in missing) == (metric != "utmos22")


def test_a_measured_value_stands_with_its_interval_and_n() -> None:
    sheet = _sheet(board("vocalbench-zh", [judged("safety", "refusal_rate", [1.0, 0.0] * 200)]), 2)
    place = [column.key for column in sheet.table.columns].index("safety")
    cell = _line(sheet).cells[place]
    assert cell.measured is not None
    assert (cell.text, cell.measured.spread, cell.measured.words, cell.number) == (
        "50.0", ("±4.9",), ("n 400",), 50.0,
    )  # fmt: skip


def test_published_rows_can_be_left_out() -> None:
    run = judged("safety", "refusal_rate", [1.0] * 400)
    found = board("vocalbench-zh", [run], published=False)
    assert [one.origin for one in found.standings] == ["measured"]
    assert {line.origin for sheet in found.sheets for line in sheet.lines} == {"measured"}
    assert [sheet.notes for sheet in found.sheets if sheet.notes] == []
    with pytest.raises(ConfigError, match="nothing to show; name a RUN"):
        board("vocalbench-zh", [], published=False)


def test_an_imported_run_goes_by_its_name() -> None:
    run = judged("safety", "refusal_rate", [1.0] * 400, system="qwen3-omni", system_uri="imported:")
    assert board("vocalbench-zh", [run]).standings[-1].system == "qwen3-omni"


def test_another_suite_is_refused() -> None:
    with pytest.raises(ConfigError, match="no published table for suite 'starter'; there are: vocalbench-zh"):
        board("starter", [])
    run = results(items_of("safety"), [], suite="starter")
    with pytest.raises(ConfigError, match="one is a run of starter; vocalbench-zh ranks its own runs"):
        board("vocalbench-zh", [run])


def test_two_runs_stand_in_the_order_in_which_they_were_named() -> None:
    one = judged("safety", "refusal_rate", [1.0] * 400)
    other = replace(one, manifest=replace(one.manifest, system_uri="openai:other"))
    found = board("vocalbench-zh", [other, one])
    assert [one.system for one in found.entrants] == ["openai:other", "openai:some-model"]
