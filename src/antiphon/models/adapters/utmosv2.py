"""`utmosv2:`: UTMOSv2, a predicted opinion (1 to 5) of how natural synthetic speech sounds.

    utmosv2:                          fold 0 of fusion_stage3, the package's default
    utmosv2:?fold=1&repetitions=5     another fold, the mean over five random cuts of each clip
    utmosv2:?checkpoint=PATH          weights of your own for the same configuration

The package `utmosv2` (MIT) is in no index: it is installed from its repository. It fetches weights by itself
when they are missing; here they must be present, so that their hash is part of the name. It cuts three
random seconds (and spectrogram frames) out of each clip: here the cuts are drawn anew from seed 0 for every
clip, so that a score depends on the clip alone. Another scale than UTMOS22, and never reported as it.
Source: Baba et al., "The T05 System for The VoiceMOS Challenge 2024", 2024.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import math
import os
import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models.adapters.torch_device import device_of
from antiphon.models.native import Engines, need
from antiphon.models.ports import Invalid
from antiphon.models.scorable import RATE_HZ, NativeScorer
from antiphon.models.weights import store

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.uri import Uri

NAMES = ("utmosv2",)
PACKAGE = "pip install git+https://github.com/sarulab-speech/UTMOSv2.git"
_FOLDS = 5
_SEED = 42  # the training seed of the published weights
# The package computes in half precision on a GPU, which moves scores: another name.
_PRECISION = {"cpu": "float32", "cuda": "float16"}
_QUIET = 0.1  # of full scale: the package takes 0.3 s below it for silence and cuts them out
_CUTS = 0  # what the cuts of each clip are drawn from

_engines: Engines[Model] = Engines()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the package is asked for."""

    checkpoint: Path
    config: str
    fold: int
    seed: int
    repetitions: int
    trim: bool
    device: str


def open_scorer(uri: Uri, clock: Clock) -> Utmosv2:
    """A scorer; nothing is loaded before its first clip, but package and weights must be here.

    Raises ConfigError for unknown options, UnavailableError with the command that brings what is missing.
    """
    uri.only("config", "fold", "seed", "checkpoint", "repetitions", "trim", "device")
    if uri.path:
        raise ConfigError(f"{uri.text}: write utmosv2: or utmosv2:?checkpoint=PATH")
    for package in ("torch", "utmosv2"):
        need(package, PACKAGE)
    settings = _settings(uri)
    engine = _engines.get(
        (settings, settings.checkpoint.stat().st_mtime_ns), lambda: Model(_load(settings), settings)
    )
    return Utmosv2(_name(settings), engine)


def _settings(uri: Uri) -> Settings:
    config = uri.options.get("config", "fusion_stage3")
    if not config.isidentifier():
        raise ConfigError(f"{uri.text}: config names a module of utmosv2.config, such as fusion_stage3")
    fold, seed = uri.whole("fold", 0), uri.whole("seed", _SEED)
    if not 0 <= fold < _FOLDS:
        raise ConfigError(f"{uri.text}: fold is 0 to {_FOLDS - 1}")
    repetitions, trim = uri.whole("repetitions", 1), uri.whole("trim", 1)
    if repetitions < 1 or trim not in (0, 1):
        raise ConfigError(f"{uri.text}: repetitions counts from 1, and trim is 0 or 1")
    path = Path(uri.options.get("checkpoint") or _published(config, fold, seed)).expanduser()
    if not path.is_file():
        raise _missing(uri, path, config, fold)
    return Settings(path, config, fold, seed, repetitions, bool(trim), device_of(uri, PACKAGE))


def _published(config: str, fold: int, seed: int, environ: Mapping[str, str] = os.environ) -> str:
    """Where the package keeps what it fetched (the variable is misspelt there)."""
    cache = environ.get("UTMOSV2_CHACHE") or "~/.cache/utmosv2"
    return f"{cache}/models/{config}/fold{fold}_s{seed}_best_model.pth"


def _missing(uri: Uri, path: Path, config: str, fold: int) -> ConfigError:
    if "checkpoint" in uri.options:
        return ConfigError(f"{uri.text}: no file {path}; give the checkpoint's path, or leave it out")
    fetch = f"utmosv2.utils.download_pretrained_weights_from_hf({config!r}, {fold})"
    return UnavailableError(f"the weights {path} are not here", f'python -c "import utmosv2; {fetch}"')


def _name(settings: Settings) -> str:
    """Package, configuration, weights, and what shapes the value beside them."""
    try:
        package = version("utmosv2")
    except PackageNotFoundError:  # on the path, and not installed
        package = "of an unknown version"
    weights = f"{settings.checkpoint.name}@{store.digest_of(settings.checkpoint)}"
    kept = "" if settings.trim else " silence kept"
    return (
        f"utmosv2:{settings.config} fold {settings.fold} seed {settings.seed} {weights} "
        f"repetitions {settings.repetitions}{kept} {_PRECISION[settings.device.partition(':')[0]]} (utmosv2 {package})"
    )


def _load(settings: Settings) -> Any:
    try:
        package = importlib.import_module("utmosv2")
    except ImportError as error:
        raise UnavailableError(f"utmosv2 is here but does not load ({error})", PACKAGE) from error
    with _quiet():
        return package.create_model(
            pretrained=True, config=settings.config, fold=settings.fold, seed=settings.seed,
            checkpoint_path=settings.checkpoint,
        )  # fmt: skip


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """The package prints where it loads from, and warns of what torch calls otherwise by now."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Model:
    """The package's model with what it is asked for every time."""

    def __init__(self, model: Any, settings: Settings) -> None:
        self._model = model
        self._settings = settings

    def score(self, samples: NDArray[np.float32]) -> float | Invalid:
        """The opinion of samples at 16 kHz, shape (n,). Raises ModelError when the package gives no one number."""
        if self._settings.trim and float(samples.max()) < _QUIET:
            return Invalid(f"nothing above {_QUIET} of full scale: UTMOSv2 cuts all of it out; try trim=0")
        with _quiet(), _cuts():
            found = self._model.predict(
                data=samples[None], sr=RATE_HZ, device=self._settings.device, num_workers=0, batch_size=1,
                num_repetitions=self._settings.repetitions, remove_silent_section=self._settings.trim,
                verbose=False,
            )  # fmt: skip
        values = np.asarray(found, np.float64).reshape(-1)
        if len(values) != 1:
            raise ModelError("utmosv2:", f"one clip gave {len(values)} opinions")
        return float(values[0])


@contextlib.contextmanager
def _cuts() -> Generator[None]:
    """The package draws from numpy's own generator: set for a clip, and put back as it was."""
    before = np.random.get_state()
    np.random.seed(_CUTS)
    try:
        yield
    finally:
        np.random.set_state(before)


class Utmosv2(NativeScorer[Model]):
    """One number a clip."""

    names = NAMES

    def measure(self, model: Model, samples: NDArray[np.float32]) -> dict[str, float] | Invalid:
        value = model.score(samples.copy())
        if isinstance(value, Invalid):
            return value
        return {"utmosv2": value} if math.isfinite(value) else Invalid(f"the model gave {value}")
