from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio import mel
from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.adapters import dnsmos
from antiphon.models.ports import Invalid
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def voiced(seconds: float, seed: int, noise: float) -> Clip:
    """A buzzing, swelling tone with hiss: enough like speech to move all four numbers."""
    count = round(seconds * 16_000)
    t = np.arange(count) / 16_000
    phase = 2 * np.pi * np.cumsum(140 + 25 * np.sin(2 * np.pi * 0.7 * t)) / 16_000
    tone = sum(np.sin(k * phase) / k for k in range(1, 25))
    swell = np.clip(np.sin(2 * np.pi * 1.8 * t), 0, None)
    hiss = np.random.default_rng(seed).standard_normal(count)
    return Clip((0.2 * tone * swell + noise * hiss).astype(np.float32).clip(-1, 1), 16_000)


# Computed with speechmos 0.0.1.1 and librosa 0.11.0: overall, speech, background, P.808.
REFERENCE = [
    ((2.0, 1, 0.001), (2.331632912, 2.849964090, 3.319504361, 2.442766666)),
    ((9.5, 2, 0.01), (1.932648330, 3.170956885, 1.983286720, 2.171748400)),
    ((12.3, 3, 0.05), (1.551418304, 2.822791652, 1.523557279, 2.273664951)),
]


@pytest.mark.weights
@pytest.mark.parametrize(("case", "expected"), REFERENCE)
async def test_scores_equal_the_reference_implementation(
    weights: Callable[..., Any], case: tuple[float, int, float], expected: tuple[float, ...]
) -> None:
    weights("dnsmos")
    (got,) = await dnsmos.open_scorer(parse("dnsmos:"), VirtualClock()).score([voiced(*case)])
    assert isinstance(got, dict)
    assert tuple(got) == ("dnsmos_ovrl", "dnsmos_sig", "dnsmos_bak", "dnsmos_p808") == dnsmos.NAMES
    assert [got[name] for name in dnsmos.NAMES] == pytest.approx(expected, abs=1e-3)


@pytest.mark.weights
async def test_a_batch_keeps_its_order_and_names_what_cannot_be_scored(weights: Callable[..., Any]) -> None:
    weights("dnsmos")
    scorer = dnsmos.open_scorer(parse("dnsmos:?threads=1"), VirtualClock())
    blip = Clip([0.5] * 1600, 16_000)
    clips = [Clip([], 16_000), voiced(*REFERENCE[0][0]), Clip.silence(3, 16_000), blip]
    got = await scorer.score(clips)
    assert [type(row) for row in got] == [Invalid, dict, Invalid, Invalid]
    assert got[0] == Invalid("0.00 s of sound, less than the 0.3 s that a score needs")
    assert got[2] == Invalid("silence")
    assert got[3] == Invalid("0.10 s of sound, less than the 0.3 s that a score needs")
    assert scorer.name == "dnsmos:p835+p808@7e6bf85e945d"


def test_short_clips_are_doubled_and_long_ones_cut_every_second() -> None:
    short = np.arange(50_000, dtype=np.float32)  # 3.125 s, doubled twice to 12.5 s
    cut = dnsmos.windows(short)
    assert [len(window) for window in cut] == [144_160] * 3
    assert np.array_equal(cut[0][:100_000], np.concatenate([short, short]))
    assert cut[1][0] == 16_000
    # 9.01 s exactly is one window; a sample less is doubled first.
    assert len(dnsmos.windows(np.zeros(144_160, np.float32))) == 1
    assert len(dnsmos.windows(np.zeros(144_159, np.float32))) > 1


def test_the_spectrogram_of_a_tone_peaks_in_its_mel_band() -> None:
    t = np.arange(144_000) / 16_000
    tone = np.sin(2 * np.pi * 1000 * t).astype(np.float32)
    got = dnsmos.mel_decibels(tone)
    assert got.shape == (900, 120)
    edges_hz = mel._mel_to_hz(np.linspace(0, mel._hz_to_mel(8000), 122))
    band = int(np.argmax(got[450]))
    assert edges_hz[band] < 1000 < edges_hz[band + 2]
    assert float(got.max()) == 1.0  # the peak itself: (0 dB + 40) / 40
    assert float(got.min()) >= -1.0


def test_options_and_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path))
    for uri in ("dnsmos:?threads=0", "dnsmos:utmos", "dnsmos:?fast=1"):
        with pytest.raises(ConfigError):
            dnsmos.open_scorer(parse(uri), VirtualClock())
    with pytest.raises(UnavailableError) as caught:
        dnsmos.open_scorer(parse("dnsmos:"), VirtualClock())
    assert caught.value.remedy == "antiphon weights fetch dnsmos"
