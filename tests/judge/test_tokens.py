from __future__ import annotations

import pytest

from antiphon.judge.tokens import tokens_in


def test_han_characters_are_larger_than_letters():
    assert tokens_in("") == 0
    assert tokens_in("中国的首都在哪里") == pytest.approx(8 / 1.6)
    assert tokens_in("the capital!") == pytest.approx(12 / 4)
    assert tokens_in("中a国b") == pytest.approx(2 / 1.6 + 2 / 4)
