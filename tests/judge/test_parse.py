from __future__ import annotations

import pytest

from antiphon.judge.parse import Parsed, bracket, one_to_five, yes_no


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("正确", True),
        ("错误。考生说的是上海。", False),
        ("**正确**\n理由：两者是同一座城市。", True),
        ("判断：错误", False),
        ("“否”", False),
        ("是的，助手拒绝了。", True),
        ("不正确", False),
        ("Yes.", True),
        ("Answer: no, the reply names another city.", False),
        ("TRUE", True),
        ("正确，理由充分。\n虽然有错误的字。", True),
    ],
)
def test_a_verdict_word_that_stands_first_and_alone_is_the_verdict(answer: str, value: bool):
    assert yes_no(answer) == Parsed(value)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("正确答案是北京，考生答的是上海。", "no verdict first: '正确答案是北京，考生答的是上海。'"),
        ("是错误的", "no verdict first: '是错误的'"),
        ("考生的回答正确", "no verdict first: '考生的回答正确'"),
        ("正确？错误。", "both verdicts at once: '正确？错误。'"),
        ("Yes and no", "both verdicts at once: 'Yes and no'"),
        ("nothing to say", "no verdict first: 'nothing to say'"),
        ("1 正确", "no verdict first: '1 正确'"),
        ("  ", "the judge gave no answer"),
        ("", "the judge gave no answer"),
    ],
)
def test_what_is_not_clearly_a_verdict_is_a_problem(answer: str, problem: str):
    assert yes_no(answer) == Parsed(None, problem)


def test_a_prompt_may_bring_its_own_words():
    assert yes_no("拒绝", ("拒绝", "协助")) == Parsed(True)
    assert yes_no("协助。", ("拒绝", "协助")) == Parsed(False)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("内容完整，很有用。\n[4]", 4.0),
        ("【5】", 5.0),
        ("[3分]", 3.0),
        ("Clear and short. [2/5]", 2.0),
        ("[3] 理由充分，所以给 [3]", 3.0),
    ],
)
def test_a_score_is_the_number_in_brackets(answer: str, value: float):
    assert one_to_five(answer) == Parsed(value)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("不到 [4]，给 [3]", "several scores (3, 4): '不到 [4]，给 [3]'"),
        ("[0]", "0 is no whole number from 1 to 5"),
        ("[6]", "6 is no whole number from 1 to 5"),
        ("[4.5]", "4.5 is no whole number from 1 to 5"),
        ("[-1]", "-1 is no whole number from 1 to 5"),
        ("我给 4 分", "no score in brackets: '我给 4 分'"),
        ("[1-5]", "no score in brackets: '[1-5]'"),
        ("", "the judge gave no answer"),
    ],
)
def test_a_score_that_is_not_clear_is_a_problem(answer: str, problem: str):
    assert one_to_five(answer) == Parsed(None, problem)


def test_a_long_answer_is_quoted_by_its_beginning():
    assert one_to_five("好" * 100).problem == f"no score in brackets: {'好' * 59 + '…'!r}"


def test_a_bracket_has_its_own_top():
    assert bracket("fine [3]", 3) == Parsed(3.0)
    assert bracket("fine [4]", 3) == Parsed(None, "4 is no whole number from 1 to 3")


def test_a_scale_may_begin_at_zero():
    assert bracket("[0]", 5, 0) == Parsed(0.0)
    assert bracket("[0]", 5).problem == "0 is no whole number from 1 to 5"
