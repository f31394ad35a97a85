from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import full_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_run_killed_in_the_middle_ends_like_one_left_alone(data: Path, tmp_path: Path) -> None:
    texts = data / "vocalbench-zh"
    if not texts.is_dir():
        pytest.skip(f"no VocalBench-zh in {texts}")
    found = full_run._measured(tmp_path, texts, 600)
    assert (found["items"], found["identical"]) == (600, True)
    assert 0 < found["takes_when_killed"] < 600


def test_what_differs_from_run_to_run_is_left_out_of_the_comparison(tmp_path: Path) -> None:
    path = tmp_path / "takes.jsonl"
    path.write_text('{"item": "a", "meta": {"made_at": "now"}}\n{"item": "b"}\n', encoding="utf-8")
    assert full_run._kept(path) == [{"item": "a"}, {"item": "b"}]
