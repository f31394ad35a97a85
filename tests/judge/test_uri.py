from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.judge.judge import Ask
from antiphon.judge.prompt import Prompt
from antiphon.judge.uri import open_judge

KNOWLEDGE = Prompt("knowledge", "{question}|{answer}|{response} 正确 错误", ("正确", "错误"))


async def test_any_chat_model_can_judge(tmp_path: Path):
    script = tmp_path / "judge.jsonl"
    script.write_text('{"match": "北京。", "text": "正确"}\n{"text": "错误"}\n', encoding="utf-8")
    judge = open_judge(f"scripted:{script}", VirtualClock())
    right = await judge.verdict(Ask(KNOWLEDGE, {"question": "？", "answer": "北京", "response": "北京。"}))
    wrong = await judge.verdict(Ask(KNOWLEDGE, {"question": "？", "answer": "北京", "response": "上海。"}))
    assert (right.value, wrong.value) == (True, False)
    assert right.judge.startswith("scripted:")
    assert judge.refusal(Prompt("single_round", "{response}")) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("llama:qwen2.5-coder-0.5b", "no better than chance"),
        ("llama:", "no better than chance"),
        ("embedded:other", "takes no more words"),
        ("judge", "names no model"),
        ("nobody:", "nobody:"),
    ],
)
def test_a_name_that_is_no_judge_is_refused(text: str, problem: str):
    with pytest.raises(ConfigError, match=problem):
        open_judge(text, VirtualClock())
