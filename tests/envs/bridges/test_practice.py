from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.envs.bridges.practice import Practice, PracticeSettings
from antiphon.envs.recital import recite
from antiphon.errors import ConfigError
from antiphon.messages import ToolCall
from tests.envs.desk import LEND, REFUSE, open_desk


async def test_what_is_played_from_a_seat_gets_the_usual_verdict_and_reward(tmp_path: Path):
    practice = Practice(open_desk(tmp_path))
    good = practice.seat("lend_emma", "outside")
    passed = await practice.outcome(recite(good.episode))
    assert (passed.verdict.passed, passed.reward.value, passed.reward.level) == (True, 1.0, "dialogue")
    bad = practice.seat("lend_emma", "outside")
    await bad.open()
    await bad.act("", (ToolCall("c", "give_back", {"loan": "L9"}),))
    failed = await practice.outcome(await bad.leave())
    assert (failed.verdict.passed, failed.reward.value) == (False, 0.0)
    assert failed.verdict.writes == ("/loans/L9/book", "/loans/L9/member", "/loans/L9/weeks")


async def test_an_invalid_episode_has_no_reward(tmp_path: Path):
    judged = {**LEND, "assertions": [*LEND["assertions"], "Must be polite."]}
    practice = Practice(open_desk(tmp_path, judged))
    found = await practice.outcome(recite(practice.seat("lend_emma", "outside").episode))
    assert (found.verdict.status, found.reward.value) == ("invalid", None)
    assert found.reward.reason == "no judgement of 'Must be polite.': no judge was given"


def test_tasks_are_chosen_by_name_and_unlabelled_ones_left_out(tmp_path: Path):
    desk = open_desk(tmp_path, LEND, {**REFUSE, "expected_outcome": "unlabelled"})
    assert [task.task_id for task in Practice(desk).tasks] == ["lend_emma"]
    with pytest.raises(ConfigError, match=r"no task of desk 'refuse_second'|refuse_second.*lend_emma"):
        Practice(desk).seat("refuse_second", "outside")
    with pytest.raises(ConfigError, match="none"):
        Practice(desk, PracticeSettings(tasks=("none",)))


def test_a_domain_without_a_task_to_score_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"^desk has no task that can be scored; antiphon envs check desk$"):
        Practice(open_desk(tmp_path, {**REFUSE, "expected_outcome": "unlabelled"}))


def test_a_task_without_a_script_says_who_can_play_it(tmp_path: Path):
    with pytest.raises(ConfigError, match="refuse_second has no script; name a model"):
        Practice(open_desk(tmp_path)).seat("refuse_second", "outside")
