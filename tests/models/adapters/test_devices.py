from __future__ import annotations

import pytest

from antiphon.errors import ConfigError
from antiphon.models.adapters.devices import chosen_device, device_of
from antiphon.models.uri import parse


@pytest.mark.parametrize(
    ("asked", "cuda", "expected"),
    [("auto", True, "cuda"), ("auto", False, "cpu"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_a_gpu_is_taken_where_there_is_one_and_none_was_refused(monkeypatch, asked, cuda, expected):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    assert chosen_device(asked) == expected


def test_a_gpu_that_is_not_here_is_told(monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(
        ConfigError, match=r"^device=cuda: torch sees no GPU here; leave it out, or write device=cpu$"
    ):
        chosen_device("cuda")


def test_other_words_are_refused():
    assert device_of(parse("utmos22:?device=cpu")) == "cpu"
    assert device_of(parse("utmos22:")) == "auto"
    with pytest.raises(
        ConfigError, match=r"^utmos22:\?device=tpu: no device 'tpu'; there are: auto, cpu, cuda$"
    ):
        device_of(parse("utmos22:?device=tpu"))
