from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.create.source import read_source, subsets
from antiphon.bench.items import Turn
from antiphon.errors import ConfigError, DataError
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(folder: Path, *rows: dict[str, Any]) -> Path:
    return written(folder, "a.jsonl", "".join(dumps(row) + "\n" for row in rows))


def test_the_same_question_in_three_formats(tmp_path: Path):
    texts = {
        "a.jsonl": '{"Question": "Who?", "answer": "Bo", "level": "hard"}',
        "a.json": '[{"question": "Who?", "Answer": "Bo", "level": "hard"}]',
        "a.csv": "query,answer,level\nWho?,Bo,hard\n",
    }
    for name, text in texts.items():
        (draft,) = read_source(written(tmp_path, name, text), "knowledge")
        assert (draft.id, draft.question, draft.answer) == ("0000", "Who?", "Bo")
        assert (draft.language, draft.subset, draft.source) == ("en", "knowledge", "a")
        assert (draft.given, draft.extra) == ("Who?", {"level": "hard"})


def test_a_table_with_lettered_columns_is_multiple_choice(tmp_path: Path):
    path = written(tmp_path, "cmmlu.csv", "Question,A,B,C,D,Answer\n最长的河？,黄河,长江,珠江,淮河,B\n")
    (draft,) = read_source(path, "knowledge")
    assert (draft.options, draft.right, draft.answer) == (("黄河", "长江", "珠江", "淮河"), 1, "长江")
    assert draft.extra == {}


@pytest.mark.parametrize(
    ("options", "answer", "right"),
    [(["x", "y"], "(b)", 1), ({"A": "x", "B": "y"}, "A.", 0), (["x", "y"], "y", 1), (["B", "A"], "A", 0)],
)
def test_the_right_option_is_named_by_letter_or_text(tmp_path: Path, options: Any, answer: str, right: int):
    path = lines(tmp_path, {"question": "谁？", "options": options, "answer": answer})
    assert read_source(path, "knowledge")[0].right == right


def test_what_a_dialogue_needs_is_read(tmp_path: Path):
    context = [{"from": "user", "value": "你好"}, {"from": "assistant", "value": "你好！"}]
    row = {"question": "谁？", "answer": "我", "Context": context, "Category": "CM", "subset": "multi_round"}
    (draft,) = read_source(lines(tmp_path, row))
    assert draft.history == (Turn("user", "你好"), Turn("assistant", "你好！"))


def test_published_entries_come_back_as_they_were(tmp_path: Path):
    row = {
        "Set": "Emotional Empathy", "Qid": "emotion-000", "Audio": "emotion/000.wav", "Question": "为什么？",
        "Question_emo": "angry", "Score": [5, 1, 3, 5, 2],
    }  # fmt: skip
    (draft,) = read_source(written(tmp_path, "emotion.json", dumps([row])), "emotion")
    assert (draft.id, draft.emotion, draft.extra) == ("emotion-000", "angry", {"Score": [5, 1, 3, 5, 2]})


def test_mixed_speech_is_in_the_language_of_its_subset(tmp_path: Path):
    row = {"question": "what is 机器 learning and deep learning?", "answer": "x", "subset": "cs_open_ended"}
    assert read_source(lines(tmp_path, row))[0].language == "zh"


GOOD = {"question": "谁？", "answer": "我"}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"answer": "x"}, "line 1 question: is missing"),
        ({"question": " ", "answer": "x"}, "line 1 question: is empty"),
        ({"question": 3}, "line 1 question: must be a text, not int"),
        ({**GOOD, "options": ["x", "y"], "answer": 1}, "line 1 answer: must be a text, not int"),
        ({**GOOD, "options": ["x", "y"], "answer": "1"}, "line 1 answer: '1' is neither a letter nor one"),
        ({**GOOD, "options": ["x", "y"], "answer": "C"}, "line 1 answer: 'C' of 2 options"),
        ({**GOOD, "options": ["x"], "answer": "A"}, "line 1 options: must be at least two, and differ"),
        ({**GOOD, "options": ["x", "x"], "answer": "A"}, "line 1 options: must be at least two, and differ"),
        ({**GOOD, "options": "x,y", "answer": "A"}, "line 1 options: must be a list of texts"),
        ({**GOOD, "id": "../x"}, "line 1 id: '../x' cannot name a file"),
        ({**GOOD, "subset": "robust"}, "line 1 subset: robust is made from single_round"),
        ({**GOOD, "subset": "history"}, "line 1 subset: no subset 'history'; there are: knowledge, "),
        ({**GOOD, "subset": "reasoning"}, "line 1 Category: is missing; reasoning has it in the published format"),
        ({"question": "谁？"}, "line 1 Answer: is missing; general_knowledge has it"),
        ({"question": "?", "subset": "emotion", "emotion": "bored"}, "line 1 emotion: 'bored' is not among angry"),
        ({"question": "?", "subset": "emotion", "emotion": "sad"}, "line 1 Score: is missing"),
        ({**GOOD, "context": [{"from": "bot", "value": "x"}]}, "line 1 context: a turn has `from`"),
        ({**GOOD, "language": "fr"}, "line 1 language: 'fr' is not among en, zh"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_refused_with_its_place(tmp_path: Path, row: dict[str, Any], problem: str):
    path = lines(tmp_path, row)
    with pytest.raises(DataError) as caught:
        read_source(path, "general_knowledge")
    assert str(caught.value).startswith(f"{path} {problem}")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.jsonl", '{"question": "a"}\n{"question":\n', ":2: not JSON: "),
        ("a.jsonl", "[]\n", " line 1: must be an object, not list"),
        ("a.json", '{"question": "a"}', ": must be an array of objects, not dict"),
        ("a.csv", "question,answer\na,b,c\n", ":2: has more cells than the head"),
        ("a.jsonl", "\n", ": holds no questions"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, name: str, text: str, problem: str):
    path = written(tmp_path, name, text)
    with pytest.raises(DataError) as caught:
        read_source(path, "knowledge")
    assert str(caught.value).startswith(f"{path}{problem}")


def test_ids_name_one_question_each(tmp_path: Path):
    with pytest.raises(DataError, match="repeats the id 'x'"):
        read_source(lines(tmp_path, {**GOOD, "id": "x"}, {**GOOD, "id": "x"}), "knowledge")


def test_a_limit_takes_the_first(tmp_path: Path):
    path = lines(tmp_path, GOOD, {"question": "broken"})
    assert [draft.id for draft in read_source(path, "knowledge", 1)] == ["0000"]


def test_no_file_and_no_known_kind_are_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"no file .*; give JSONL, JSON or CSV"):
        read_source(tmp_path / "a.jsonl")
    with pytest.raises(ConfigError, match=r"no kind of source '.txt'"):
        read_source(written(tmp_path, "a.txt", "谁？"))


def test_disturbed_subsets_are_not_created():
    assert "knowledge" in subsets()
    assert not {"robust", "robust_clean"} & set(subsets())
