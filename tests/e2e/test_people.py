from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.clock import RealClock
from antiphon.models.catalog import open_transcriber
from benchmarks.people import INSTALL, RECOGNISER, SETS, hear, pooled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# What the same recogniser was measured at on these recordings before Antiphon existed.
PUBLISHED = {"librivox": 0.028, "asterisk": 0.058}
WITHIN = 0.02


@pytest.mark.people
@pytest.mark.weights
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PUBLISHED)
async def test_recorded_people_are_understood_as_well_as_published(
    name: str, weights: Callable[..., list[Path]]
):
    weights("whisper-base")
    try:
        utterances = SETS[name]()
    except FileNotFoundError as error:
        pytest.skip(f"no recordings in {error.filename or error}; {INSTALL}")
    rate = pooled(await hear(open_transcriber(RECOGNISER, RealClock()), utterances))
    assert (rate.utterances, rate.words) == {"librivox": (5, 71), "asterisk": (50, 0)}[name]
    assert abs(rate.value - PUBLISHED[name]) <= WITHIN, rate
