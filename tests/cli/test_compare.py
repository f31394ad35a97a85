from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.bench_runs import own_suite, script
from tests.cli.commands import SCRIPTED, antiphon

pytestmark = pytest.mark.usefixtures("own_cache")


def made(folder: Path, name: str, text: str) -> Path:
    """A run over twelve questions with one answer to them all."""
    suite = own_suite(folder / "suite", *[{}] * 12)
    system = script(folder / f"{name}.jsonl", {"match": "*", "text": text, "audio": {"tone_s": 2}})
    out = folder / name
    options = ("--suite", suite, "--speak-missing", *SCRIPTED, "--out", out)
    assert antiphon("run", "--system", system, *options).code == 0
    return out


def test_a_regression_beyond_chance_exits_with_one_and_no_regression_with_none(tmp_path: Path) -> None:
    good, bad = made(tmp_path, "good", "是北京。"), made(tmp_path, "bad", "是上海。")
    worse = antiphon("compare", good, bad)
    assert worse.code == 1
    assert worse.out.splitlines()[-1].startswith(
        "Worse beyond chance: keyword_accuracy, keyword_accuracy_s2s"
    )
    better = antiphon("compare", bad, good)
    same = antiphon("compare", good, good)
    assert same.out.splitlines()[-1] == "No significant regression."
    assert same.code == 0
    assert "keyword_accuracy" not in better.out.splitlines()[-1]


def test_a_program_gets_one_object_and_the_same_exit_code(tmp_path: Path) -> None:
    good, bad = made(tmp_path, "good", "是北京。"), made(tmp_path, "bad", "是上海。")
    done = antiphon("compare", good, bad, "--json")
    assert done.code == 1
    assert done.json["regressions"][:2] == ["keyword_accuracy", "keyword_accuracy_s2s"]
    row = next(row for row in done.json["overall"] if row["metric"] == "keyword_accuracy")
    assert (row["a"], row["b"], row["n"], row["test"]) == (1.0, 0.0, 12, "mcnemar")


def test_a_missing_run_is_refused(tmp_path: Path) -> None:
    done = antiphon("compare", tmp_path / "a", tmp_path / "b")
    assert (done.code, done.complaint.startswith("antiphon: no run in ")) == (2, True)
