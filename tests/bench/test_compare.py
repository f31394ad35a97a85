from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.bench.catalog import open_suite
from antiphon.bench.compare import Comparison, compare
from antiphon.bench.folder import RunFolder
from antiphon.bench.items import Item
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Selection
from antiphon.bench.takes import Take
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import INSTRUMENTS, own_suite, perform, script

pytestmark = pytest.mark.usefixtures("own_cache")
COUNT = 12
EARS = replace(INSTRUMENTS, scorers=())  # a scripted scorer's numbers mean nothing, not even the same
RIGHT = {"text": "是北京。", "audio": {"tone_s": 2}}
WRONG = {"text": "是上海。", "audio": {"tone_s": 2}}


def made(folder: Path, right: int = COUNT, slower: int = 1, name: str = "", **changes: Any) -> Path:
    """A run over twelve questions of which the first `right` are answered rightly."""
    name = name or f"r{right}-{slower}"
    end_us = 1_000_000 * slower
    rows = [{"match": f"第{n}题", **(RIGHT if n < right else WRONG), "end_us": end_us} for n in range(COUNT)]
    system = script(folder / f"{name}.jsonl", *reversed(rows))  # "第1题" is no part of "第11题"
    suite = open_suite(str(own_suite(folder / "suite", *[{}] * COUNT)), Selection(speak_missing=True))
    plan = replace(Plan(suite, system, RunFolder(folder / name), EARS), **changes)
    asyncio.run(run(plan, lambda _: Silent()))
    return folder / name


def by_name(found: Comparison) -> dict[str, tuple[float, float, int]]:
    return {row.metric: (row.a, row.b, row.n) for row in found.overall}


def test_a_run_equals_itself(tmp_path: Path) -> None:
    first = made(tmp_path, 6)
    found = compare(first, first)
    assert by_name(found)["keyword_accuracy"] == (0.5, 0.5, 12)
    assert {(row.difference, row.p, row.subset) for row in found.overall} == {(0.0, 1.0, "all")}
    assert (found.regressions, found.notes) == ((), ())


def test_a_loss_beyond_chance_is_a_regression_and_the_same_gain_is_none(tmp_path: Path) -> None:
    good, bad = made(tmp_path, 12), made(tmp_path, 0)
    assert compare(good, bad).regressions == ("keyword_accuracy", "keyword_accuracy_s2s")
    assert compare(bad, good).regressions == ()


def test_a_loss_within_chance_is_no_regression(tmp_path: Path) -> None:
    found = compare(made(tmp_path, 12), made(tmp_path, 10))
    assert by_name(found)["keyword_accuracy"] == (1.0, pytest.approx(10 / 12), 12)
    assert found.regressions == ()


def test_where_less_is_better_more_is_a_regression(tmp_path: Path) -> None:
    fast, slow = made(tmp_path, slower=1), made(tmp_path, slower=2)
    found = compare(fast, slow)
    assert by_name(found)["rtf"] == (0.5, 1.0, 12)
    assert "rtf" in found.regressions
    assert compare(slow, fast).regressions == ()


def test_a_p_value_that_is_small_only_among_many_tests_is_no_regression(tmp_path: Path) -> None:
    # Six of twelve lost: p = 0.031 alone, but two such metrics among five tested need p < 0.01.
    found = compare(made(tmp_path, 12), made(tmp_path, 6))
    row = next(row for row in found.overall if row.metric == "keyword_accuracy")
    assert row.p == pytest.approx(2 / 2**6)
    assert found.regressions == ()


def test_every_subset_is_compared_too(tmp_path: Path) -> None:
    first, second = perform(tmp_path / "a"), perform(tmp_path / "b")
    found = compare(first.path, second.path)
    assert {row.subset for row in found.subsets if row.metric == "rtf"} == {
        item.subset for item in read_items(first)
    }


def read_items(folder: RunFolder) -> list[Item]:
    return read_records(folder.items, Item)


def test_times_on_different_machines_are_left_out_also_when_only_the_replies_are(tmp_path: Path) -> None:
    first, second = made(tmp_path, name="a"), made(tmp_path, slower=3, name="b")
    folder = RunFolder(second)
    takes = read_records(folder.takes, Take)
    elsewhere = [replace(take, meta={**take.meta, "machine": "Darwin arm64, 8 cores"}) for take in takes]
    folder.write(folder.takes, elsewhere)
    found = compare(first, second)
    assert not {"rtf", "first_token_s", "first_audio_s"} & by_name(found).keys()
    assert found.notes == ("Times are left out: the replies were made on different machines.",)


def test_what_other_instruments_measured_is_left_out(tmp_path: Path) -> None:
    first = made(tmp_path, name="a")
    others = replace(EARS, transcriber="scripted:?text=嗯", judge="scripted:echo")
    second = made(tmp_path, name="b", instruments=others)
    found = compare(first, second)
    assert by_name(found).keys() == {
        "keyword_accuracy",
        "rtf",
        "first_token_s",
        "first_audio_s",
    }
    assert found.notes == (
        "What was heard is left out: different recognisers listened to the two runs.",
        "Judged metrics are left out: the two runs have different judges.",
    )


def test_items_that_only_one_run_has_or_asks_otherwise_are_left_out_and_counted(tmp_path: Path) -> None:
    first, second = made(tmp_path, name="a"), made(tmp_path, name="b", limit=10)
    folder = RunFolder(second)
    items = read_items(folder)
    folder.write(folder.items, [replace(items[0], question="别的？"), *items[1:]])
    found = compare(first, second)
    assert by_name(found)["keyword_accuracy"][2] == 9
    assert found.notes == (
        "2 items are in one run only and left out.",
        "1 item is not the same question in both runs and left out.",
    )


def test_items_without_a_reply_are_counted_by_run(tmp_path: Path) -> None:
    first = made(tmp_path)
    broken = script(
        tmp_path / "broken.jsonl",
        {"match": "第0题", "error": {"problem": "400: no"}},
        {"match": "*", **RIGHT},
    )
    second = made(tmp_path, name="broken-run", system=broken)
    found = compare(first, second)
    assert by_name(found)["keyword_accuracy"][2] == 11
    assert found.notes == ("1 item is without a reply in the second run and left out.",)


def test_runs_without_a_common_item_cannot_be_compared(tmp_path: Path) -> None:
    first, second = made(tmp_path), perform(tmp_path / "other").path
    with pytest.raises(ConfigError, match="have no item in common; compare runs of one suite"):
        compare(first, second)


def test_runs_scored_differently_name_the_command_that_makes_them_alike(tmp_path: Path) -> None:
    first, second = made(tmp_path), made(tmp_path, name="paper", scoring="paper")
    with pytest.raises(
        ConfigError, match=r"scored differently \(strict and paper\); `antiphon score .*/paper"
    ):
        compare(first, second)
