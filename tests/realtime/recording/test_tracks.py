from __future__ import annotations

import wave

import numpy as np
import pytest

from antiphon.errors import DataError
from antiphon.realtime.live.playout import FRAME_BYTES, Frame
from antiphon.realtime.recording.tracks import RATE_HZ, Agent, Person, Track, WavFile, place

MS = 1000


def loud(ms: int, value: int = 1000, rate_hz: int = RATE_HZ) -> bytes:
    return np.full(ms * rate_hz // 1000, value, "<i2").tobytes()


def edges(pcm: bytes) -> list[int]:
    """Where sound and silence meet, in ms."""
    on = (np.abs(np.frombuffer(pcm, "<i2").astype(int)) > 100).astype(int)
    return [int(at) * 1000 // RATE_HZ for at in np.flatnonzero(np.diff(np.concatenate([[0], on, [0]])))]


def test_a_track_has_silence_where_nothing_was_put_and_gives_each_sample_once():
    track = Track()
    track.put(4, b"\1\0\2\0")
    track.put(2, b"\3\0")  # it cannot begin earlier than what is there ends
    assert track.take(5) == b"\0\0" * 4 + b"\1\0"
    assert track.take(5) == b""
    track.silence(0, 6)
    assert track.take(9) == b"\0\0" + b"\3\0" + b"\0\0" * 2


def test_sound_that_arrives_unevenly_is_one_sound_and_a_gap_is_a_gap():
    person = Person()
    for at_ms in (20, 45, 61, 79, 1000):
        person.hear(loud(20), at_ms * MS)
    assert edges(person.take(place(1000 * MS))) == [0, 80, 980, 1000]


def test_a_client_that_sends_an_hour_at_once_gets_a_minute():
    person = Person()
    for _ in range(200):
        person.hear(loud(1000), 0)
    assert person.end == 60 * RATE_HZ


def test_frames_are_heard_when_it_is_their_turn_and_not_at_all_when_they_are_dropped():
    agent = Agent()
    frame = Frame("item", 0, loud(20, rate_hz=24_000), 0)
    assert len(frame.pcm) == FRAME_BYTES
    for _ in range(10):
        agent.send(frame, 0)
    agent.drop(100 * MS)  # five are played, and the sixth begins
    agent.send(frame, 500 * MS)
    agent.drop(520 * MS)
    agent.settle()
    begin, end, again, last = edges(agent.take(place(1000 * MS)))
    assert (begin, again) == (0, 500)
    assert abs(end - 120) <= 2
    assert abs(last - 520) <= 2


def test_a_wav_file_is_whole_after_every_piece(tmp_path):
    path = tmp_path / "sound.wav"
    file = WavFile(path)
    for seconds in (1, 2):
        file.add(loud(1000, 7), loud(1000, 9))
        with wave.open(str(path)) as read:
            assert (read.getnchannels(), read.getframerate(), read.getnframes()) == (
                2,
                RATE_HZ,
                seconds * RATE_HZ,
            )
            assert read.readframes(1) == b"\7\0\x09\0"
    assert path.stat().st_mode & 0o777 == 0o600
    file.close()
    with pytest.raises(DataError, match="exists"):
        WavFile(path)
