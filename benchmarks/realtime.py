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
from typing import Any

import numpy as np

from antiphon.audio.vad import RATE_HZ, Vad
from antiphon.ids import rng
from antiphon.realtime.engine import Engine
from antiphon.realtime.events import FrameIn
from antiphon.realtime.oracle import Oracle
from antiphon.realtime.policies import policy_named
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulate import Simulation

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


def real_vad() -> float:
    """CPU seconds for a minute of sound through the voice detector and an engine."""
    sound = (0.1 * rng(0, "vad").standard_normal(VAD_S * RATE_HZ)).astype(np.float32)
    vad, engine = Vad(), Engine(Settings(), policy_named("default"))
    size = RATE_HZ * FRAME_US // 1_000_000
    begun = process_time()
    for number in range(len(sound) // size):
        vad.push(sound[number * size : (number + 1) * size])
        t_us = number * FRAME_US
        engine.step(t_us, [FrameIn(t_us)])
    return process_time() - begun


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
