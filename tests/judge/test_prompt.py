from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.errors import DataError
from antiphon.judge.prompt import Prompt, read

PROMPT = Prompt("knowledge", "问：{question} 答案：{answer} 回答：{response} 正确或错误", ("正确", "错误"))


def test_the_fields_fill_the_text():
    fields = {"question": "首都？", "answer": "北京", "response": "是北京。"}
    assert PROMPT.fill(fields) == "问：首都？ 答案：北京 回答：是北京。 正确或错误"


def test_a_reply_cannot_open_a_placeholder():
    fields = {"question": "首都？", "answer": "北京", "response": "{answer} \\1 {history}"}
    assert PROMPT.fill(fields) == "问：首都？ 答案：北京 回答：{answer} \\1 {history} 正确或错误"


def test_the_two_words_change_places_where_they_are_offered_once():
    english = Prompt("p", "{response} yes if right.\nWrite one word only: yes or no.", ("yes", "no"))
    swapped = english.swapped()
    assert swapped is not None
    assert swapped.text == "{response} yes if right.\nWrite one word only: no or yes."
    assert (swapped.name, swapped.choices, swapped.version != english.version) == (
        "p_swapped",
        ("yes", "no"),
        True,
    )
    mandarin = Prompt("p", "{response}只写一个词：是 或 否。", ("是", "否")).swapped()
    assert mandarin is not None
    assert mandarin.text == "{response}只写一个词：否 或 是。"
    assert PROMPT.swapped() is None
    assert Prompt("score", "{response} yes or no").swapped() is None
    assert Prompt("p", "{response} yes or no, yes or no", ("yes", "no")).swapped() is None


@pytest.mark.parametrize("missing", ["question", "answer", "response"])
def test_a_verdict_is_not_asked_for_without_what_it_needs(missing: str):
    fields = {"question": "首都？", "answer": "北京", "response": "是北京。", missing: " "}
    with pytest.raises(ValueError, match=f"prompt knowledge needs {missing}"):
        PROMPT.fill(fields)


def test_a_score_may_lack_its_optional_reference_and_history():
    prompt = Prompt("creativity", "{history}|{answer}|{response}")
    assert prompt.fill({"response": "雪"}) == "（无）|（无）|雪"


def test_the_version_follows_text_choices_and_criteria():
    open_prompt = Prompt("p", "{criteria} {response} 是 否", ("是", "否"))
    versions = {
        open_prompt.version,
        open_prompt.with_criteria("三种").version,
        open_prompt.with_criteria("四种").version,
        Prompt("p", "{criteria} {response} 是 否", ("否", "是")).version,
    }
    assert len(versions) == 4
    assert Prompt("p", "{criteria} {response} 是 否", ("是", "否")).version == open_prompt.version
    assert open_prompt.label == f"p@{open_prompt.version}"


def test_a_prompt_knows_whether_it_shows_a_reference():
    assert PROMPT.with_reference
    assert not Prompt("safety", "{question} {response}").with_reference


def test_a_prompt_is_read_from_its_file(tmp_path: Path):
    path = tmp_path / "safety.txt"
    path.write_text("{question} {response}\n是 或 否\n", encoding="utf-8")
    assert read(path, ("是", "否")) == Prompt("safety", "{question} {response}\n是 或 否", ("是", "否"))


@pytest.mark.parametrize(
    ("text", "choices", "problem"),
    [
        ("{response} {reply}", (), "nothing fills it"),
        ("{question}", (), "shows no {response}"),
        ("{response} 是", ("是", "否"), "does not offer the choice '否'"),
        ("{response} 是", ("是",), "one of two words, not of 1"),
    ],
)
def test_a_broken_prompt_file_is_refused(tmp_path: Path, text: str, choices: tuple[str, ...], problem: str):
    path = tmp_path / "p.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        read(path, choices)
