from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antiphon.errors import DataError
from antiphon.realtime.acts.classifier import ACTS
from antiphon.realtime.acts.stored import load, ours, save


def test_a_classifier_is_what_was_saved_to_within_a_step(tmp_path: Path):
    path = tmp_path / "a.npz"
    assert save(ours(), path) == len(ours().rows)
    again = load(path)
    assert again.rows == dict(ours().rows)
    assert np.abs(again.weights - ours().weights).max() <= np.abs(ours().weights).max() / 127
    assert list(tmp_path.iterdir()) == [path]


def test_light_runs_are_left_out(tmp_path: Path):
    kept = save(ours(), tmp_path / "a.npz", least=0.5)
    heavy = {run for run, at in ours().rows.items() if np.abs(ours().weights[at]).max() >= 0.5}
    assert kept == len(heavy) > 0
    assert set(load(tmp_path / "a.npz").rows) == heavy


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"PK\x03\x04broken"])
def test_what_is_no_file_of_weights_is_told(tmp_path: Path, content: bytes):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.npz: no weights of dialogue acts"):
        load(path)


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(DataError, match=r"none\.npz: no weights of dialogue acts"):
        load(tmp_path / "none.npz")


def test_weights_of_other_acts_are_told(tmp_path: Path):
    path = tmp_path / "a.npz"
    np.savez(
        path, acts=np.array(["x"]), runs=np.frombuffer(b"a", np.uint8), weights=np.zeros((1, 1), np.int8),
        step=np.float32(1), bias=np.zeros(1, np.float32),
    )  # fmt: skip
    with pytest.raises(DataError, match=rf"weights of other acts \(x\), and here they are {', '.join(ACTS)}"):
        load(path)
