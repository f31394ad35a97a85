from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.listen import Gauge, Listener, Sound, sounds_of
from antiphon.bench.takes import Heard, Measured, Said, Take
from antiphon.cache import Store
from antiphon.errors import DataError, ModelError
from antiphon.jsonl import to_row
from antiphon.models.ports import Invalid, Transcript
from antiphon.stage.lanes import attempt
from antiphon.stage.outcome import Failed, Made


class Ears:
    """A recogniser that writes down the length of a clip, and what it was asked; one length breaks it."""

    def __init__(self, name: str = "fake:ears", breaks_at: int = 0, transient: bool = False) -> None:
        self.name = name
        self.calls: list[tuple[int, str | None]] = []
        self._breaks_at = breaks_at
        self._transient = transient

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        self.calls.append((len(clips), language))
        if self._breaks_at in map(len, clips):
            raise ModelError(self.name, "cannot hear this", transient=self._transient)
        return [Transcript(f"{len(clip)} samples", language) for clip in clips]


class Scale:
    """A scorer whose number is a clip's length; shorter ones than 3 samples it refuses."""

    name = "fake:scale"
    names = ("length",)

    def __init__(self, breaks_at: int = 0) -> None:
        self.calls: list[int] = []
        self._breaks_at = breaks_at

    async def score(self, clips: Sequence[Clip]) -> list[dict[str, float] | Invalid]:
        self.calls.append(len(clips))
        if self._breaks_at in map(len, clips):
            raise ModelError(self.name, "the scale broke")
        return [{"length": float(len(clip))} if len(clip) > 2 else Invalid("too short") for clip in clips]


@pytest.fixture
def clips(tmp_path: Path) -> dict[int, str]:
    """Clips of 1 to 5 samples in a run folder: their hashes by length."""
    found: dict[int, str] = {}
    for count in range(1, 6):
        clip = Clip([0.25] * count, 8_000)
        write(tmp_path / "clips" / f"{clip.digest}.flac", clip)
        found[count] = clip.digest
    return found


def listener(folder: Path, ears: Ears) -> Listener:
    return Listener(ears, folder, Store(folder / "cache"))


async def test_clips_are_heard_in_groups_of_one_language(tmp_path: Path, clips: dict[int, str]) -> None:
    ears = Ears()
    sounds = [Sound(clips[1], "zh"), Sound(clips[2], None), Sound(clips[3], "zh")]
    assert await listener(tmp_path, ears)(sounds) == [
        Made(to_row(Heard(clips[1], "fake:ears", "1 samples", "zh"))),
        Made(to_row(Heard(clips[2], "fake:ears", "2 samples"))),
        Made(to_row(Heard(clips[3], "fake:ears", "3 samples", "zh"))),
    ]
    assert ears.calls == [(2, "zh"), (1, None)]


async def test_a_clip_that_was_heard_before_is_not_heard_again(tmp_path: Path, clips: dict[int, str]) -> None:
    first = await listener(tmp_path, Ears())([Sound(clips[1], "zh")])
    ears = Ears()
    assert await listener(tmp_path, ears)([Sound(clips[1], "zh")]) == first
    assert ears.calls == []
    await listener(tmp_path, ears)([Sound(clips[1], None)])
    assert ears.calls == [(1, None)]  # told another language, it may hear something else
    other = Ears("fake:other ears")
    await listener(tmp_path, other)([Sound(clips[1], "zh")])
    assert other.calls == [(1, "zh")]


async def test_what_a_scripted_recogniser_hears_is_not_cached(tmp_path: Path, clips: dict[int, str]) -> None:
    ears = Ears("scripted:ears")
    for _ in range(2):
        await listener(tmp_path, ears)([Sound(clips[1], "zh")])
    assert ears.calls == [(1, "zh"), (1, "zh")]


async def test_one_clip_that_cannot_be_heard_costs_no_other_of_its_batch(
    tmp_path: Path, clips: dict[int, str]
) -> None:
    sounds = [Sound(clips[count], "zh") for count in (1, 2, 3)]
    outcomes = await attempt(listener(tmp_path, Ears(breaks_at=2)), sounds)
    assert [isinstance(outcome, Made) for outcome in outcomes] == [True, False, True]
    assert outcomes[1] == Failed("fake:ears: cannot hear this", transient=False)


async def test_a_busy_recogniser_is_asked_again_on_resuming(tmp_path: Path, clips: dict[int, str]) -> None:
    outcomes = await attempt(
        listener(tmp_path, Ears(breaks_at=1, transient=True)), [Sound(clips[1], None)] * 1
    )
    assert outcomes == [Failed("fake:ears: cannot hear this", transient=True)]


async def test_a_clip_that_is_damaged_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "bad1.flac").write_bytes(b"no sound")
    with pytest.raises(DataError, match=r"^bad1\.flac: not a sound file"):
        await listener(tmp_path, Ears())([Sound("bad1", None)])


async def test_a_scorer_gives_numbers_or_its_reason(tmp_path: Path, clips: dict[int, str]) -> None:
    gauge = Gauge(Scale(), tmp_path, Store(tmp_path / "cache"))
    assert await gauge([Sound(clips[1], None), Sound(clips[4], None)]) == [
        Made(to_row(Measured(clips[1], "fake:scale", {}, "too short"))),
        Made(to_row(Measured(clips[4], "fake:scale", {"length": 4.0}))),
    ]


async def test_a_clip_that_was_measured_before_is_not_measured_again(
    tmp_path: Path, clips: dict[int, str]
) -> None:
    scale = Scale()
    gauge = Gauge(scale, tmp_path, Store(tmp_path / "cache"))
    first = await gauge([Sound(clips[4], None)])
    assert await gauge([Sound(clips[4], "zh")]) == first  # a language changes no measure
    assert scale.calls == [1]


async def test_one_clip_that_cannot_be_measured_costs_no_other(tmp_path: Path, clips: dict[int, str]) -> None:
    gauge = Gauge(Scale(breaks_at=5), tmp_path, Store(tmp_path / "cache"))
    outcomes = await attempt(gauge, [Sound(clips[count], None) for count in (4, 5)])
    assert outcomes == [
        Made(to_row(Measured(clips[4], "fake:scale", {"length": 4.0}))),
        Failed("fake:scale: the scale broke", transient=False),
    ]


def said(text: str, clip: str | None) -> Said:
    return Said(text, clip, 1.0, "stop", None)


def test_each_clip_is_heard_once_in_the_language_of_its_words() -> None:
    takes = [
        Take("a", "s", None, 0.0, (said("北京", "c1"),)),
        Take("b", "s", None, 0.0, (said("Beijing", "c2"), said("", "c3"))),
        Take("c", "s", None, 0.0, (said("北京", "c1"), said("mute", None))),
    ]
    assert sounds_of(takes, told_language=True) == [Sound("c1", "zh"), Sound("c2", "en"), Sound("c3", None)]
    assert sounds_of(takes, told_language=False) == [Sound("c1", None), Sound("c2", None), Sound("c3", None)]


def test_of_a_performance_in_real_time_every_track_is_heard_in_the_language_of_its_item() -> None:
    take = Take(
        "a", "s", "q", 1.0, (Said("你好", "b", 1.0, "stop", None),),
        tracks={"user": "q", "agent": "b"}, meta={"language": "en"},
    )  # fmt: skip
    for told in (True, False):
        assert sounds_of([take], told_language=told) == [Sound("q", "en"), Sound("b", "en")]
