"""Where a torch model runs and in which precision: as the URI says, else the first GPU in half precision."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError
from antiphon.models.native import need

if TYPE_CHECKING:
    from antiphon.models.uri import Uri

DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Place:
    """A device as torch names it, and a precision."""

    device: str
    dtype: str


def place_of(uri: Uri, remedy: str) -> Place:
    """The options `device` and `dtype`. Raises as `device_of` does, and ConfigError for another dtype."""
    device = device_of(uri, remedy)
    dtype = uri.options.get("dtype", "float32" if device == "cpu" else "float16")
    if dtype not in DTYPES:
        raise ConfigError(f"{uri.text}: no dtype {dtype!r}; there are: {', '.join(DTYPES)}")
    return Place(device, dtype)


def device_of(uri: Uri, remedy: str) -> str:
    """The option `device` as torch names it, "cpu" or "cuda:N"; "auto", and none, is the first GPU if there is one.

    A GPU that is not there is refused, never replaced by the CPU. Raises ConfigError; UnavailableError when torch
    is missing, with `remedy` as the next step.
    """
    need("torch", remedy)
    torch = importlib.import_module("torch")
    count: int = torch.cuda.device_count() if torch.cuda.is_available() else 0
    device = uri.options.get("device", "auto")
    if device == "auto":
        return "cuda:0" if count else "cpu"
    kind, _, index = device.partition(":")
    if kind not in ("cpu", "cuda") or not (index == "" or index.isdecimal()):
        raise ConfigError(f"{uri.text}: no device {device!r}; there are: auto, cpu, cuda, cuda:N")
    if kind == "cuda" and int(index or 0) >= count:
        raise ConfigError(f"{uri.text}: torch sees {count} GPU{'s' * (count != 1)} here; use device=cpu")
    return f"cuda:{index or 0}" if kind == "cuda" else "cpu"
