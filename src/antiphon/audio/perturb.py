"""Perturbations of a clip: recipes that can be written down, and their application.

A recipe as text: `white_noise:snr_db=5`, `packet_loss:share=0.3,mean_burst=4`; as a row of JSON:
`{"name": "white_noise", "snr_db": 5.0}`. Parameters at their default are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec

from antiphon.audio.background import Corpus, background
from antiphon.audio.channel import (
    drop_frames,
    frame_edges,
    lost_at_random,
    lost_in_bursts,
    low_pass,
    overload,
)
from antiphon.audio.noise import add_noise, add_white
from antiphon.audio.rooms import DISTANCES_M, RT60_S, reverberate
from antiphon.errors import ConfigError, unknown
from antiphon.ids import rng

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.audio.clip import Clip


@dataclass(frozen=True, slots=True)
class WhiteNoise:
    """Gaussian white noise at a ratio of mean powers."""

    NAME: ClassVar[str] = "white_noise"
    snr_db: float

    def __post_init__(self) -> None:
        _check("snr_db", self.snr_db, -100, 100)


@dataclass(frozen=True, slots=True)
class BackgroundNoise:
    """Background noise at a ratio of mean powers: synthetic `babble` or `street`, or a corpus by its name."""

    NAME: ClassVar[str] = "background_noise"
    snr_db: float
    noise: str = "babble"

    def __post_init__(self) -> None:
        _check("snr_db", self.snr_db, -100, 100)
        if not self.noise or set(self.noise) & set(",=: "):
            raise ValueError(f"noise must be a name without spaces and any of ',=:', not {self.noise!r}")


@dataclass(frozen=True, slots=True)
class Reverberation:
    """A hall in which sound takes `rt60_s` to fall by 60 dB, `distance_m` from the speaker's mouth."""

    NAME: ClassVar[str] = "reverberation"
    rt60_s: float
    distance_m: float = 2.0

    def __post_init__(self) -> None:
        _check("rt60_s", self.rt60_s, *RT60_S)
        _check("distance_m", self.distance_m, *DISTANCES_M)


@dataclass(frozen=True, slots=True)
class FarField:
    """Only what lies under `cutoff_hz` arrives."""

    NAME: ClassVar[str] = "far_field"
    cutoff_hz: float

    def __post_init__(self) -> None:
        _check("cutoff_hz", self.cutoff_hz, 1, 1e6)


@dataclass(frozen=True, slots=True)
class PacketLoss:
    """A share of the 20 ms frames is silent: each by itself, or in bursts of `mean_burst` frames on average."""

    NAME: ClassVar[str] = "packet_loss"
    share: float
    mean_burst: float | None = None

    def __post_init__(self) -> None:
        _check("share", self.share, 0, 1)
        if self.mean_burst is None:
            return
        if not 0 < self.share < 1:
            raise ValueError(f"bursts need a share between 0 and 1, not {self.share}")
        # What arrives between two bursts is at least one frame.
        least = max(1.0, self.share / (1 - self.share))
        if self.mean_burst < least * (1 - 1e-9):
            raise ValueError(f"mean_burst must be at least {least:g} at this share, not {self.mean_burst}")
        _check("mean_burst", self.mean_burst, 0, 1e6)


@dataclass(frozen=True, slots=True)
class Clipping:
    """Samples beyond `threshold` times the clip's peak are cut there."""

    NAME: ClassVar[str] = "clipping"
    threshold: float

    def __post_init__(self) -> None:
        _check("threshold", self.threshold, 1e-6, 1)


Recipe: TypeAlias = WhiteNoise | BackgroundNoise | Reverberation | FarField | PacketLoss | Clipping

KINDS: dict[str, type[Recipe]] = {
    kind.NAME: kind for kind in (WhiteNoise, BackgroundNoise, Reverberation, FarField, PacketLoss, Clipping)
}


def apply(recipe: Recipe, clip: Clip, seed: int, corpus: Corpus | None = None) -> Clip:
    """The clip as the recipe leaves it: the same recipe, clip and seed always give the same clip.

    16 bits hold the result without clipping: where it would pass full scale it is scaled down as a whole.
    Only reverberation changes the length, by its tail. Raises ValueError where the clip allows no such
    thing: silence and an empty clip have no signal-to-noise ratio.
    """
    match recipe:
        case WhiteNoise(snr_db=snr_db):
            return add_white(clip, snr_db, seed)
        case BackgroundNoise(snr_db=snr_db, noise=noise):
            generator = rng(seed, "background noise", noise, clip.digest)
            piece = background(noise, len(clip), clip.rate_hz, generator, corpus)
            return add_noise(clip, piece, snr_db)
        case Reverberation(rt60_s=rt60_s, distance_m=distance_m):
            return reverberate(clip, rt60_s, distance_m)
        case FarField(cutoff_hz=cutoff_hz):
            return low_pass(clip, cutoff_hz)
        case PacketLoss(share=share, mean_burst=mean_burst):
            return _with_losses(clip, share, mean_burst, seed)
        case Clipping(threshold=threshold):
            return overload(clip, threshold)


def _with_losses(clip: Clip, share: float, mean_burst: float | None, seed: int) -> Clip:
    count = len(frame_edges(clip)) - 1
    generator = rng(seed, "packet loss", clip.digest)
    if mean_burst is None:
        return drop_frames(clip, lost_at_random(count, share, generator))
    return drop_frames(clip, lost_in_bursts(count, share, mean_burst, generator))


def to_row(recipe: Recipe) -> dict[str, Any]:
    """The recipe as a JSON object."""
    return {"name": recipe.NAME, **_parameters(recipe)}


def from_row(row: Mapping[str, Any]) -> Recipe:
    """The recipe in a JSON object. Raises ConfigError that names the parameter."""
    return _made(str(row.get("name")), {key: value for key, value in row.items() if key != "name"})


def to_text(recipe: Recipe) -> str:
    """The recipe in one word, as `from_text` reads it."""
    listed = ",".join(f"{key}={_plain(value)}" for key, value in _parameters(recipe).items())
    return f"{recipe.NAME}:{listed}"


def from_text(text: str) -> Recipe:
    """The recipe in a text such as `white_noise:snr_db=5`. Raises ConfigError that names the parameter."""
    name, _, listed = text.strip().partition(":")
    given: dict[str, str] = {}
    for part in filter(None, listed.split(",")):
        key, equals, value = part.partition("=")
        if not equals or key.strip() in given:
            raise ConfigError(f"{text!r}: {part!r} is not one more name=value")
        given[key.strip()] = value.strip()
    return _made(name, given)


def _parameters(recipe: Recipe) -> dict[str, float | str]:
    return {
        field.name: getattr(recipe, field.name)
        for field in fields(recipe)
        if getattr(recipe, field.name) != field.default
    }


def _plain(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _made(name: str, given: Mapping[str, object]) -> Recipe:
    if name not in KINDS:
        raise unknown("perturbation", name, KINDS)
    names = [field.name for field in fields(KINDS[name])]
    for key in given:
        if key not in names:
            raise unknown("parameter", key, names, f"mend {name}")
    try:
        return msgspec.convert(given, KINDS[name], strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}: {error}") from None


def _check(name: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise ValueError(f"{name} must lie in {low:g}..{high:g}, not {value}")
