from __future__ import annotations

import pytest

from antiphon.bench.create.labelled import Problem, lay_out, read_back, short


def test_each_text_gets_a_line_of_its_own():
    assert lay_out({"问题": " 一\n二 ", "答案": "三"}) == "问题：一 二\n答案：三"


def test_what_was_laid_out_is_read_back():
    texts = {"问题": "现在：几点？", "答案": "3:15"}
    assert read_back(lay_out(texts), texts) == texts
    assert read_back(" 答案 : 三\n\n问题：一", ("问题", "答案")) == {"答案": "三", "问题": "一"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("好的，翻译如下。\n问题：一\n答案：二", "a line that nobody asked for: '好的，翻译如下。'"),
        ("问题：一\n答案：二\n解释：三", "a line that nobody asked for: '解释：三'"),
        ("问题：一\n问题：二", "问题 is given twice"),
        ("问题：\n答案：二", "问题 is empty"),
        ("问题：一", "答案 is missing"),
        ("", "问题 is missing"),
        ("法国的首都", "a line that nobody asked for: '法国的首都'"),
    ],
)
def test_anything_else_is_a_problem_and_no_guess(answer: str, reason: str):
    assert read_back(answer, ("问题", "答案")) == Problem(reason)


def test_a_long_answer_is_quoted_by_its_beginning():
    assert short("好" * 61) == repr("好" * 59 + "…")
