from __future__ import annotations

from dataclasses import replace

from antiphon.bench.items import Item
from antiphon.bench.speech import speech_label, speech_of
from antiphon.bench.takes import Take

ITEM = Item("a", "single_round", "zh", "？", speech="recorded")
TAKE = Take("a", "single_round", "hash", 1.0, (), query_speech="synthetic")


def test_what_was_asked_goes_before_what_the_data_has() -> None:
    assert speech_of(ITEM, None) == "recorded"
    assert speech_of(ITEM, TAKE) == "synthetic"
    assert speech_of(ITEM, replace(TAKE, query=None)) == "text only"


def test_a_mixture_is_counted_and_never_one_word() -> None:
    assert speech_label(["synthetic"] * 3) == "synthetic"
    assert speech_label(["synthetic"] * 2000 + ["recorded"]) == "recorded 1, synthetic 2,000"
    assert speech_label([]) == ""
