"""Where a torch model runs: the option `device` of the adapters that have one."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from antiphon.models.uri import Uri

DEVICES = ("auto", "cpu", "cuda")


def device_of(uri: Uri) -> str:
    """The option `device`, "auto" where it is not given. Raises ConfigError for any other word."""
    device = uri.options.get("device", "auto")
    if device not in DEVICES:
        raise ConfigError(f"{uri.text}: no device {device!r}; there are: {', '.join(DEVICES)}")
    return device


def chosen_device(device: str) -> str:
    """ "cpu" or "cuda": "auto" takes the GPU that is here. Raises ConfigError for one that is not."""
    cuda = importlib.import_module("torch").cuda.is_available()
    if device == "cuda" and not cuda:
        raise ConfigError("device=cuda: torch sees no GPU here; leave it out, or write device=cpu")
    return "cuda" if cuda and device != "cpu" else "cpu"
