from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.envs.acknowledgement.rules import rules_of
from antiphon.envs.casting import Casting
from antiphon.envs.domain import read_domain
from antiphon.envs.reward import Reward
from antiphon.envs.rewarding import RewardSettings, acknowledged, reward_run, summary
from antiphon.envs.run import EnvRun, run_rollouts
from antiphon.envs.scoring import score_run
from antiphon.envs.terms import terms_of
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from tests.envs.desk import LEND, REFUSE, open_desk, write
from tests.envs.lending import GOOD, play

SCRIPT = {"opening": "I want Emma.", "done": ["one loan"], "goodbye": "Bye."}
TASKS = (LEND | {"script": LEND["script"] | {"done": ["L101"]}}, REFUSE | {"script": SCRIPT})


async def played(folder: Path, system: str = "reference:", trials: int = 1) -> Path:
    out = folder / "run"
    await run_rollouts(EnvRun(str(write(folder, *TASKS)), out, Casting(system), trials=trials))
    return out


async def test_a_scored_run_is_rewarded_at_every_level_and_kept(tmp_path: Path):
    out = await played(tmp_path, trials=2)
    await score_run(out)
    found = await reward_run(out)
    assert read_records(out / "rewards.jsonl", Reward) == found
    assert [each.value for each in found if each.level == "dialogue"] == [1.0] * 4
    assert {each.value for each in found if each.level == "turn"} == {1.0}
    rows = {row["level"]: row for row in summary(found)}
    assert (rows["dialogue"]["rewards"], rows["dialogue"]["groups"], rows["dialogue"]["mean"]) == (4, 2, 1.0)
    assert rows["milestone"] == {
        "level": "milestone", "rewards": 0, "without": 0, "mean": None, "groups": 0, "telling_groups": 0, "reasons": {},
    }  # fmt: skip


async def test_levels_can_be_chosen(tmp_path: Path):
    out = await played(tmp_path, "reference:?flaw=hangs_up")
    await score_run(out)
    found = await reward_run(out, RewardSettings(("dialogue",)))
    assert [(each.level, each.value) for each in found] == [("dialogue", 0.0)] * 2
    turns = await reward_run(out, RewardSettings(("turn",)))
    assert [each.begin == each.end for each in turns if each.value == 0.0] == [True, True]


async def test_a_run_that_is_not_scored_says_how(tmp_path: Path):
    out = await played(tmp_path)
    with pytest.raises(ConfigError, match=f"antiphon envs score {out}"):
        await reward_run(out)
    with pytest.raises(ConfigError, match="no rollouts in"):
        await reward_run(tmp_path)


async def test_a_domain_that_has_changed_is_played_again_not_rewarded(tmp_path: Path):
    out = await played(tmp_path)
    await score_run(out)
    domain, _ = read_domain(
        write(tmp_path / "new", *TASKS, rules_md="# Another desk\n\nA member may have at most one loan.\n")
    )
    with pytest.raises(ConfigError, match="play it again"):
        await reward_run(out, domain=domain)


async def test_a_task_whose_reference_does_not_hold_gives_a_row_with_the_reason(tmp_path: Path):
    out = await played(tmp_path)
    wrong = LEND | {"expected_db": {"loans": {"L101": {"book": "B2"}}}}
    domain, _ = read_domain(write(tmp_path / "desk2", wrong, TASKS[1]))
    await score_run(out, domain=domain)
    found = [each for each in await reward_run(out, domain=domain) if each.task == "lend_emma"]
    assert [(each.value, each.level) for each in found] == [(None, "dialogue")]
    assert "its reference does not hold" in str(found[0].reason)


def test_acknowledgements_become_a_part_of_their_turns(tmp_path: Path):
    desk = open_desk(tmp_path)
    terms = terms_of(desk, desk.task("lend_emma"))
    spoken = [GOOD[0], ("assistant", "Let me look for it."), *GOOD[1:]]
    trace = play(desk, spoken)
    assert acknowledged(terms, trace, rules_of("always acknowledge")) == {
        1: {"acknowledgement": 1.0}, 5: {"acknowledgement": 0.0},
    }  # fmt: skip
    stray = replace(trace, steps=trace.steps[:2])
    assert acknowledged(terms, stray, rules_of("never acknowledge")) == {1: {"acknowledgement": 0.0}}


def reward(value: float | None, group: str = "g") -> Reward:
    reason = None if value is not None else "infrastructure"
    return Reward("dialogue", group, "desk", "t", 0, 0, "s", 0, 1, value, reason)


def test_by_hand_a_summary():
    found = summary([reward(1.0), reward(0.0), reward(None), reward(1.0, "h"), reward(1.0, "h")])[0]
    assert found == {
        "level": "dialogue", "rewards": 5, "without": 1, "mean": 0.75, "groups": 2, "telling_groups": 1,
        "reasons": {"infrastructure": 1},
    }  # fmt: skip
