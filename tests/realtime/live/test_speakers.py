from __future__ import annotations

import numpy as np

from antiphon.realtime import events as e
from antiphon.realtime.live.speakers import Known, Lock
from tests.realtime.conversing import LONG, MS, Talk

SECOND = 32_000


class Pitch:
    """A voice is an angle: the mean of the samples, in hundredths of full scale, turned into degrees."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def embed(self, samples: np.ndarray) -> np.ndarray | None:
        self.asked.append(len(samples) / 16_000)
        angle = np.deg2rad(round(float(samples.mean()) * 100))
        return None if angle == 0 else np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


def speech(degrees: int, seconds: float) -> bytes:
    return np.full(int(16_000 * seconds), degrees * 327.68 + 1).astype("<i2").tobytes()


def like(known: Known) -> tuple[str | None, bool | None, float | None]:
    return known.speaker, known.enrolled, None if known.likeness is None else round(known.likeness, 2)


async def test_the_first_seconds_of_speech_are_the_persons():
    lock = Lock(Pitch(), enrol_s=4)
    await lock.learn(speech(10, 2.5))
    assert await lock.known(speech(10, 2)) == Known()
    await lock.learn(speech(10, 2.5))
    assert like(await lock.known(speech(10, 2))) == ("person", True, 1.0)
    assert like(await lock.known(speech(80, 2))) == ("other", False, 0.34)
    assert like(await lock.known(speech(60, 2))) == (None, None, 0.64)
    await lock.learn(speech(80, 10))  # once learned, never changed
    assert like(await lock.known(speech(80, 2))) == ("other", False, 0.34)


async def test_a_given_voice_needs_no_learning_and_little_sound_is_not_judged():
    pitch = Pitch()
    lock = Lock(pitch, np.array([1, 0], dtype=np.float32))
    assert like(await lock.known(speech(5, 1))) == ("person", True, 1.0)
    assert await lock.known(speech(5, 0.9)) == Known()
    assert await lock.known(speech(0, 2)) == Known()  # nothing to hear
    assert pitch.asked == [1.0, 2.0]


def test_who_is_known_too_late_to_be_somebody_else_stops_the_agent_which_then_says_the_rest():
    talk = Talk()
    talk.speaking()
    talk.step(3100, e.SpeechStarted(3100 * MS, "u2", 3020 * MS))
    talk.waits(3720)
    talk.step(4080, e.SpeakerKnown(4080 * MS, "u2", "other", enrolled=False))
    assert talk.decisions()[-2:] == [
        ("STOP", "NONE", "goes on speaking"),
        ("RESUME", "NONE", "another speaker"),
    ]
    (stopped,) = talk.of(e.Stop)
    rest = "".join(clause.text for clause in talk.of(e.Render)[-3:])
    assert stopped.heard_chars == 8
    assert rest == LONG[8:]
