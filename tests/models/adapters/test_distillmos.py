from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import distillmos
from antiphon.models.ports import Invalid
from antiphon.models.uri import parse

needs_package = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "distillmos", "xls_r_sqa")),
    reason="DistillMOS is not installed",
)


def sweep(seconds: float, noise: float) -> Clip:
    t = np.arange(round(seconds * 16_000)) / 16_000
    hiss = np.random.default_rng(5).standard_normal(len(t))
    tone = np.sin(2 * np.pi * (200 + 40 * t) * t) * (np.sin(7 * t) > 0)
    return Clip((0.3 * tone + noise * hiss).astype(np.float32), 16_000)


@needs_package
@pytest.mark.timeout(180)
@pytest.mark.parametrize("seconds", [1.0, 7.68, 9.1])
async def test_scores_equal_the_packages_own_forward_pass(
    seconds: float, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    clip = sweep(seconds, 0.01)
    (got,) = await distillmos.open_scorer(parse("distillmos:"), VirtualClock()).score([clip])
    assert capsys.readouterr().out == ""
    with distillmos._stand_in("torchaudio"):
        from distillmos import ConvTransformerSQAModel
    model = ConvTransformerSQAModel().eval()
    with torch.inference_mode():
        expected = float(model(torch.from_numpy(clip.samples.copy())[None]))
    assert isinstance(got, dict)
    assert got == {"distillmos": pytest.approx(expected, abs=1e-4)}


@needs_package
async def test_a_batch_keeps_its_order_and_names_what_cannot_be_scored() -> None:
    scorer = distillmos.open_scorer(parse("distillmos:"), VirtualClock())
    got = await scorer.score([Clip([], 24_000), sweep(2, 0.3), Clip.silence(2, 24_000)])
    assert got[0] == Invalid("0.00 s of sound, less than the 0.3 s that a score needs")
    assert got[2] == Invalid("silence")
    assert isinstance(got[1], dict)
    assert 1 <= got[1]["distillmos"] <= 5
    assert scorer.name == "distillmos:v7@b18b3ac60227 (distillmos 0.9.1)"


def test_windows_reach_the_very_end_and_are_at_most_a_second_apart() -> None:
    samples = np.arange(122_880 + 24_000, dtype=np.float32)
    cut = distillmos.windows(samples)
    assert cut.shape == (3, 122_880)
    assert cut[:, 0].tolist() == [0, 12_000, 24_000]
    assert cut[-1, -1] == samples[-1]
    assert distillmos.windows(np.ones(10, np.float32)).sum() == 10


def test_the_stand_in_module_is_gone_afterwards_and_never_hides_the_real_one() -> None:
    with distillmos._stand_in("no_such_package"):
        assert isinstance(sys.modules["no_such_package"], ModuleType)
    assert "no_such_package" not in sys.modules
    import json

    with distillmos._stand_in("json"):
        assert sys.modules["json"] is json
    assert sys.modules["json"] is json


def test_options_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="no option 'utmos'"):
        distillmos.open_scorer(parse("distillmos:?utmos=1"), VirtualClock())
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError) as caught:
        distillmos.open_scorer(parse("distillmos:"), VirtualClock())
    assert str(caught.value) == (
        "the package torch is missing; "
        "pip install 'antiphon[mos]' && pip install --no-deps distillmos xls-r-sqa"
    )
