from __future__ import annotations

import pytest

from antiphon.bench.loudspeaker import Cut, Loudspeaker
from antiphon.live import AudioOut
from tests.bench.talking import level_at, loud

MS = 1000


def test_sound_plays_when_it_comes_and_in_order_where_it_comes_too_fast():
    speaker = Loudspeaker()
    speaker.hear(loud("a", 100, 1), 50 * MS)
    speaker.hear(loud("a", 100, 2), 60 * MS)
    speaker.hear(loud("a", 100, 3), 400 * MS)
    assert speaker.until_us == 500 * MS
    track = speaker.track(600 * MS, 8000)
    assert (len(track), track.rate_hz) == (14_400, 24_000)
    assert [level_at(track, ms) for ms in (0, 49, 50, 149, 150, 249, 250, 399, 400, 499, 500)] == [
        0, 0, 1, 1, 2, 2, 0, 0, 3, 3, 0,
    ]  # fmt: skip


def test_a_person_who_begins_to_speak_stops_what_was_not_played_and_all_that_comes_of_it():
    speaker = Loudspeaker()
    speaker.hear(loud("a", 100, 1), 0)
    speaker.hear(loud("a", 100, 2), 0)
    assert speaker.stop(130 * MS) == [Cut("a", 130)]
    speaker.hear(loud("a", 100, 3), 140 * MS)
    speaker.hear(loud("b", 50, 4), 200 * MS)
    track = speaker.track(300 * MS, 24_000)
    assert [level_at(track, ms) for ms in (129, 130, 199, 200, 249, 250)] == [2, 0, 0, 4, 4, 0]


def test_nothing_is_cut_where_all_was_played():
    speaker = Loudspeaker()
    speaker.hear(loud("a", 100), 0)
    assert speaker.stop(100 * MS) == []


def test_who_never_sounds_leaves_silence_at_the_rate_asked_for():
    track = Loudspeaker().track(100 * MS, 24_000)
    assert (len(track), track.rate_hz, float(abs(track.samples).max())) == (2400, 24_000, 0.0)


def test_what_lies_beyond_the_track_is_cut():
    speaker = Loudspeaker()
    speaker.hear(loud("a", 100), 50 * MS)
    assert len(speaker.track(100 * MS, 24_000)) == 2400


def test_two_rates_are_no_track():
    speaker = Loudspeaker()
    speaker.hear(loud("a", 10), 0)
    with pytest.raises(ValueError, match="sound at 8000 Hz after sound at 24000 Hz"):
        speaker.hear(AudioOut("a", 0, b"\0\0", 8000), 0)
