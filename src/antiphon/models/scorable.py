"""Which clips a model can say something about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antiphon.models.ports import Invalid

if TYPE_CHECKING:
    from antiphon.audio.clip import Clip

SHORTEST_S = 0.3
_SILENT_BELOW = 1e-4  # of full scale, -80 dBFS


def unscorable(clip: Clip) -> Invalid | None:
    """Why a clip gets no score: too short to judge, or silent. None when it can be scored."""
    if clip.duration_s < SHORTEST_S:
        return Invalid(f"{clip.duration_s:.2f} s of sound, less than the {SHORTEST_S} s that a score needs")
    return Invalid("silence") if is_silent(clip) else None


def is_silent(clip: Clip) -> bool:
    """Whether nothing in the clip reaches -80 dBFS."""
    return len(clip) == 0 or float(np.abs(clip.samples).max()) < _SILENT_BELOW
