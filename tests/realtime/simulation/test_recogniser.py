from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.cache import Store
from antiphon.errors import ConfigError
from antiphon.models.ports import Transcript
from antiphon.realtime.simulation.recogniser import Latency, Words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.audio.clip import Clip


class Counting:
    """Hears how long a clip is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str | None] = []

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        self.asked.append(language)
        return [Transcript(f" {len(clip)} samples ", language) for clip in clips]


async def test_a_sound_is_recognised_once_for_each_language(tmp_path: Path):
    ear = Counting("whisper:fake")
    told, untold = (Words(ear, language, Store(tmp_path)) for language in ("en", None))
    assert [await told.of(bytes(640)), await told.of(bytes(640)), await untold.of(bytes(640))] == [
        "320 samples"
    ] * 3
    assert await told.of(bytes(320)) == "160 samples"
    assert ear.asked == ["en", None, "en"]


async def test_scripted_words_are_not_kept(tmp_path: Path):
    ear = Counting("scripted:fake")
    texts = [await Words(ear, None, Store(tmp_path)).of(bytes(640)) for _ in range(2)]
    assert texts == ["320 samples"] * 2
    assert len(ear.asked) == 2


def test_a_range_is_drawn_by_seed_and_call():
    assert Latency.of("900", 0).us("a") == 900_000
    drawn = {Latency.of("700-1500", 0).us(str(call)) for call in range(50)}
    assert len(drawn) == 50
    assert 700_000 <= min(drawn) < 800_000
    assert 1_400_000 < max(drawn) <= 1_500_000
    assert Latency.of("700-1500", 1).us("0") != Latency.of("700-1500", 0).us("0")


@pytest.mark.parametrize("text", ["soon", "-5", "900-700", "5-", "90000"])
def test_no_time_is_one_line(text: str):
    with pytest.raises(ConfigError, match="write milliseconds, as 900 or 700-1500"):
        Latency.of(text, 0)
