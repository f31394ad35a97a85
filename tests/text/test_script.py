from __future__ import annotations

import pytest

from antiphon.text.script import Run, is_han, language_of, runs, simplify


@pytest.mark.parametrize(
    ("text", "simplified"),
    [
        ("少林寺位於中國河南省", "少林寺位于中国河南省"),
        ("乾隆皇帝擦乾頭髮", "乾隆皇帝擦干头发"),
        ("著名的顯著特徵", "著名的显著特征"),
        ("他帶著希望圍繞著太陽轉", "他带着希望围绕着太阳转"),
        ("看著她的名著，別著急", "看着她的名著，别着急"),
        ("already simple 已经简体", "already simple 已经简体"),
        ("", ""),
    ],
)
def test_traditional_becomes_simplified_by_whole_words(text: str, simplified: str) -> None:
    assert simplify(text) == simplified


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我用Python写代码", "zh"),
        ("He said 你好 to me and left", "en"),
        ("Hello, it's me.", "en"),
        ("你好", "zh"),
        ("OK 好", "zh"),
        ("15", "zh"),
        ("", "zh"),
        ("Genshin Impact is called 原神", "en"),
    ],
)
def test_a_text_has_the_language_that_fills_it(text: str, language: str) -> None:
    assert language_of(text) == language


def test_runs_change_with_the_script() -> None:
    assert runs("“我用 Python3 写了2个 program。”") == [
        Run("zh", "“我用 "),
        Run("en", "Python3 "),
        Run("zh", "写了2个 "),
        Run("en", "program。”"),
    ]


@pytest.mark.parametrize("text", ["", "3.14!", "  a", "你a好b", "𠮷野家 and é"])
def test_joined_runs_are_the_text(text: str) -> None:
    assert "".join(run.text for run in runs(text)) == text


def test_a_text_without_letters_is_one_run_mandarin_unless_said() -> None:
    assert runs("3.14!") == [Run("zh", "3.14!")]
    assert runs("1 3 6 0!", "en") == [Run("en", "1 3 6 0!")]
    assert runs("3点", "en") == [Run("zh", "3点")]
    assert runs("", "en") == []
    assert runs("") == []


def test_one_han_character_is_han() -> None:
    assert [is_han(text) for text in ("你", "〇", "𠮷", "a", "5", "。", "你好", "")] == [
        True, True, True, False, False, False, False, False,
    ]  # fmt: skip
