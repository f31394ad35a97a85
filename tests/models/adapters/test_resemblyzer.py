from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio import files
from antiphon.audio.resample import resample
from antiphon.errors import DataError, UnavailableError
from antiphon.models.adapters import resemblyzer
from antiphon.models.adapters.resemblyzer import Resemblyzer, embed, encode, read, without_pauses
from benchmarks.people import LIBRIVOX, PROMPTS

if TYPE_CHECKING:
    from collections.abc import Callable


def checkpoint(folder: Path) -> tuple[Path, Any]:
    """Random weights of the same shape in the file's old format, and torch's own network of them."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    lstm, linear = torch.nn.LSTM(40, 256, 3, batch_first=True), torch.nn.Linear(256, 256)
    state = {f"lstm.{name}": value for name, value in lstm.state_dict().items()}
    state |= {f"linear.{name}": value for name, value in linear.state_dict().items()}
    path = folder / "pretrained.pt"
    held = {"step": 1, "model_state": state | {"similarity_weight": torch.ones(1)}, "optimizer_state": {}}
    torch.save(held, path, _use_new_zipfile_serialization=False)

    def voices(mels: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            _, (hidden, _) = lstm(torch.from_numpy(mels))
            raw = torch.relu(linear(hidden[-1]))
        return (raw / raw.norm(dim=1, keepdim=True)).numpy()

    return path, voices


def test_the_network_equals_torchs_for_one_window_and_for_several(tmp_path: Path):
    path, theirs = checkpoint(tmp_path)
    weights = read(path)
    mels = np.random.default_rng(0).gamma(1, 2, (3, 50, 40)).astype(np.float32)
    for windows in (mels, mels[:1]):
        assert np.abs(encode(weights, windows) - theirs(windows)).max() < 1e-5


def test_a_voice_is_the_mean_of_windows_of_1_6_s_of_length_1_and_silence_none(tmp_path: Path):
    weights = read(checkpoint(tmp_path)[0])
    sound = np.random.default_rng(1).normal(0, 0.1, 16_000 * 3).astype(np.float32)
    voice = embed(weights, sound)
    assert voice is not None
    assert voice.shape == (256,)
    assert abs(float(np.linalg.norm(voice)) - 1) < 1e-5
    quiet = embed(weights, sound / 10)  # soft speech is made louder
    assert quiet is not None
    assert float(voice @ quiet) > 0.999
    assert embed(weights, np.zeros(100, np.float32)) is None


def test_pauses_are_cut_out():
    sound = np.random.default_rng(2).normal(0, 0.1, 16_000).astype(np.float32)
    padded = np.concatenate([np.zeros(9600, np.float32), sound[:9600], np.zeros(4800, np.float32)])
    assert np.array_equal(without_pauses(padded), sound[:9600])
    assert len(without_pauses(sound[:10])) == 0


class Evil:
    def __reduce__(self) -> Any:
        return os.mkdir, ("must-not-be",)


@pytest.mark.parametrize(
    "content", [b"", b"not a pickle", pickle.dumps(Evil()), pickle.dumps({"model_state": 1}) * 5]
)
def test_a_file_that_is_something_else_is_an_error_and_nothing_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pretrained.pt"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no checkpoint of Resemblyzer"):
        read(path)
    assert not (tmp_path / "must-not-be").exists()


def test_without_weights_it_says_how_to_get_them(own_cache: Path):
    with pytest.raises(UnavailableError) as caught:
        Resemblyzer()
    assert caught.value.remedy == "antiphon weights fetch resemblyzer"


@pytest.mark.weights
@pytest.mark.people
async def test_two_people_are_told_apart(weights: Callable[..., list[Path]]):
    weights("resemblyzer")
    if not PROMPTS.is_dir() or not LIBRIVOX.is_dir():
        pytest.skip("apt-get install asterisk-core-sounds-en-wav pocketsphinx-testdata")
    encoder = Resemblyzer()

    def longest(folder: Path) -> list[Path]:
        return sorted(folder.glob("*.wav"), key=lambda path: -path.stat().st_size)[:4]

    async def voices(paths: list[Path]) -> list[np.ndarray]:
        sounds = [resample(files.read(path), resemblyzer.RATE_HZ).samples[:64_000] for path in paths]
        return [voice for sound in sounds if (voice := await encoder.embed(sound)) is not None]

    hers, his = await voices(longest(PROMPTS)), await voices(longest(LIBRIVOX))
    alike = min(float(one @ other) for group in (hers, his) for one in group for other in group)
    apart = max(float(one @ other) for one in hers for other in his)
    assert (len(hers), len(his)) == (4, 4)
    assert apart < alike
