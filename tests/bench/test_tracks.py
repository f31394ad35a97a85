from __future__ import annotations

from pathlib import Path

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.files import encode
from antiphon.audio.vad import detector
from antiphon.bench.folder import clip_name
from antiphon.bench.listen import Sound
from antiphon.bench.takes import Contour, Heard, Said, Take, Voiced
from antiphon.bench.tracks import Track, by, clips_of, open_detector, tracks_of
from antiphon.models.ports import TimedWord

TAKE = Take("a", "s", "q", 1.0, (Said("", "b", 1.0, "stop", None),), tracks={"user": "q", "agent": "b"})
WORD = TimedWord("hi", 0.1, 0.3)

CONTOUR = Contour("b", "by", (0.0,), (60.0,))


def test_a_track_is_what_its_instruments_heard():
    heard = {"q": Heard("q", "ears", "hi", "en", (WORD,)), "b": Heard("b", "ears", "hello")}
    voiced = {"q": Voiced("q", "vad", ((0.1, 0.4),)), "b": Voiced("b", "vad", ((0.2, 0.3),), ((0.3, 0.45),))}
    found = tracks_of(TAKE, heard, voiced, {}, {"b": CONTOUR})
    assert found["user"] == Track("hi", (WORD,), ((0.1, 0.4),), ((0.1, 0.4),))
    assert (found["agent"].words, found["agent"].unresampled) == (None, ((0.3, 0.45),))
    assert "use one that does, such as whisper:base?words=1" in found["agent"].problem


def test_what_was_not_heard_says_why():
    found = tracks_of(TAKE, {}, {}, {"b": "out of memory"}, {})
    assert (found["agent"].spans, found["agent"].problem) == (None, "not recognised: out of memory")
    assert found["user"].problem == "not recognised: the recogniser was not asked"
    assert tracks_of(None, {}, {}, {}, {}) == {}


def test_a_clip_is_listened_to_once():
    assert clips_of([TAKE, TAKE]) == ["q", "b"]


async def test_silence_holds_no_voice_at_any_rate(tmp_path: Path):
    (tmp_path / "clips").mkdir()
    clips = [Clip(np.zeros(rate, np.float32), rate) for rate in (16_000, 24_000)]
    for clip in clips:
        (tmp_path / clip_name(clip.digest)).write_bytes(encode(clip))
    async with open_detector(tmp_path) as find:
        rows = [made.row for made in await find([Sound(clip.digest, None) for clip in clips])]
    assert [row.get("unresampled", "none") for row in rows] == ["none", []]
    assert [row["spans"] for row in rows] == [[], []]
    assert {row["by"] for row in rows} == {by()} == {detector()}
