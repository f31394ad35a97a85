"""`utmos22:`: the UTMOS22 strong learner, a predicted opinion (1 to 5) of how natural speech sounds.

    utmos22:                                         the authors' demo checkpoint, from the hub's cache
    utmos22:?checkpoint=PATH                         a file: the authors' checkpoint, or SpeechMOS's export of it
    utmos22:?checkpoint=hf:OWNER/NAME/FILE           a file in the hub's cache (hf:spaces/OWNER/NAME/FILE likewise)

Which checkpoint scored is part of the name, file and hash. Clips are scored one by one: the model normalises
over the whole clip, so that a batch filled up with repetitions, as VocalBench's code makes them, gives each clip
a score that depends on its neighbours. `repeat_s=N` repeats shorter clips up to N seconds, whatever is scored
beside them. Source: Saeki et al., 2022; `epoch=3-step=7459.ckpt` with listener 288 and domain 0 is what the
authors' demo and VocalBench use, and was trained on the main track of the VoiceMOS Challenge 2022.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.errors import ConfigError
from antiphon.models.adapters.torch_device import device_of
from antiphon.models.adapters.utmos22_checkpoint import look, read
from antiphon.models.adapters.utmos22_network import Network
from antiphon.models.native import Engines, need
from antiphon.models.ports import Invalid
from antiphon.models.scorable import RATE_HZ, NativeScorer
from antiphon.models.weights import repos, store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.native import Engine
    from antiphon.models.uri import Uri

NAMES = ("utmos22",)
OFFICIAL = "hf:spaces/sarulab-speech/UTMOS-demo/epoch=3-step=7459.ckpt"
JUDGE, DOMAIN = 288, 0  # the mean listener of the main track, and that track
_LONGEST_REPEAT_S = 600
_REMEDY = "pip install 'antiphon[mos]'"

_engines: Engines[Network] = Engines()


@dataclass(frozen=True, slots=True)
class Settings:
    """What an engine is made of."""

    path: Path
    judge: int
    domain: int
    device: str
    threads: int


def open_scorer(uri: Uri, clock: Clock) -> Utmos22:
    """A scorer; nothing is loaded before its first clip, but its checkpoint must be here.

    Raises ConfigError for unknown options, UnavailableError when torch or the checkpoint is missing,
    DataError for a file that is another model.
    """
    uri.only("checkpoint", "judge", "domain", "repeat_s", "device", "threads")
    need("torch", _REMEDY)
    path = _checkpoint(uri)
    modified_ns = path.stat().st_mtime_ns
    look(path, modified_ns)
    settings = Settings(
        path, _least(uri, "judge", JUDGE, 0), _least(uri, "domain", DOMAIN, 0), device_of(uri, _REMEDY),
        _least(uri, "threads", 2, 1),
    )  # fmt: skip
    repeat_s = _least(uri, "repeat_s", 0, 0)
    if repeat_s > _LONGEST_REPEAT_S:
        raise ConfigError(f"{uri.text}: repeat_s is at most {_LONGEST_REPEAT_S}")
    engine = _engines.get((settings, modified_ns), lambda: _load(settings))
    repeated = f" repeated to {repeat_s} s" if repeat_s else ""
    name = f"utmos22:{path.name}@{store.digest_of(path)} judge {settings.judge} domain {settings.domain}"
    return Utmos22(name + repeated, engine, repeat_s)


def _least(uri: Uri, option: str, default: int, least: int) -> int:
    value = uri.whole(option, default)
    if value < least:
        raise ConfigError(f"{uri.text}: {option} counts from {least}")
    return value


def _checkpoint(uri: Uri) -> Path:
    """The file that the URI names. Raises ConfigError, UnavailableError."""
    if uri.path and "checkpoint" in uri.options:
        raise ConfigError(f"{uri.text}: names two checkpoints; write utmos22:?checkpoint=PATH")
    named = uri.options.get("checkpoint") or uri.path or OFFICIAL
    if named.startswith("hf:"):
        return _from_hub(uri, named)
    path = Path(named).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"{uri.text}: no file {named}; give the checkpoint's path, or hf:OWNER/NAME/FILE "
            "for one that the hub's cache holds"
        )
    return path


def _from_hub(uri: Uri, named: str) -> Path:
    place = named.removeprefix("hf:")
    kind = "space" if place.startswith("spaces/") else "model"
    owner, _, rest = place.removeprefix("spaces/").partition("/")
    repo, _, file = rest.partition("/")
    if not file:
        raise ConfigError(f"{uri.text}: write hf:OWNER/NAME/FILE, as in {OFFICIAL}")
    return repos.locate_file(f"{owner}/{repo}", file, kind)


def _load(settings: Settings) -> Network:
    """The network of a checkpoint. Raises DataError for a wrong one, ConfigError for a listener it lacks."""
    torch = importlib.import_module("torch")
    weights = read(settings.path)
    judge = _row(settings.path, weights, "judge", settings.judge, JUDGE)
    domain = _row(settings.path, weights, "domain", settings.domain, DOMAIN)
    torch.set_num_threads(settings.threads)
    return Network(weights, settings.device, judge, domain)


def _row(path: Path, weights: dict[str, Any], what: str, asked: int, usual: int) -> int:
    """Which row of an embedding; an export keeps only the usual one. Raises ConfigError."""
    rows = weights[what].shape[0]
    if rows == 1 and asked == usual:
        return 0
    if rows == 1 or asked >= rows:
        kept = f"only {what} {usual}" if rows == 1 else f"{what}s 0 to {rows - 1}"
        raise ConfigError(f"utmos22: {path.name} has {kept}, not {asked}")
    return asked


class Utmos22(NativeScorer[Network]):
    """One number a clip; a clip shorter than `repeat_s` is heard over and over."""

    names = NAMES

    def __init__(self, name: str, engine: Engine[Network], repeat_s: int = 0) -> None:
        super().__init__(name, engine)
        self._repeat_s = repeat_s

    def measure(self, model: Network, samples: NDArray[np.float32]) -> dict[str, float] | Invalid:
        value = model.score(repeated(samples, self._repeat_s * RATE_HZ))
        return {"utmos22": value} if math.isfinite(value) else Invalid(f"the model gave {value}")


def repeated(samples: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """The samples, over and over up to `length`; a longer clip stays as it is."""
    return samples if len(samples) >= length else np.resize(samples, length)
