from __future__ import annotations

import pytest

from antiphon.errors import ConfigError
from antiphon.ids import rng
from antiphon.text import normalise
from antiphon.text.normalise import comparable, spoken, words, written

# Two ways to write one utterance: what a model writes and what a recogniser hears.
ENGLISH = [
    ("He came 21st.", "he came twenty first"),
    ("It costs $20.", "it costs twenty dollars"),
    ("$3.50 please", "three dollars and fifty cents please"),
    ("£3.50", "three pounds and fifty pence"),
    ("$20 million", "twenty million dollars"),
    ("$3.5 million", "three point five million dollars"),
    ("1,000 people", "one thousand people"),
    ("1,234,567", "one million two hundred thirty four thousand five hundred sixty seven"),
    ("1,000, and more", "one thousand and more"),
    ("in 1999", "in nineteen ninety nine"),
    ("in 2024", "in twenty twenty-four"),
    ("the 1990s", "the nineteen nineties"),
    ("the '80s", "the eighties"),
    ("at 3:30 pm", "at three thirty p m"),
    ("3 a.m.", "three AM"),
    ("10:05", "ten oh five"),
    ("5 o'clock", "five o’clock"),
    ("50% of it", "fifty percent of it"),
    ("-5°C", "minus five degrees celsius"),
    ("12 km", "twelve kilometres"),
    ("1/2 cup", "one half cup"),
    ("20-30 people", "twenty to thirty people"),
    ("24/7", "twenty four seven"),
    ("call 911", "call nine one one"),
    ("a hundred", "100"),
    ("one two three", "1 2 3"),
    ("June 1, 2020", "june first twenty twenty"),
    ("May 5th, 2020", "may fifth twenty twenty"),
    ("No. 5", "number five"),
    ("Dr. Smith", "doctor smith"),
    ("Mr. Lee's dog", "mister Lee's dog"),
    ("I don't", "I do not"),
    ("the colour grey", "the color gray"),
    ("the U.S.A.", "the USA"),
    ("the capital (Paris) is", "the capital, Paris, is"),
    ("salt & pepper", "salt and pepper"),
    ("**Bold** `code`", "bold code"),
    ('He said "5"', "he said five"),
    ("ＦＵＬＬ　１２", "full twelve"),
]
MANDARIN = [
    ("15", "十五"),
    ("10", "十"),
    ("100000", "十万"),
    ("123456", "十二万三千四百五十六"),
    ("1,000", "一千"),
    ("1,234,567人", "一百二十三万四千五百六十七人"),
    ("１２３", "一百二十三"),
    ("50%", "百分之五十"),
    ("50％", "五十%"),
    ("3‰", "千分之三"),
    ("2024年5月1日", "二〇二四年五月一日"),
    ("公元495年", "公元四百九十五年"),
    ("0.1～0.2寸", "零点一到零点二寸"),
    ("1990-2000年", "一九九零到二零零零年"),
    ("200元", "二百元"),
    ("200元", "两百元"),
    ("2个", "两个"),
    ("电话13812345678", "电话一三八一二三四五六七八"),
    ("$20", "二十美元"),
    ("5km", "五公里"),
    ("1/3", "三分之一"),
    ("10:30", "十点三十分"),
    ("-5℃", "负五摄氏度"),
    ("**少林寺**，位於嵩山。", "少林寺位于嵩山"),
    ("GPT-4o很好", "gpt 4 o 很好"),
    ("用Python3写", "用 python 三写"),
    ("A.I.很好", "AI很好"),
    ("乳中穴（Rǔzhōng）", "乳中穴 ruzhong"),
    ("他说“5”", "他说五"),
    ("don’t 担心", "dont担心"),
]


@pytest.mark.parametrize(("one", "other"), ENGLISH)
def test_two_ways_to_write_english_compare_equal(one: str, other: str) -> None:
    assert comparable(one, "en") == comparable(other, "en")


@pytest.mark.parametrize(("one", "other"), MANDARIN)
def test_two_ways_to_write_mandarin_compare_equal(one: str, other: str) -> None:
    assert comparable(one, "zh") == comparable(other, "zh")


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("15", "五十", "zh"),
        ("1,000", "一百", "zh"),
        ("495，123", "495,123", "zh"),
        ("fifteen", "fifty", "en"),
        ("21st", "22nd", "en"),
        ("can", "can't", "en"),
        ("你好", "您好", "zh"),
    ],
)
def test_what_sounds_different_stays_different(one: str, other: str, language: str) -> None:
    assert comparable(one, language) != comparable(other, language)


def test_comparable_forms_are_what_they_say() -> None:
    assert comparable("少林寺有1,495位，位于**嵩山**！", "zh") == "少林寺有一千四百九十五位位于嵩山"
    assert comparable("It's the 2nd of 1,000 (really)!", "en") == "it is the 2nd of 1000 really"
    assert (
        comparable("我用Python3写了2个 program，花了$20。", "zh")
        == "我用 python 三写了两个 program 花了二十美元"
    )
    assert comparable("He said 你好 3 times", "en") == "he said 你好三 times"
    assert comparable("……！", "zh") == ""


def test_words_are_han_characters_and_words() -> None:
    assert words("他说 Don't worry，15！", "zh") == ["他", "说", "dont", "worry", "十", "五"]
    assert words("Don't 担心 it", "en") == ["do", "not", "担", "心", "it"]


@pytest.mark.parametrize(("one", "other"), MANDARIN)
def test_comparing_twice_changes_nothing_in_mandarin(one: str, other: str) -> None:
    for text in (one, other):
        assert comparable(comparable(text, "zh"), "zh") == comparable(text, "zh")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "number", ["0", "7", "10", "15", "100", "101", "110", "1001", "2024", "10000", "123456", "3.14"]
)
def test_a_number_survives_being_spoken_and_written(number: str, language: str) -> None:
    there_and_back = written(spoken(number, language), language)
    assert comparable(there_and_back, language) == comparable(number, language)
    if language == "zh" and len(number) > 1:  # a single digit stays a word on paper
        assert there_and_back == number


@pytest.mark.parametrize(
    ("text", "language", "aloud"),
    [
        ("公元495年，约6寸。", "zh", "公元四百九十五年，约六寸。"),
        ("**1,000**元", "zh", "一千元"),
        ("0.1～0.2寸", "zh", "零点一到零点二寸"),
        ("用GPT-4o", "zh", "用GPT 四o"),
        ("一共有15 + 8 = 23个苹果", "zh", "一共有十五加八等于二十三个苹果"),
        ("有5+3个，100÷5=20页，6×7页", "zh", "有五加三个，一百除以五等于二十页，六乘七页"),
        ("12-4=8块，2-1=-1？", "zh", "十二减四等于八块，二减一等于负一？"),
        ('他说"5"\\n', "zh", '他说"五"\\n'),
        (
            "He paid $3.50 in the 1990s.",
            "en",
            "He paid three dollars and fifty cents in the nineteen nineties.",
        ),
        ("June 1, 2020", "en", "June first, twenty twenty"),
        ("Plain words stay.", "en", "Plain words stay."),
        ("  两边 3 ", "zh", "两边 三"),
    ],
)
def test_text_is_read_aloud(text: str, language: str, aloud: str) -> None:
    assert spoken(text, language) == aloud


@pytest.mark.parametrize(
    ("text", "language", "on_paper"),
    [
        ("一百二十三个", "zh", "123个"),
        ("百分之五十", "zh", "50%"),
        ("it costs twenty dollars", "en", "it costs $20"),
        ("he came twenty first", "en", "he came 21st"),
    ],
)
def test_words_are_written_as_numbers(text: str, language: str, on_paper: str) -> None:
    assert written(text, language) == on_paper


def test_another_language_is_refused() -> None:
    for function in (spoken, written, comparable, words):
        with pytest.raises(ConfigError, match="no language 'fr'; there are: en, zh"):
            function("bonjour", "fr")


def test_no_text_makes_it_fail() -> None:
    alphabet = list("0123456789年月日元.,，。$%￥:/-~～ \n\"'\\{}[]()<>|*_`#+=^&😀甲一两〇abXé½²①々\u200b\t")
    generator = rng(9, "text")
    for _ in range(150):
        text = "".join(generator.choice(alphabet, int(generator.integers(1, 40))))
        for language in ("zh", "en"):
            form = comparable(text, language)
            assert form == form.strip()
            assert not set(form) & set('，。\n"\\*`')
            spoken(text, language)
            written(text, language)


def test_the_version_names_every_part() -> None:
    assert normalise.NORMALISER.startswith("wetext ")
    for part in ("whisper-normalizer", "opencc", "antiphon rules 2"):
        assert part in normalise.NORMALISER
