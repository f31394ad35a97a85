"""Players: what a page needs to show a clip as a small waveform and to play it on request."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from antiphon.audio.files import decode
from antiphon.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.audio.clip import Clip

PEAKS = 120
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

Voice = Literal["person", "agent"]


@dataclass(frozen=True, slots=True)
class Player:
    """One clip on a page. `peaks` is the waveform, a letter a peak; `problem` says why it cannot sound."""

    voice: Voice
    label: str
    source: str
    duration_s: float
    peaks: str = ""
    problem: str = ""


def waveform(clip: Clip) -> str:
    """The loudest sample of each of 120 equal parts, as letters: A is silence, _ full scale.

    The scale is the square root of the amplitude, so that quiet speech is seen and loud differs from quiet.
    """
    if len(clip) == 0:
        return ""
    count = min(PEAKS, len(clip))
    starts = np.linspace(0, len(clip), count, endpoint=False).astype(int)
    peaks = np.maximum.reduceat(np.abs(clip.samples), starts)
    levels = np.rint(np.sqrt(np.minimum(peaks, 1.0)) * (len(_DIGITS) - 1)).astype(int)
    return "".join(_DIGITS[level] for level in levels)


def player(voice: Voice, path: Path, source: str, label: str, *, embed: bool = False) -> Player:
    """A player for one file. `source` is its address relative to the page; `embed` puts the sound inside.

    A file that is missing or broken gives a player that says so: the page must show what was lost.
    """
    try:
        data = path.read_bytes()
        clip = decode(data, path.name)
    except FileNotFoundError:
        return Player(voice, label, "", 0.0, problem=f"the sound is missing: {source}")
    except DataError as error:
        return Player(voice, label, "", 0.0, problem=f"the sound cannot be read: {error}")
    if embed:
        source = f"data:audio/flac;base64,{base64.b64encode(data).decode()}"
    return Player(voice, label, source, clip.duration_s, waveform(clip))
