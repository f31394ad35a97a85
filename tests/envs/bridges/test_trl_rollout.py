from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from antiphon.envs.bridges.practice import Practice
from antiphon.envs.bridges.seat import Seat
from antiphon.envs.bridges.trl_rollout import Line, Template, episode_reward, keys, rollout_func
from antiphon.errors import ConfigError, ModelError
from antiphon.partner.partner import PartnerTurn
from tests.envs.bridges.tiny_grpo import calls, tokenizer, trainer
from tests.envs.desk import LEND, open_desk

USUAL = pytest.mark.filterwarnings("default")  # TRL and what it stands on warn of each other


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(open_desk(tmp_path, LEND))


def test_a_row_is_a_key_and_the_reward_comes_with_the_episode(practice: Practice):
    assert keys(practice) == [
        {"prompt": [{"role": "user", "content": "task:lend_emma"}], "task_id": "lend_emma"}
    ]
    assert episode_reward(episode=[1.0, None, 0.0], prompts=[]) == [1.0, None, 0.0]


def test_a_prompt_that_is_no_key_is_refused(practice: Practice):
    pytest.importorskip("trl", reason="needs the extra: pip install 'antiphon[trl]'")

    class Trainer:
        processing_class = tokenizer(["Emma"])
        chat_template_kwargs: ClassVar[dict[str, Any]] = {}

    for prompt in ([{"role": "user", "content": "Hello"}], []):
        with pytest.raises(ConfigError, match="a prompt is task:ID, not"):
            rollout_func(practice)([prompt], Trainer())


async def test_what_was_sampled_is_kept_token_by_token_and_what_was_heard_is_masked(practice: Practice):
    words = tokenizer([practice.domain.rules])
    template = Template(words, {})
    line = Line(practice.seat("lend_emma", "trl"), template)
    await line.open()
    opening = words.decode(line.prompt_ids)
    assert opening.startswith("<|im_start|>system\n# Lending desk")
    assert '"name": "end_call"' in opening
    assert opening.endswith("<|im_start|>user\nEmma, please.<|im_end|>\n<|im_start|>assistant\n")
    first = words.encode(calls("find", title="Emma") + "<|im_end|>")
    await line.answer(first, [-1.0] * len(first), 500)
    second = words.encode("What is your number?")  # broken off: no end token
    await line.answer(second, [-2.0] * len(second), 400)
    assert words.decode(line.completion_ids) == (
        '<tool_call>\n{"name": "find", "arguments": {"title": "Emma"}}\n</tool_call><|im_end|>\n'
        '<|im_start|>user\n<tool_response>\n{"books":{"B1":{"title":"Emma"}}}\n</tool_response><|im_end|>\n'
        "<|im_start|>assistant\nWhat is your number?<|im_end|>\n"
        "<|im_start|>user\n4711.<|im_end|>\n<|im_start|>assistant\n"
    )
    sampled = [each for each, mine in zip(line.completion_ids, line.mask, strict=True) if mine]
    assert sampled == first + second
    assert [each for each in line.logprobs if each] == [-1.0] * len(first) + [-2.0] * len(second)
    assert len(line.logprobs) == len(line.completion_ids)
    assert not line.over
    await line.answer(first, [-1.0] * len(first), 3)
    assert line.over
    assert line.completion_ids[-3:] == first[:3]
    trace = await line.seat.leave()
    assert (trace.stop, trace.why) == ("turn_limit", "the trainer's limit of tokens was reached")
    assert [step.text or (step.call and step.call["name"]) for step in trace.steps] == [
        "Emma, please.", "find", "What is your number?", "4711.",
    ]  # fmt: skip


async def test_a_call_that_never_comes_about_trains_nothing(practice: Practice):
    class Broken:
        name = "broken"

        async def turn(self, dialogue: object) -> PartnerTurn:
            raise ModelError("broken", "no answer")

        def snapshot(self) -> bytes:
            return b""

        def restore(self, state: bytes) -> None: ...

    words = tokenizer([practice.domain.rules])
    line = Line(Seat(practice.domain, practice.tasks[0], Broken(), "trl"), Template(words, {}))
    await line.open()
    assert (line.over, line.mask, line.completion_ids) == (True, [0], [words.eos_token_id])
    outcome = await practice.outcome(await line.seat.leave())
    assert (outcome.reward.value, outcome.verdict.stop) == (None, "infrastructure")


def reply(seen: str, at: int) -> str:
    """Scripted: the first of a group plays the task, the second hangs up at once."""
    done = seen.rsplit("Emma, please.", 1)[1]
    if at == 1 and "assistant" in done and "find" not in done and "books" not in done:
        return calls("end_call")
    if '"L101"' in done:
        return calls("end_call") if "Your loan" in done else "Your loan is L101."
    if "books" not in done:
        return calls("find", title="Emma")
    if "4711" not in done:
        return "What is your number?"
    return calls("lend", member="4711", book="B1") if "Yes." in done else "Emma, right?"


@pytest.mark.slow
@USUAL
def test_trl_trains_a_step_on_whole_calls(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine = trainer(
        tmp_path, monkeypatch, keys(practice), reply,
        rollout_func=rollout_func(practice), reward_funcs=episode_reward,
    )  # fmt: skip
    before = {name: each.detach().clone() for name, each in mine.model.named_parameters()}
    mine.train()
    log = next(each for each in mine.state.log_history if "reward" in each)
    assert (log["reward"], log["reward_std"] > 0) == (0.5, True)
    assert any(not each.equal(before[name]) for name, each in mine.model.named_parameters())


@pytest.mark.slow
@USUAL
def test_a_tiny_random_model_plays_calls_to_the_limit_of_its_tokens(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine = trainer(
        tmp_path, monkeypatch, keys(practice), None, config={"max_completion_length": 24},
        rollout_func=rollout_func(practice), reward_funcs=episode_reward,
    )  # fmt: skip
    mine.train()
    assert [each["reward"] for each in mine.state.log_history if "reward" in each] == [0.0]
