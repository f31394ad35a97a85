from __future__ import annotations

from antiphon.realtime.events import Played
from antiphon.realtime.simulation.loudspeaker import Loudspeaker

S = 1_000_000


def test_it_plays_at_the_speed_of_time_and_tells_at_planned_times_only():
    speaker = Loudspeaker()
    speaker.owe("i", 0, 500, 0)
    speaker.play("i", 0)
    assert speaker.times(0) == [200_000, 400_000, 500_000]
    assert speaker.receipt(100_000) == []
    assert speaker.receipt(200_000) == [Played(200_000, "i", 200)]
    assert speaker.receipt(200_000) == []
    assert speaker.receipt(500_000) == [Played(500_000, "i", 500)]


def test_a_pause_tells_where_and_a_resume_goes_back_a_little():
    speaker = Loudspeaker()
    speaker.owe("i", 0, 1000, 0)
    speaker.play("i", 0)
    assert speaker.pause(330_000) == Played(330_001, "i", 330)
    speaker.resume(300, S)
    assert speaker.times(S) == [1_200_000, 1_400_000, 1_600_000, 1_700_000]
    assert speaker.receipt(1_700_000) == [Played(1_700_000, "i", 1000)]


def test_after_a_stop_there_is_nothing_to_tell():
    speaker = Loudspeaker()
    speaker.owe("i", 0, 500, 0)
    speaker.play("i", 0)
    speaker.times(0)
    speaker.stop()
    assert speaker.receipt(200_000) == []
