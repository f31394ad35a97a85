from __future__ import annotations

import pytest

from antiphon.realtime.policy.name_sounds import ready, sounds_called, syllables
from antiphon.realtime.policy.vocatives import calls

EN, ZH = ("Juno", "Iris"), ("晓晓", "小云")


@pytest.mark.parametrize("text", ["Do you know?", "Hey, Jeuno, wait.", "Ok Joono!", "Irys, go on.", "Juno!"])
def test_an_english_name_is_called_alone_in_its_clause_however_it_is_written(text: str):
    assert sounds_called(text, EN)
    assert calls(text, EN)


@pytest.mark.parametrize(
    "text",
    [
        "Do you know how far it is?",
        "June, are you ready?",
        "Jane!",
        "Jon, come here.",
        "I rise early.",
        "",
        "?!",
    ],
)
def test_other_words_and_other_peoples_names_call_nobody(text: str):
    assert not sounds_called(text, EN)


@pytest.mark.parametrize("text", ["小小那边六月份雨多吗?", "哎，消消，听我说", "嗨消云你在吗"])
def test_a_mandarin_name_begins_a_clause_whatever_its_tones(text: str):
    assert sounds_called(text, ZH)


@pytest.mark.parametrize("text", ["小小的礼物", "房间有点小小", "校园里有雨", "小吴，你来", "Juno", ""])
def test_other_syllables_and_other_places_call_nobody(text: str):
    assert not sounds_called(text, ZH)


def test_a_name_with_a_prefix_of_address_is_written_with_it():
    assert sounds_called("阿因，你好", ("阿音",))
    assert not sounds_called("啊因为下雨", ("阿音",))


def test_names_are_made_ready_before_a_session():
    syllables.cache_clear()
    ready(("Juno", "晓晓"))
    assert syllables.cache_info().currsize == 1
    assert sounds_called("小小在吗", ("晓晓",))
