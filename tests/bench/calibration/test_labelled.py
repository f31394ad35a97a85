from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.calibration.labelled import Labelled, Labels, language_of, read_labels
from antiphon.errors import ConfigError, DataError
from antiphon.judge.prompt import Prompt

YES = Prompt("p", "{question}{response} yes no", ("yes", "no"))
SCORE = Prompt("s", "{question}{history}{response}")


def labels(folder: Path, *lines: str) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_rows_become_asks_with_their_labels(tmp_path: Path) -> None:
    path = labels(
        tmp_path,
        '{"question": "首都？", "response": "北京。", "label": true}',
        '{"id": "x", "question": "?", "response": "no idea", "label": "错误"}',
    )
    found = read_labels(path, lambda _: YES)
    assert found == Labels(
        "mine",
        (
            Labelled("1", {"question": "首都？", "response": "北京。"}, label=True, length=3),
            Labelled("x", {"question": "?", "response": "no idea"}, label=False, length=7),
        ),
        YES,
    )
    assert [ask.prompt.fill(ask.fields) for ask in found.asks(YES)] == [
        "首都？北京。 yes no",
        "?no idea yes no",
    ]


def test_a_history_may_be_a_list_of_turns(tmp_path: Path) -> None:
    row = '{"question": "q", "response": "r", "label": 4, "history": [{"role": "user", "text": "hi"}]}'
    found = read_labels(labels(tmp_path, row), lambda _: SCORE)
    assert (found.rows[0].label, found.rows[0].fields["history"]) == (4.0, "user: hi")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"response": "r", "label": true}', "mine.jsonl:2: prompt p needs question"),
        ('{"question": "q", "label": true}', "mine.jsonl:2 response: is missing"),
        ('{"question": "q", "response": "r", "label": 6}', "mine.jsonl:2 label: 6 is neither true, false"),
        ('{"question": "q", "response": "r"}', "mine.jsonl:2 label: None is neither"),
        (
            '{"question": "q", "response": "r", "label": 3}',
            "mine.jsonl:2 label: yes or no in one row, a number",
        ),
        ('{"question": 5, "response": "r", "label": true}', "mine.jsonl:2 question: must be a text, not 5"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: str, problem: str) -> None:
    path = labels(tmp_path, '{"question": "q", "response": "r", "label": false}', row)
    with pytest.raises(DataError) as refused:
        read_labels(path, lambda _: YES)
    assert problem in str(refused.value)


def test_a_prompt_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    path = labels(tmp_path, '{"question": "q", "response": "r", "label": true}')
    with pytest.raises(DataError, match="prompt s asks for a score from 1 to 5"):
        read_labels(path, lambda _: SCORE)
    with pytest.raises(DataError, match="holds no labelled reply"):
        read_labels(labels(tmp_path), lambda _: YES)
    with pytest.raises(ConfigError, match="labels are a JSONL file"):
        read_labels(tmp_path / "none.jsonl", lambda _: YES)


def test_a_smaller_choice_is_part_of_a_larger_one() -> None:
    every = Labels("set", tuple(Labelled(str(n), {}, label=True, length=1) for n in range(30)), YES)
    five, ten = ({row.id for row in every.some(limit).rows} for limit in (5, 10))
    assert (len(five), len(ten), five < ten) == (5, 10, True)
    assert five != {str(n) for n in range(5)}
    assert every.some(None) == every.some(99) == every
    with pytest.raises(ConfigError, match="at least 1"):
        every.some(0)


def test_the_language_is_that_of_most_rows() -> None:
    zh, en = (Labelled("1", {"response": text}, label=True, length=1) for text in ("你好", "hello"))
    assert (language_of([zh, zh, en]), language_of([zh, en, en])) == ("zh", "en")
