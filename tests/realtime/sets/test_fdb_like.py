from __future__ import annotations

from collections import Counter

from antiphon.realtime.sets.fdb_like import SIZE, fdb_like


def test_the_shares_are_those_of_the_benchmark():
    tasks = Counter(fdb_like(number, 5).points[0].task for number in range(SIZE))
    assert tasks == {
        "interruption": 200,
        "backchannel": 99,
        "talking to others": 100,
        "background speech": 100,
    }


def test_only_background_speech_is_somebody_elses():
    for number in range(60):
        made = fdb_like(number, 0)
        assert made.session.lines[1].enrolled is (made.points[0].task != "background speech")
