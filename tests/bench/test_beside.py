from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.beside import beside
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results


@pytest.fixture
def runs(fake_run: Callable[..., Any]) -> list[Results]:
    one: Results = fake_run(sounds=False).results()
    other = replace(one, folder=Path("runs/other"))
    return [one, other]


def test_every_metric_with_a_value_is_a_block_and_everything_its_last_row(runs: list[Results]) -> None:
    found = beside(runs)
    assert [block.info.name for block in found.blocks] == [
        "accuracy_text", "accuracy_speech", "error_rate", "distillmos", "rtf", "first_audio_s",
    ]  # fmt: skip
    assert {block.rows[-1].subset for block in found.blocks} == {"all"}
    assert {row.speech for block in found.blocks for row in block.rows} == {"synthetic"}
    assert all(one == other for block in found.blocks for one, other in (row.cells for row in block.rows))


def test_what_one_run_did_not_ask_is_none_and_not_zero(runs: list[Results]) -> None:
    one, other = runs
    part = tuple(summary for summary in other.summaries if summary.subset != "english")
    accuracy = beside([one, replace(other, summaries=part)]).blocks[0]
    cells = {row.subset: row.cells for row in accuracy.rows}
    assert cells["english"][0] is not None
    assert cells["english"][1] is None


def test_traits_say_what_differs(runs: list[Results]) -> None:
    one, other = runs
    judged = replace(other, manifest=replace(other.manifest, judge="scripted:judge", scoring="paper"))
    differ = [trait.name for trait in beside([one, judged]).traits if not trait.same]
    assert differ == ["scoring", "judge", "folder"]


def test_runs_that_cannot_stand_side_by_side_are_refused(runs: list[Results]) -> None:
    one, other = runs
    with pytest.raises(ConfigError, match="two or more"):
        beside([one])
    with pytest.raises(ConfigError, match="beside itself"):
        beside([one, one])
    elsewhere = replace(other, manifest=replace(other.manifest, suite="vocalbench-zh"))
    with pytest.raises(ConfigError, match="runs of starter and vocalbench-zh share no questions"):
        beside([one, elsewhere])
