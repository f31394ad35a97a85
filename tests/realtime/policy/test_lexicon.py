"""The policy's words and the sets' phrases are disjoint: nothing is fitted to what measures it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from antiphon.realtime.acts import lines
from antiphon.realtime.policy import lexicon
from antiphon.realtime.policy.cues import tokens
from antiphon.realtime.sets.phrases import LANGUAGES, ours


def _entries() -> set[str]:
    classes = [value for name, value in vars(lexicon).items() if name.isupper()]
    return {" ".join(tokens(entry)) for words in classes for entry in words}


def _spoken(language: str) -> Iterator[str]:
    """Every whole utterance of the sets."""

    def inside(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for key, each in value.items():
                if key != "answer":  # the agent says it
                    yield from inside(each)
        else:
            for each in value:
                yield from inside(each)

    for what, value in ours(language).items():
        if what not in ("agents", "people", "users"):
            yield from inside(value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_utterance_of_the_sets_is_an_entry_of_the_lexicon(language: str):
    entries = _entries()
    both = [text for text in _spoken(language) if " ".join(tokens(text)) in entries]
    assert both == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_utterance_of_the_sets_is_learned_from(language: str):
    learned = {" ".join(tokens(line.text)) for line in lines.ours()}
    both = [text for text in _spoken(language) if " ".join(tokens(text)) in learned]
    assert both == []


def test_english_entries_are_single_words():
    english = [value for name, value in vars(lexicon).items() if name.endswith("_EN")]
    assert [word for words in english for word in words if " " in word] == []


def test_mandarin_entries_are_no_sentences():
    mandarin = [value for name, value in vars(lexicon).items() if name.endswith("_ZH")]
    assert [word for words in mandarin for word in words if len(word) > 4] == []
