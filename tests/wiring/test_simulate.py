from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.realtime.live.speakers import Lock
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.sets.run import Config, perform, report
from antiphon.realtime.simulation.recorded import rows_of
from antiphon.realtime.turn_policy import NeverAnswer
from antiphon.wiring.serve import WORDS_US, patient
from antiphon.wiring.simulate import Locked, Sound, Studio, heard_report, perform_real

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FAKE = Sound(
    synthesizer="scripted:?rate_hz=16000", transcriber="scripted:?text=What is it?", vad="energy", room_db=-70,
    recogniser_ms="200-400",
)  # fmt: skip
CONFIG = Config("fdb-like", sessions=2, observations="real")


def test_a_set_is_heard_and_says_with_what(own_cache: Path):
    studio = Studio(FAKE, 0, VirtualClock())
    outcomes = list(perform_real(CONFIG, studio))
    found = report(CONFIG, outcomes) | heard_report(studio, outcomes)
    assert found["observations"] == "real"
    ears = found["ears"]
    assert ears["scripted"] is True
    assert (ears["vad"], ears["recogniser_ms"], ears["language"], ears["speakers"]) == (
        "energy", [200, 400], "recognised", "unknown",
    )  # fmt: skip
    assert ears["words_waited_ms"] == 60_000
    assert found["heard"]["lines"] >= 2
    assert found["heard"]["missed"] == 0
    texts = {text for outcome in outcomes for _, text in outcome.performed.heard.values()}
    assert texts == {"What is it?"}
    assert not own_cache.exists()  # nothing scripted is kept
    again = list(perform_real(CONFIG, studio))
    assert report(CONFIG, again) == report(CONFIG, outcomes)


def test_speakers_are_unknown_unless_they_are_told(own_cache: Path):
    for speakers, enrolled in (("unknown", {None}), ("told", {True})):
        [outcome] = perform_real(
            replace(CONFIG, sessions=1), Studio(replace(FAKE, speakers=speakers), 0, VirtualClock())
        )
        rows = rows_of(outcome.performed.log)
        assert {fields["enrolled"] for _, _, name, fields in rows if name == "SpeechStarted"} == enrolled


def test_the_rules_wait_for_words_as_they_do_in_a_live_session():
    assert patient(ByRules()) == ByRules(words_us=WORDS_US)
    assert patient(NeverAnswer()) == NeverAnswer()


class OfOneVoice:
    """An embedder to whom the sign of the first sample is the voice."""

    async def embed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.array([1, 0] if samples[0] > 0 else [0, 1], dtype=np.float32)


def test_a_lock_learns_the_voice_that_speaks_first_and_tells_others_from_it():
    def pcm(value: int) -> bytes:
        return np.full(2 * 16_000, value, dtype="<i2").tobytes()

    with asyncio.Runner() as runner:
        who = Locked(Lock(OfOneVoice()), runner.run)
        assert who.known(pcm(1)) == (None, None)
        who.learn(pcm(1))
        who.learn(pcm(1))  # four seconds
        assert who.known(pcm(2)) == ("person", True)
        assert who.known(pcm(-1)) == ("other", False)


@pytest.mark.weights
def test_a_session_with_a_lock_says_so(weights: Callable[..., list[Path]], own_cache: Path):
    weights("resemblyzer")
    studio = Studio(replace(FAKE, speakers="lock"), 0, VirtualClock())
    [outcome] = perform_real(replace(CONFIG, sessions=1), studio)
    assert studio.facts()["speakers"] == "lock"
    assert outcome.performed.heard


@pytest.mark.parametrize(
    ("sound", "problem"),
    [
        (Sound(vad="ears"), "no voice activity detector 'ears'"),
        (Sound(speakers="x"), "no knowledge of speakers 'x'; there are: lock, told, unknown"),
        (Sound(room_db=-10), "--room-db -10: from -100"),
        (Sound(synthesizer="x:"), "no synthesizer scheme 'x:'"),
        (Sound(synthesizer="scripted:", transcriber="scripted:", recogniser_ms="x"), "--recogniser-ms 'x'"),
        (Sound(synthesizer="scripted:", transcriber="scripted:", voices=("a",)), "--voices 'a'"),
    ],
)
def test_what_cannot_be_heard_is_said_before_anything_begins(sound: Sound, problem: str):
    with pytest.raises(ConfigError, match=problem):
        Studio(sound, 0, VirtualClock())


def test_real_observations_need_ears():
    with pytest.raises(ConfigError, match="real observations need ears"):
        list(perform(CONFIG))
