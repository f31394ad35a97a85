"""What the full-duplex engine costs, and how much faster than real time a simulated conversation is.

    python benchmarks/realtime.py [--sessions 40] [--json]

`engine_ms_per_frame`: CPU per 20 ms step of a conversation with overlaps (multi-party, every frame stepped), the
scripted people and workers included. `simulation_times_real_time`: oracle observations, driven by events.
`real_vad`: CPU to run the voice detector over 60 s of sound frame by frame, with an engine step for each frame;
the sound is synthetic, so this measures cost and says nothing of accuracy. Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.vad import RATE_HZ, Vad
from antiphon.ids import rng
from antiphon.realtime.hearing import EnergyVad
from antiphon.realtime.oracle import Oracle
from antiphon.realtime.policies import policy_named
from antiphon.realtime.real_ears import Organs, RealEars
from antiphon.realtime.recogniser import Latency
from antiphon.realtime.room import Room
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.simulate import Simulation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antiphon.partner.live import Line

FRAME_US = 20_000
VAD_S = 60
LIMITS = {
    "engine_ms_per_frame": (None, 0.1),
    "simulation_times_real_time": (1000.0, None),
    "real_vad_cpu_s_per_60_s": (None, 1.5),
}


def simulated(sessions: int, *, every_frame: bool) -> tuple[float, float, int]:
    """(CPU seconds, virtual seconds, steps) of that many sessions."""
    scripts = [multi_party(number, 0) for number in range(sessions)]
    policy = policy_named("default")
    begun = process_time()
    done = [
        Simulation(script.session, policy, Oracle(), 0, every_frame=every_frame).run() for script in scripts
    ]
    spent_s = process_time() - begun
    return spent_s, sum(each.end_us for each in done) / 1e6, sum(each.steps for each in done)


class Weighed:
    """Silero's network, run and not believed: these people are noise, and loudness tells when they speak."""

    def __init__(self) -> None:
        self._network, self._loud = Vad(), EnergyVad()

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        self._network.push(samples)
        return self._loud.push(samples)


def real_vad() -> float:
    """CPU seconds for a minute of conversation heard frame by frame: room, detector, engine, people and workers; a
    recogniser that costs nothing."""

    def say(line: Line, text: str, pace: float) -> Clip:
        count = int(len(text) * 0.06 / pace * RATE_HZ)
        return Clip((0.05 * rng(0, text).standard_normal(count)).clip(-1, 1).astype(np.float32), RATE_HZ)

    organs = Organs(say, lambda _: "What is it?", Weighed, Latency())
    ears = RealEars(organs, Room(-60.0, rng(0, "room")))
    simulation = Simulation(multi_party(0, 0).session, policy_named("default"), ears, 0)
    begun = process_time()
    done = simulation.run()
    return (process_time() - begun) * VAD_S * 1e6 / done.end_us


def measure(sessions: int) -> dict[str, Any]:
    frame_cpu_s, frame_virtual_s, _ = simulated(sessions, every_frame=True)
    cpu_s, virtual_s, steps = simulated(sessions, every_frame=False)
    return {
        "sessions": sessions,
        "engine_ms_per_frame": round(1000 * frame_cpu_s / (frame_virtual_s * 1e6 / FRAME_US), 4),
        "simulation_times_real_time": round(virtual_s / cpu_s),
        "simulation_us_per_step": round(1e6 * cpu_s / steps, 1),
        "real_vad_cpu_s_per_60_s": round(real_vad(), 2),
    }


def missed(found: dict[str, Any]) -> list[str]:
    return [
        f"{name} {found[name]}: limit {least or most}"
        for name, (least, most) in LIMITS.items()
        if (least is not None and found[name] < least) or (most is not None and found[name] > most)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = measure(chosen.sessions)
    print(
        json.dumps(found) if chosen.json else "\n".join(f"{name}  {value}" for name, value in found.items())
    )
    if problems := missed(found):
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
