from __future__ import annotations

import pytest

from antiphon.models.clauses import Splitter, clauses_of, sayable


def split(text: str, size: int = 1) -> list[str]:
    splitter = Splitter()
    clauses = [c for at in range(0, len(text), size) for c in splitter.feed(text[at : at + size])]
    return clauses + splitter.flush()


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("北京今天多云转晴，气温大约二十五度。出门请带伞！", ["北京今天多云转晴，", "气温大约二十五度。", "出门请带伞！"]),
        ("好。明天见。", ["好。明天见。"]),
        ("Yes. It is 3.5 km from Mr. Li to St. Mary, e.g. by bus. Go now!",
         ["Yes. It is 3.5 km from Mr. Li to St. Mary,", " e.g. by bus.", " Go now!"]),
        ("1. First of all, wash it.\n2. Dry it.", ["1. First of all, wash it.", "\n2. Dry it."]),
        ("It costs 1,000 dollars. “Really?” she said. ",
         ["It costs 1,000 dollars.", " “Really?” she said.", " "]),
        ("", []),
    ],
)  # fmt: skip
def test_clauses_end_where_a_speaker_would_breathe(text, clauses):
    assert split(text) == clauses
    assert "".join(split(text, 3)) == text


def test_the_first_clause_does_not_wait_for_the_sentence():
    splitter = Splitter()
    assert splitter.feed("今天天气很好，") == ["今天天气很好，"]
    assert splitter.feed("我们去公园吧，") == []
    assert splitter.feed("好吗？") == ["我们去公园吧，好吗？"]


async def test_a_growing_text_loses_nothing():
    async def text():
        for piece in ("Hello there. ", "How ", "are you? ", "👍"):
            yield piece

    assert [clause async for clause in clauses_of(text())] == ["Hello there.", " How are you?", " 👍"]


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("**注意**：水温是 25°C 😀！", "注意：水温是 25°C ！"),
        ("## Title\n", "Title"),
        ("- [link](http://a.b/c) and `code`", "link and code"),
        ("**cut open,", "cut open,"),
        ("2 * 3 = 6", "2 * 3 = 6"),
        ("🎉🎉", ""),
        ("---\n", ""),
    ],
)
def test_marks_and_emoji_are_not_spoken(clause, words):
    assert sayable(clause) == words
