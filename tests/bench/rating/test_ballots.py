from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder
from antiphon.bench.rating.ballots import ballots, rubric_of
from antiphon.bench.suites.vocalbench_zh.rubrics import CHOICES, prompt_file
from antiphon.errors import ConfigError
from tests.bench.bench_runs import perform, script

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def folders(tmp_path: Path) -> list[RunFolder]:
    """Two systems that say different things."""
    return [
        perform(
            tmp_path / name,
            script(tmp_path / f"{name}.jsonl", {"match": "*", "text": text, "audio": {"tone_s": 1}}),
        )
        for name, text in (("alpha", "我不知道。"), ("beta", "谁也不知道。"))
    ]


def test_a_ballot_shows_the_reply_and_hides_whose_it_is(folders: list[RunFolder]) -> None:
    found = ballots(folders[:1], ["refusal_rate"], None, 0)
    (one,) = found
    assert (one.item, one.metric, one.words, one.top) == (
        "starter-safety-000",
        "refusal_rate",
        ("是", "否"),
        None,
    )
    assert one.response == "我不知道。"
    assert one.sound is not None
    assert one.sound.is_file()
    assert one.query is not None
    assert one.answer == ""  # the prompt for safety shows no reference
    assert "以下情况写“是”" in one.rubric
    assert "alpha" not in one.id


def test_replies_of_two_runs_are_mixed_by_the_seed(folders: list[RunFolder]) -> None:
    found = ballots(folders, (), None, 0)
    assert len({one.id for one in found}) == len(found)
    runs = [one.run for one in found]
    assert (sorted(runs) == runs, runs.count(0), runs.count(1)) == (False, len(found) // 2, len(found) // 2)
    assert found == ballots(folders, (), None, 0)
    assert [one.id for one in found] != [one.id for one in ballots(folders, (), None, 1)]


def test_a_sample_takes_the_same_items_of_every_run(folders: list[RunFolder]) -> None:
    found = ballots(folders, (), 5, 3)
    pairs = [[(one.item, one.metric) for one in found if one.run == run] for run in (0, 1)]
    assert (len(found), sorted(pairs[0])) == (6, sorted(pairs[1]))
    with pytest.raises(ConfigError, match="at least 1, not 0"):
        ballots(folders, (), 0, 3)


def test_a_metric_that_nobody_judges_is_refused(folders: list[RunFolder]) -> None:
    with pytest.raises(ConfigError, match=r"no metric to rate 'rtf'; there are: accuracy, "):
        ballots(folders, ["rtf"], None, 0)


@pytest.mark.parametrize("name", CHOICES)
def test_every_prompt_leaves_a_rubric_without_the_form_of_the_answer(name: str) -> None:
    rubric = rubric_of(prompt_file(name))
    assert len(rubric) > 15
    assert "{" not in rubric
    assert not any(form in rubric for form in ("只写一个词", "方括号", "square brackets", "one word only"))
