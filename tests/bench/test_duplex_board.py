from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.bench.board_exports import as_markdown
from antiphon.bench.board_pages import write
from antiphon.bench.duplex_board import SOURCE, SOURCES, duplex_board, duplex_tables
from antiphon.bench.folder import load
from antiphon.bench.results import Results
from antiphon.bench.suites.full_duplex.subsets import VERSIONS
from antiphon.bench.suites.full_duplex.suite import metrics
from antiphon.errors import ConfigError
from antiphon.stats import Summary
from tests.bench.bench_runs import perform


def run_of(tmp_path: Path, suite: str = "full-duplex-1.5") -> Results:
    """A run of another suite that says it is one of full-duplex, with one row that Table 10 shows."""
    done = load(perform(tmp_path / "run").path)
    row = Summary("resume", "user_backchannel", 0.96, 0.9, 0.99, "wilson", 99)
    return replace(done, manifest=replace(done.manifest, suite=suite, scoring="paper"), summaries=(row,))


def test_the_tables_stand_as_printed():
    ten, eleven = duplex_tables()
    assert (len(ten.columns), len(eleven.columns), len(ten.rows), len(eleven.rows)) == (24, 11, 4, 4)
    assert ten.cell("Qwen-Audio-3.0-Realtime", "pause_candor_tor") == "0.1100"
    assert ten.cell("Qwen-Audio-3.0-Realtime", "interruption_response_latency") == "1.9432"
    assert ten.cell("SeedDuplex 1.2.6.1", "others_respond") == "0.8100"
    assert eleven.cell("Qwen-Audio-3.1-Realtime", "multi_party_point") == "0.9943"
    assert eleven.cell("GPT-Realtime-2", "filler") == "1.0000"
    assert [ten.column(key).better for key in ("interruption_stop_latency", "backchannel_stop_latency")] == [
        "lower", "higher",
    ]  # fmt: skip


def test_every_column_is_filled_by_a_metric_and_subset_that_exist_but_for_the_set_that_is_not_public():
    names = {metric.info.name for version in VERSIONS for metric in metrics(version)["paper"]}
    subsets = {subset.name for of in VERSIONS.values() for subset in of}
    columns = {column.key for one in duplex_tables() for column in one.columns}
    assert set(SOURCES) == columns - {
        "multi_party_session", "multi_party_point", "semantic_session", "semantic_point",
    }  # fmt: skip
    assert {metric for metric, _ in SOURCES.values()} <= names
    assert {subset for _, subset in SOURCES.values()} <= subsets


@pytest.mark.usefixtures("own_cache")
def test_a_run_stands_unranked_in_the_table_that_it_measures_something_of(tmp_path: Path):
    mine_run = run_of(tmp_path)
    found = duplex_board([mine_run])
    assert [len(sheet.lines) for sheet in found.sheets] == [5, 4]
    mine = found.sheets[0].lines[-1]
    shown = dict(zip((column.key for column in found.sheets[0].table.columns), mine.cells, strict=True))
    assert (shown["backchannel_resume"].text, shown["backchannel_resume"].number) == ("0.9600", 0.96)
    assert shown["backchannel_respond"].text == "not measured"
    assert (mine.rank, mine.scripted) == (None, True)
    assert "the scripts take parakeet-tdt-0.6b-v2; the judge's prompt is ours" in mine.unranked
    assert "scoring is" not in mine.unranked
    alone = duplex_board([mine_run], published=False)
    assert [len(sheet.lines) for sheet in alone.sheets] == [1]
    page = write(found, "full-duplex", tmp_path / "board.html", source=SOURCE).read_text("utf-8")
    assert "Qwen-Audio-3.1-Realtime, section 6.4, as printed" in page
    assert "Overall =" not in page
    assert "(published)" in as_markdown(found.sheets)


@pytest.mark.usefixtures("own_cache")
def test_a_run_of_our_open_sets_stands_in_a_table_of_its_own(tmp_path: Path):
    done = run_of(tmp_path, "full-duplex-open")
    rows = (
        Summary("session_pass", "multi-party", 0.9, 0.8, 0.95, "wilson", 100),
        Summary("did_respond", "talking-to-others", 0.02, 0.0, 0.07, "wilson", 100),
    )
    found = duplex_board([replace(done, summaries=rows)], published=False)
    [sheet] = found.sheets
    cells = {
        column.key: cell.text for column, cell in zip(sheet.table.columns, sheet.lines[0].cells, strict=True)
    }
    assert cells["session_pass multi-party"] == "0.9000"
    assert cells["did_respond talking-to-others"] == "0.0200"
    assert cells["point_pass multi-party"] == "not measured"
    assert "nothing is published to rank against" in sheet.lines[0].unranked
    metric_names = {metric.info.name for metric in metrics("open")["strict"]}
    assert {column.key.split()[0] for column in sheet.table.columns} <= metric_names
    assert (
        as_markdown(found.sheets)
        .lstrip("# ")
        .startswith("Our open sets (multi-party, semantic-control, fdb-like)")
    )


@pytest.mark.usefixtures("own_cache")
def test_a_run_of_another_suite_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="is a run of starter; full-duplex shows its own runs"):
        duplex_board([run_of(tmp_path, "starter")])
    with pytest.raises(ConfigError, match="nothing to show"):
        duplex_board([], published=False)
