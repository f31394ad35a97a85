from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.clock import RealClock
from antiphon.models.catalog import open_transcriber
from benchmarks.people import INSTALL, RECOGNISER, SETS, hear, pooled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# What trials of the same recogniser measured: on the five sentences, and on fifty prompts whose names were not
# kept. 95 of 100 random fifties of the 128 prompts lie between 1.9 and 5.2 % here; compared by lower-case
# letters alone, without our normaliser, between 2.6 and 6.4 %.
PUBLISHED = {"librivox": 0.028, "asterisk": 0.058}
# What this code measured: 1 of 71 words, and 14 of 519.
MEASURED = {"librivox": 0.0141, "asterisk": 0.0270}
SIZE = {"librivox": (5, 71), "asterisk": (50, 519)}
WITHIN = 0.02


@pytest.mark.people
@pytest.mark.weights
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PUBLISHED)
async def test_recorded_people_are_understood_as_measured_and_no_worse_than_published(
    name: str, weights: Callable[..., list[Path]]
):
    weights("whisper-base")
    try:
        utterances = SETS[name]()
    except FileNotFoundError as error:
        pytest.skip(f"no recordings in {error.filename or error}; {INSTALL}")
    rate = pooled(await hear(open_transcriber(RECOGNISER, RealClock()), utterances))
    assert (rate.utterances, rate.words) == SIZE[name]
    assert rate.value <= PUBLISHED[name] + WITHIN
    assert abs(rate.value - MEASURED[name]) <= WITHIN
