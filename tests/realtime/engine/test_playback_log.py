from __future__ import annotations

from antiphon.realtime.engine.playback_log import ItemLog


def test_characters_heard_are_whole_words():
    log = ItemLog("one two three")
    log.made(1300, 13)
    heard = {}
    for ms in (0, 299, 300, 500, 700, 1299, 1300):
        heard[ms] = log.text[: log.chars_at(ms)]
    assert heard == {
        0: "", 299: "", 300: "one", 500: "one ", 700: "one two", 1299: "one two ", 1300: "one two three",
    }  # fmt: skip


def test_each_han_character_is_a_word():
    log = ItemLog("你好世界")
    log.made(1000, 4)
    assert [log.chars_at(ms) for ms in (0, 249, 250, 600, 1000)] == [0, 0, 1, 2, 4]


def test_receipts_never_go_back_and_never_pass_what_was_made():
    log = ItemLog("one two")
    log.made(700, 7)
    log.played(300)
    log.played(100)
    assert (log.played_ms, log.sent_ms, log.heard) == (300, 300, "one")
    log.played(9999)
    assert (log.played_ms, log.heard) == (700, "one two")


def test_speech_goes_on_at_the_beginning_of_the_word_that_was_cut():
    log = ItemLog("one two three")
    log.made(1300, 13)
    assert log.resume_point(900) == (800, 8)
    assert log.resume_point(700) == (700, 8)  # between two words: at once, without going back
    assert log.resume_point(0) == (0, 0)


def test_sound_whose_characters_are_not_counted_yet_counts_for_none():
    log = ItemLog("one two three")
    log.made(300, 3)
    log.made(5000, 0)
    log.played(5000)
    assert log.heard == "one"
    log.made(0, 10)
    assert log.heard == "one two "  # 12.4 of 13 characters: the last word is not over
