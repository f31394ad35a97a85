from __future__ import annotations

import pytest

from antiphon.text.markdown import plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("以武术闻名的佛教寺院是**少林寺**。", "以武术闻名的佛教寺院是少林寺。"),
        ("# Title\n\n- one\n* two\n1. three", "Title\n\none\ntwo\n1. three"),
        ("（*Phellodendron chinense*）的", "（Phellodendron chinense）的"),
        ("***both*** and __bold__ and _it_", "both and bold and it"),
        ("[a link](https://example.org/a_b) ![a picture](b.png)", "a link a picture"),
        ("say `code` and\n```python\nprint(1)\n```", "say code and\n\nprint(1)"),
        ("> quoted\n\n---\n***\nend", "quoted\n\n\n\nend"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a | b \n\n 1 | 2"),
        ("~~no~~ yes<br/>now", "no yes now"),
    ],
)
def test_marks_go_and_words_stay(text: str, words: str) -> None:
    assert plain(text) == words


@pytest.mark.parametrize(
    "text",
    ["5 * 3 = 15 and 2 * 2 = 4", "snake_case_name", "-5 degrees", "a < b and c > d", "C# 和 #1", "5*3"],
)
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert plain(text) == text
