from __future__ import annotations

import csv
import io

from antiphon.bench.board_exports import LONG, as_csv, as_latex, as_markdown, head, text_of, title_of
from antiphon.bench.leaderboard import Sheet, Shown, board
from antiphon.bench.suites.vocalbench_zh.tables import table, tables
from tests.bench.bench_boards import judged


def _sheets(number: int) -> list[Sheet]:
    found = board("vocalbench-zh", [judged("safety", "refusal_rate", [1.0, 0.0] * 200)])
    return [sheet for sheet in found.sheets if sheet.table.table == number]


def test_a_sheet_is_named_with_its_source() -> None:
    assert title_of(_sheets(14)[0]) == (
        "Table 14: Real-time factor (arXiv 2511.08230, table 14, appendix E.9)"
    )
    assert head(table(13).column("psr")) == "Knowledge: pronunciation PSR (%)"


def test_a_cell_reads_in_one_line() -> None:
    assert text_of(Shown("78.439", 78.439, marks=(1,))) == "78.439 [1]"
    line = next(line for line in _sheets(2)[0].lines if line.origin == "measured")
    assert "50.0 ±4.9 (n 400)" in [text_of(cell) for cell in line.cells]


def test_markdown_has_published_and_measured_rows_and_the_notes() -> None:
    lines = as_markdown(_sheets(2)).splitlines()
    assert lines[0].startswith("## Table 2: ")
    assert sum(line.startswith("| ") for line in lines) == 2 + 16
    assert any(
        line.startswith("| Qwen3-Omni (published, synthetic questions) | Qwen3-30B-A3B | 91.8 |")
        for line in lines
    )
    assert any(line.startswith("| openai:some-model (measured, text only questions) |") for line in lines)
    assert lines[-1].startswith("[1] Qwen3-Omni, Overall: misprint")


def test_csv_has_one_row_a_cell_and_every_published_number_as_printed() -> None:
    sheets = board("vocalbench-zh", []).sheets
    rows = list(csv.DictReader(io.StringIO(as_csv(sheets))))
    assert set(rows[0]) == set(LONG)
    kept = {(row["table"], row["system"], row["group"], row["column"]): row["value"] for row in rows}
    assert len(rows) == sum(len(one.rows) * len(one.columns) for one in tables())
    assert kept["13", "Cascade (Qwen3-8B)", "Knowledge: semantic", "English"] == "72. 0"
    (row,) = (row for row in rows if row["table"] == "2" and row["note"])
    assert (row["system"], row["column"], row["value"]) == ("Qwen3-Omni", "Overall", "78.439")


def test_csv_keeps_a_measured_value_its_interval_and_its_n_apart() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(_sheets(2)))))
    (row,) = (row for row in rows if row["origin"] == "measured" and row["column"] == "Safety")
    assert (row["value"], row["spread"], row["n"], row["run"]) == ("50.0", "±4.9", "400", "runs/one")


def test_latex_has_a_table_for_every_sheet() -> None:
    text = as_latex(board("vocalbench-zh", []).sheets)
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == len(tables())
    assert r"S\&E" in text
