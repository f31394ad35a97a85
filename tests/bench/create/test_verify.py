from __future__ import annotations

import pytest

from antiphon.bench.create.verify import Comparison, compare


@pytest.mark.parametrize(
    ("question", "heard", "expected"),
    [
        ("她在登封吗？", "他在登丰吗", Comparison(0, True, False)),  # sounds the same
        ("法国的首都是哪里？", "法国的首都是哪里", Comparison(0, True, True)),
        ("他买了3本书。", "他买了三本书", Comparison(0, True, True)),
        ("他买书。", "他卖书。", Comparison(1, False, False)),  # mai3, mai4: a tone is a difference
        ("法国的首都是哪里？", "国的首都是哪里啊", Comparison(2, False, False)),
        ("什么是DNA？", "什么是 dna", Comparison(0, True, True)),
        ("什么是DNA？", "什么是RNA", Comparison(1, False, False)),
        ("你好", "", Comparison(2, False, False)),
        ("？", "", Comparison(0, False, False)),  # nothing to say equals nothing
    ],
)
def test_mandarin_is_compared_by_tonal_syllables(question: str, heard: str, expected: Comparison):
    assert compare(question, heard, "zh") == expected


def test_english_is_compared_by_words():
    assert compare("It's 21 Dollars.", "it is twenty one dollars", "en") == Comparison(0, True, True)
    assert compare("Is it here?", "is it hear", "en") == Comparison(1, False, False)
