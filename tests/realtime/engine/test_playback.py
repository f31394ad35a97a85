from __future__ import annotations

from antiphon.realtime.engine.playback import Playback
from antiphon.realtime.events import Pause, Play, Resume, Stop


def test_an_item_plays_pauses_resumes_and_stops():
    playback = Playback()
    log = playback.log("a")
    log.text = "one two three"
    log.made(1300, 13)
    assert playback.play("a") == [Play("a")]
    log.played(900)
    assert playback.pause() == [Pause("a")]
    assert playback.pause() == []
    assert playback.resume() == [Resume("a", 800, 8)]
    assert playback.resume() == []
    assert playback.stop() == [Stop("a", 900, 8)]
    assert playback.stop() == []


def test_silence_can_neither_pause_nor_resume():
    playback = Playback()
    assert (playback.pause(), playback.resume()) == ([], [])
