from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.bridges.practice import Practice
from antiphon.envs.bridges.trl_environment import CallEnvironment, environment, rows
from antiphon.errors import ConfigError
from tests.envs.bridges.tiny_grpo import calls, trainer
from tests.envs.desk import LEND, TOOLS, open_desk


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(open_desk(tmp_path, LEND))


def test_a_row_carries_the_rules_and_how_to_be_heard(practice: Practice):
    (row,) = rows(practice)
    system, user = row.pop("prompt")
    assert row == {"task_id": "lend_emma", "expected_outcome": "write", "tags": []}
    assert system["content"].startswith("# Lending desk")
    assert "Today is 2026-08-12." in system["content"]
    assert system["content"].endswith("speak with it, and call the other tools in between.")
    assert user == {"role": "user", "content": ""}


def play(desk: Any) -> list[str]:
    return [
        desk.find(title="Emma"),
        desk.say_to_user(text="What is your number?"),
        desk.say_to_user(text="Emma for 4711, is that right?"),
        desk.lend(member="4711", book="B1"),
        desk.say_to_user(text="Your loan is L101."),
    ]


def test_the_model_is_offered_the_tools_of_the_domain_and_to_speak(practice: Practice):
    public = [
        name
        for name, _ in inspect.getmembers(type(environment(practice)()), predicate=inspect.isfunction)
        if not name.startswith("_")
    ]
    assert public == ["find", "get_reward", "give_back", "lend", "reset", "say_to_user"]


def test_an_episode_is_played_through_methods(practice: Practice):
    desk = environment(practice)()
    assert desk.reset(task_id="lend_emma", prompt=[]) == "Emma, please."
    assert play(desk) == [
        '{"books":{"B1":{"title":"Emma"}}}', "4711.", "Yes.", '{"loan":"L101"}', "I'm listening."
    ]  # fmt: skip
    assert desk.get_reward() == 1.0
    assert desk.outcome is not None
    assert (desk.outcome.verdict.stop, desk.outcome.verdict.system) == ("agent_hung_up", "trl")
    assert desk.find(title="Emma") == "The call has ended. Nobody hears you any more."
    desk.reset(task_id="lend_emma")
    desk.lend(member="4711", book="B1", weeks=2)
    assert desk.lend(member="4711") == '{"error":"the call lacks book"}'
    assert desk.get_reward() == 0.0
    assert desk.outcome.reward.reason == "terminal state: /loans/L101/weeks must be 1, and is 2"


def test_two_environments_share_no_state(practice: Practice):
    make = environment(practice)
    first, second = make(), make()
    first.reset("lend_emma")
    second.reset("lend_emma")
    play(first)
    assert (first.get_reward(), second.get_reward()) == (1.0, 0.0)


def test_what_cannot_be_played_is_said(practice: Practice, tmp_path: Path):
    with pytest.raises(RuntimeError, match=r"reset\(\) comes first"):
        CallEnvironment(practice).get_reward()
    with pytest.raises(ConfigError, match="no task_id"):
        environment(practice)().reset()
    clash = open_desk(tmp_path / "clash", LEND, tools_py=TOOLS.replace("def give_back", "def reset"))
    with pytest.raises(ConfigError, match="the bridge to TRL needs the name 'reset' for itself"):
        environment(Practice(clash))


def reply(seen: str, at: int) -> str:
    """Scripted: the first of a group plays the task, the second writes without having read back."""
    done = seen.rsplit("Emma, please.", 1)[1]
    if '"L101"' in done:
        return "" if "Your loan" in done else calls("say_to_user", text="Your loan is L101.")
    if at == 1 and "find" not in done:
        return calls("lend", member="4711", book="B1")
    if "books" not in done:
        return calls("find", title="Emma")
    if "4711" not in done:
        return calls("say_to_user", text="What is your number?")
    return (
        calls("lend", member="4711", book="B1")
        if "Yes." in done
        else calls("say_to_user", text="Emma, right?")
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # TRL and what it stands on warn of each other
def test_trl_trains_a_step_on_scripted_replies_with_our_rewards(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine = trainer(tmp_path, monkeypatch, rows(practice), reply, environment_factory=environment(practice))
    before = {name: each.detach().clone() for name, each in mine.model.named_parameters()}
    mine.train()
    assert [each.outcome.verdict.passed for each in mine.environments] == [True, False]
    log = next(each for each in mine.state.log_history if "reward" in each)
    assert log["reward"] == 0.5
    assert log["tools/failure_frequency"] == 0.0
    assert log["tools/call_frequency"] == 3.5  # 5 and 2 calls
    assert any(not each.equal(before[name]) for name, each in mine.model.named_parameters())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # TRL and what it stands on warn of each other
def test_trl_trains_steps_on_what_a_tiny_random_model_says(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    config = {"max_steps": 2, "max_completion_length": 24}
    mine = trainer(
        tmp_path, monkeypatch, rows(practice), None, environment_factory=environment(practice), config=config
    )
    mine.train()
    rewards = [each["reward"] for each in mine.state.log_history if "reward" in each]
    assert rewards == [0.0, 0.0]  # it never lends a book
    assert {each.outcome.reward.reason for each in mine.environments} == {
        "terminal state: /loans/L101 must be {'member': '4711', 'book': 'B1', 'weeks': 1}, and is not there"
    }
