from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, encode, write
from antiphon.audio.resample import resample
from antiphon.bench.catalog import open_suite
from antiphon.bench.folder import RunFolder, clip_name, load
from antiphon.bench.live import Tail, Venue
from antiphon.bench.parts import Cut, cuts, open_cutter
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Selection
from antiphon.bench.suites.full_duplex.acoustics import acoustic_metrics
from antiphon.bench.takes import Instruments, Part
from antiphon.clock import RealClock
from antiphon.jsonl import from_row, read_records
from antiphon.live import AudioOut
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.stage.outcome import Made
from antiphon.stage.progress import Silent
from tests.bench.suites.full_duplex.duplex import OVERLAP, evidence, folder, track, words
from tests.bench.talking import RATE_HZ, TalkingSystem

if TYPE_CHECKING:
    from pathlib import Path


def test_what_several_metrics_look_at_is_cut_once():
    one = evidence("user_interruption", {"overlap": [2.0, 4.0]}, agent=track(words("and then", 1.0, 0.5)))
    other = replace(one, item=replace(one.item, subset="tool_use"))  # not covered
    unplayed = replace(one, take=None)
    wanted = cuts([*acoustic_metrics("strict")] * 2, [one, one, other, unplayed])
    assert wanted == [Cut("c", 1.0, 2.0)]  # nothing is said after the overlap's end


def test_a_part_is_a_clip_of_its_own(tmp_path: Path):
    clip = Clip(np.linspace(-0.5, 0.5, 16_000, dtype=np.float32), 16_000)
    path = tmp_path / clip_name(clip.digest)
    path.parent.mkdir()
    path.write_bytes(encode(clip))

    async def made() -> Made:
        async with open_cutter(tmp_path) as worker:
            [one] = await worker([Cut(clip.digest, 0.25, 0.75)])
        assert isinstance(one, Made)
        return one

    found = asyncio.run(made())
    row = from_row(found.row, Part, path=tmp_path)
    assert (row.of, row.start_s, row.end_s) == (clip.digest, 0.25, 0.75)
    part = decode(found.blobs[clip_name(row.clip)], "part")
    assert (part.rate_hz, len(part)) == (16_000, 8_000)
    assert np.allclose(part.samples, clip.samples[4_000:12_000], atol=1e-4)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here")
@pytest.mark.usefixtures("own_cache")
def test_a_scorer_is_asked_about_both_parts_of_what_an_agent_says(tmp_path: Path):
    """An agent speaks through the overlap; pitch, intensity and a scorer's opinion come for either part."""
    notes = {"metadata.json": {**OVERLAP, "timestamps": [0.5, 1.2]}}
    place = folder(tmp_path / "data" / "user_interruption" / "1", notes)
    for name in ("input.wav", "clean_input.wav"):
        write(place / name, Clip([0.1] * 48_000, 16_000))
    voice = open_synthesizer("espeak:en-us", RealClock())
    clip = resample(asyncio.run(speak(voice, "The old museum by the river is open until six.")), RATE_HZ)
    system = TalkingSystem({100: [AudioOut("i", 0, clip.pcm16(), RATE_HZ)]})
    suite = open_suite("full-duplex", Selection(tmp_path / "data", version="1.5"))
    plan = Plan(
        suite, "scripted:talking", RunFolder(tmp_path / "run"),
        Instruments("scripted:?text=the+old+museum+by+the+river+is+open+until+six&words=1", ("scripted:?names=utmosv2",)),
        venue=Venue(lambda *_: system, Tail(0.2, 0.2, 4.0)),
    )  # fmt: skip
    asyncio.run(run(plan, lambda _: Silent()))
    scores = {score.metric: score for score in load(tmp_path / "run").scores}
    parts = read_records(tmp_path / "run" / "parts.jsonl", Part)
    assert [scores[f"utmosv2_{when}"].evidence["part_s"] for when in ("before", "after")] == [
        [part.start_s, part.end_s] for part in parts
    ]
    for when in ("before", "after"):
        assert scores[f"utmosv2_{when}"].status == "valid"
        assert 50 < (scores[f"pitch_{when}"].value or 0) < 200  # a man's voice
        assert scores[f"stoi_{when}"].status == "unavailable"
