from __future__ import annotations

import pytest

from antiphon.errors import ConfigError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters.torch_device import Place, device_of, place_of
from antiphon.models.uri import parse

REMEDY = "pip install 'antiphon[transformers]'"


def test_the_cpu_computes_in_single_and_a_gpu_in_half_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert place_of(parse("x:"), REMEDY) == Place("cpu", "float32")
    assert place_of(parse("x:?dtype=bfloat16"), REMEDY) == Place("cpu", "bfloat16")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert place_of(parse("x:"), REMEDY) == Place("cuda:0", "float16")
    assert place_of(parse("x:?device=cuda:1&dtype=float32"), REMEDY) == Place("cuda:1", "float32")
    assert place_of(parse("x:?device=cpu"), REMEDY) == Place("cpu", "float32")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("device=cuda:1", "torch sees 1 GPU here; use device=cpu"),
        ("device=tpu", "no device 'tpu'; there are: auto, cpu, cuda, cuda:N"),
        ("device=cuda:x", "no device 'cuda:x'"),
        ("dtype=int8", "no dtype 'int8'; there are: float32, float16, bfloat16"),
    ],
)
def test_a_device_that_is_not_there_is_never_replaced(
    monkeypatch: pytest.MonkeyPatch, options: str, problem: str
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(ConfigError, match=problem):
        place_of(parse(f"x:?{options}"), REMEDY)


@pytest.mark.parametrize(
    ("asked", "gpus", "expected"),
    [
        ("", 1, "cuda:0"), ("", 0, "cpu"), ("?device=auto", 2, "cuda:0"), ("?device=auto", 0, "cpu"),
        ("?device=cpu", 1, "cpu"), ("?device=cuda", 1, "cuda:0"),
    ],
)  # fmt: skip
def test_a_gpu_is_taken_where_there_is_one_and_none_was_refused(
    monkeypatch: pytest.MonkeyPatch, asked: str, gpus: int, expected: str
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert device_of(parse(f"x:{asked}"), REMEDY) == expected


def test_a_driver_that_counts_gpus_it_cannot_use_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert device_of(parse("x:"), REMEDY) == "cpu"
    with pytest.raises(ConfigError, match=r"^x:\?device=cuda: torch sees 0 GPUs here; use device=cpu$"):
        device_of(parse("x:?device=cuda"), REMEDY)


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"torch is missing; pip install 'antiphon\[transformers\]'"):
        place_of(parse("x:"), REMEDY)
