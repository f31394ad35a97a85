from __future__ import annotations

from antiphon.realtime.policy import surroundings
from antiphon.realtime.policy.cues import is_han, tokens
from antiphon.realtime.sets.phrases import LANGUAGES, ours


def _classes(ending: str) -> dict[str, set[str]]:
    return {name: set(value) for name, value in vars(surroundings).items() if name.endswith(ending)}


def test_english_entries_are_single_words_in_lower_case():
    for words in _classes("_EN").values():
        assert [word for word in words if " " in word or word != word.lower()] == []


def test_mandarin_entries_are_short_and_in_han():
    for words in _classes("_ZH").values():
        assert [word for word in words if not is_han(word) or len(word) > 5] == []


def test_no_aside_of_the_sets_is_an_entry():
    entries = {
        " ".join(tokens(word)) for ending in ("_EN", "_ZH") for words in _classes(ending).values() for word in words
    }  # fmt: skip
    spoken = [text for language in LANGUAGES for text in ours(language)["asides"]]
    assert [text for text in spoken if " ".join(tokens(text)) in entries] == []
