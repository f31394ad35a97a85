from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import encode
from antiphon.bench.contours import BY, agents, open_tracer
from antiphon.bench.folder import clip_name
from antiphon.bench.listen import Sound
from antiphon.bench.takes import Contour, Said, Take
from antiphon.jsonl import from_row
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from pathlib import Path


def test_only_the_agent_is_traced_and_each_clip_once():
    def take(item: str, **tracks: str) -> Take:
        return Take(item, "s", None, 0.0, (Said("", None, 0.0, "stop", None),), tracks=tracks)

    assert agents(
        [take("1", user="u", agent="a"), take("2", agent="a"), take("3", agent="b"), take("4")]
    ) == ["a", "b"]


def test_a_clip_is_traced_every_ten_milliseconds(tmp_path: Path):
    t = np.arange(8_000) / 16_000
    clip = Clip(
        (0.3 * (np.sin(2 * np.pi * 200 * t) + np.sin(2 * np.pi * 400 * t))).astype(np.float32), 16_000
    )
    path = tmp_path / clip_name(clip.digest)
    path.parent.mkdir()
    path.write_bytes(encode(clip))

    async def traced() -> Contour:
        async with open_tracer(tmp_path) as worker:
            [made] = await worker([Sound(clip.digest, None)])
        assert isinstance(made, Made)
        return from_row(made.row, Contour, path=tmp_path)

    found = asyncio.run(traced())
    assert (found.clip, found.by, len(found.pitch_hz), len(found.intensity_db)) == (clip.digest, BY, 50, 50)
    assert found.pitch_hz[25] == pytest.approx(200.0, abs=1.0)
    assert found.intensity_db[25] == pytest.approx(10 * np.log10(0.09 / 4e-10), abs=0.2)
