from __future__ import annotations

import pytest

from antiphon.envs.evolve.wording import SAID, in_words


@pytest.mark.parametrize(
    ("value", "words"), [(990.0, "990"), (990.5, "990.5"), (3, "3"), ("2026-08-20", "2026-08-20")]
)
def test_limits_have_no_needless_decimals(value: float | str, words: str):
    assert in_words(value) == words


def test_both_languages_say_the_same_things():
    assert SAID["en"].keys() == SAID["zh"].keys()
    assert all(text.strip() for said in SAID.values() for text in said.values())
