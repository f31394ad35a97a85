"""What echo cancellation is worth: the agent's voice in the person's microphone, with and without it.

    python benchmarks/echo.py [--voice kokoro:] [--person espeak:en-gb] [--minutes 0.5] [--json]

The echo is synthesized: the agent's speech, late by the network and the sound card, at the given level against what
was played, in a room of the given reverberation time (image method), bent a little by the loudspeaker, over the
noise of a microphone at -65 dBFS. 20 ms frames go through `realtime.echo` in the order and at the times of a session,
then through the neural detector as a session hears it.

erle_db                     power of the echo before and after, the first 3 s left out
false_starts_per_minute     `speech_started` while only the agent speaks (one that lasts counts once)
heard_s_per_minute          seconds of it that were taken for speech
double_talk                 of the person's utterances over the agent's speech, how many were noticed as a
                            beginning of speech within 0.6 s, and how many could not be since the ear was open already
cpu_ms_per_s                of the cancellation, per second of sound
"""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import Any

import numpy as np
from scipy.signal import oaconvolve

from antiphon.audio.aec import Aec3
from antiphon.audio.resample import resample
from antiphon.audio.rooms import impulse_response
from antiphon.audio.vad import Vad
from antiphon.clock import RealClock
from antiphon.ids import rng
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.realtime.live.echo import Echo
from antiphon.realtime.live.hearing import Began, Ear, Manner
from antiphon.realtime.live.playout import LEAD_US

NEAR_HZ, FAR_HZ, FRAME_US = 16_000, 24_000, 20_000
NEAR, FAR = NEAR_HZ // 50, FAR_HZ // 50
SETTLES_S = 3.0
SOON_S = 0.6
DELAYS_MS, LEVELS_DB, ROOMS_S = (40, 120, 250), (-6, -12, -20), (0.2, 0.4)
AGENT = (
    "The library opens at nine in the morning on every weekday, and at ten on Saturdays. On Sundays it is closed, "
    "except in the weeks before the examinations, when the reading room stays open until midnight. You may borrow "
    "twelve books at once, and keep each of them for four weeks. Whoever needs one for longer can renew it twice."
)
PERSON = (
    "Wait, which library do you mean?",
    "Sorry, can I ask something?",
    "Stop, that is not what I asked.",
)


@dataclass(frozen=True)
class Case:
    """One echo: how late, how loud against what is played, in which room."""

    delay_ms: int
    level_db: float
    rt60_s: float


def echo_of(played: np.ndarray, case: Case) -> np.ndarray:
    """What of the agent's 16 kHz sound reaches the microphone."""
    bent = np.tanh(1.5 * played) / 1.5
    wet = oaconvolve(bent, impulse_response(case.rt60_s, 0.5, NEAR_HZ))[: len(played)]
    late = np.concatenate([np.zeros(case.delay_ms * NEAR_HZ // 1000), wet])[: len(played)]
    return late * 10 ** (case.level_db / 20)


def pcm(samples: np.ndarray) -> bytes:
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def cleaned(near: np.ndarray, far: np.ndarray, canceller: Any) -> tuple[np.ndarray, float]:
    """The microphone's sound after `realtime.echo`, and the CPU seconds; the agent speaks from 0 on."""
    echo = Echo(canceller)
    echo.on = True
    lead = LEAD_US // FRAME_US
    out = bytearray()
    begun = process_time()
    for frame in range(len(near) // NEAR):
        for number in range(lead) if frame == 0 else (frame + lead - 1,):
            echo.plays(pcm(far[number * FAR : (number + 1) * FAR]), number * FRAME_US)
        out += echo.clean(pcm(near[frame * NEAR : (frame + 1) * NEAR]), (frame + 1) * FRAME_US)
    spent_s = process_time() - begun
    return np.frombuffer(bytes(out), dtype="<i2") / np.float32(32768), spent_s


def heard(near: np.ndarray) -> list[tuple[float, float]]:
    """Utterances as a session hears them, in seconds."""
    count = iter(range(10_000))
    ear = Ear(Vad(), Manner(), lambda: str(next(count)))
    spans: list[tuple[float, float]] = []
    for frame in range(len(near) // NEAR):
        for edge in ear.push(pcm(near[frame * NEAR : (frame + 1) * NEAR]), (frame + 1) * FRAME_US):
            if isinstance(edge, Began):
                spans.append((edge.at_us / 1e6, len(near) / NEAR_HZ))
            else:
                spans[-1] = (spans[-1][0], edge.at_us / 1e6)
    return spans


def db(samples: np.ndarray) -> float:
    return 10 * float(np.log10(np.square(samples, dtype=np.float64).mean() + 1e-12))


def measure(case: Case, agent: np.ndarray, people: list[np.ndarray], canceller: Any) -> dict[str, Any]:
    """One case: the agent alone, then the same with people who speak over it."""
    played = resample_to_near(agent)
    noise = 10 ** (-65 / 20) * rng(0, "microphone").standard_normal(len(played))
    echo = echo_of(played, case) + noise
    minutes = len(echo) / NEAR_HZ / 60
    alone, spent_s = cleaned(echo, agent, canceller)
    settled = int(SETTLES_S * NEAR_HZ)
    spans = heard(alone)
    over = echo.copy()
    onsets = [SETTLES_S + 1 + 4.5 * number for number in range(int((len(echo) / NEAR_HZ - 8) / 4.5))]
    for number, onset_s in enumerate(onsets):
        words = people[number % len(people)]
        at = int(onset_s * NEAR_HZ)
        over[at : at + len(words)] += words[: len(over) - at]
    edges = heard(cleaned(over, agent, canceller)[0])
    noticed = sum(any(on - 0.1 <= start <= on + SOON_S for start, _ in edges) for on in onsets)
    deaf = sum(any(start < on - 0.1 < end - 0.1 for start, end in edges) for on in onsets)
    return {
        "erle_db": db(echo[settled : len(alone)]) - db(alone[settled:]),
        "false_starts": len(spans),
        "heard_s": sum(end - start for start, end in spans),
        "minutes": minutes,
        "over": len(onsets),
        "noticed": noticed,
        "ear_open_already": deaf,
        "cpu_s": spent_s,
    }


def resample_to_near(agent: np.ndarray) -> np.ndarray:
    from antiphon.audio.clip import Clip

    return resample(Clip(agent.astype(np.float32), FAR_HZ), NEAR_HZ).samples.astype(np.float64)


async def spoken(uri: str, text: str, rate_hz: int, level_db: float) -> np.ndarray:
    """Somebody's sentence at this level, silence around it left out."""
    samples = resample(await speak(open_synthesizer(uri, RealClock()), text), rate_hz).samples.astype(
        np.float64
    )
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    samples = samples[loud[0] : loud[-1]]
    return samples * 10 ** ((level_db - db(samples)) / 20)


def summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    total = {name: sum(row[name] for row in rows) for name in rows[0]}
    return {
        "cases": len(rows),
        "erle_db_mean": round(total["erle_db"] / len(rows), 1),
        "erle_db_least": round(min(row["erle_db"] for row in rows), 1),
        "false_starts_per_minute": round(total["false_starts"] / total["minutes"], 1),
        "heard_s_per_minute": round(total["heard_s"] / total["minutes"], 1),
        "minutes": round(total["minutes"], 1),
        "double_talk": {name: total[name] for name in ("over", "noticed", "ear_open_already")},
        "cpu_ms_per_s": round(1000 * total["cpu_s"] / total["minutes"] / 60, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--voice", default="kokoro:", help="the agent's synthesizer")
    parser.add_argument("--person", default="espeak:en-gb", help="the person's synthesizer")
    parser.add_argument("--minutes", type=float, default=0.5, help="of agent's speech in each case")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    speech = asyncio.run(spoken(asked.voice, AGENT, FAR_HZ, -20))
    agent = np.resize(speech, int(asked.minutes * 60 * FAR_HZ))
    people = [asyncio.run(spoken(asked.person, words, NEAR_HZ, -26)) for words in PERSON]
    cases = [Case(*each) for each in product(DELAYS_MS, LEVELS_DB, ROOMS_S)]
    found = {"agent": asked.voice, "person": asked.person}
    for name, canceller in (("off", None), ("aec3", Aec3)):
        rows = [measure(case, agent, people, canceller) for case in cases]
        found[name] = summed(rows) | {
            f"{level} dB": summed(
                [row for row, case in zip(rows, cases, strict=True) if case.level_db == level]
            )
            for level in LEVELS_DB
        }
    print(json.dumps(found) if asked.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
