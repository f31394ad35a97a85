from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antiphon.models.adapters.utmos22_checkpoint import renamed
from antiphon.models.adapters.utmos22_network import STRIDES, Network

torch = pytest.importorskip("torch", reason="torch is not installed")
utmos22_weights = pytest.importorskip("tests.models.adapters.utmos22_weights")


def noise(length: int) -> np.ndarray:
    return (0.1 * np.random.default_rng(length).standard_normal(length)).astype(np.float32)


@pytest.mark.parametrize("layers", [1, 3])
def test_the_network_equals_one_built_of_torchs_own_modules(layers):
    reference = utmos22_weights.Reference(layers)
    network = Network(renamed(Path("x"), reference.authors()), "cpu", 288, 0)
    for length in (400, 4800, 16_001, 40_000):
        expected = reference(torch.from_numpy(noise(length))[None])
        assert network.score(noise(length)) == pytest.approx(expected, abs=1e-5)


def test_the_mean_over_frames_is_scaled_as_in_training():
    """With a projection to a constant c the score is 2 c + 3, whatever is heard: here c = 0.6, so 4.2."""
    state = utmos22_weights.Reference().authors()
    state["output_layers.1.net.3.weight"].zero_()
    state["output_layers.1.net.3.bias"].fill_(0.6)
    network = Network(renamed(Path("x"), state), "cpu", 288, 0)
    assert network.score(noise(9000)) == pytest.approx(4.2, abs=1e-6)


def test_silence_after_the_end_changes_a_score_so_clips_are_never_padded():
    network = Network(renamed(Path("x"), utmos22_weights.Reference().authors()), "cpu", 288, 0)
    padded = np.concatenate([noise(16_000), np.zeros(16_000, np.float32)])
    assert abs(network.score(padded) - network.score(noise(16_000))) > 1e-4


def test_a_frame_is_20_ms():
    assert np.prod(STRIDES) == 320  # samples at 16 kHz
