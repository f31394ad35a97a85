"""What the runtime costs and how fast it is: the engine, the simulator, a served agent, and many of them.

    python benchmarks/realtime.py [--json]                                        # a few minutes
    python benchmarks/realtime.py --trials 20 --kokoro-trials 10 --seconds 60     # half an hour
    python benchmarks/realtime.py --only engine                                   # seconds

`engine`: `engine_ms_per_frame` is CPU per 20 ms step of a conversation with overlaps (multi-party, every frame
stepped), the scripted people and workers included. `simulation_times_real_time`: with oracle observations, driven
by events; and with the voice detector run over 60 s of sound frame by frame, an engine step for each frame (the
sound is synthetic: this is of cost, not of accuracy).
`latency`: benchmarks/serving.py with the fast synthesizer, and with Kokoro under keys of its own.
`sessions`: `sessions_per_core`, the most that benchmarks/sessions.py finds in time, for each detector.
Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.vad import RATE_HZ, Vad
from antiphon.ids import rng
from antiphon.realtime.live.hearing import EnergyVad
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.real_ears import Organs, RealEars
from antiphon.realtime.simulation.recogniser import Latency
from antiphon.realtime.simulation.room import Room
from antiphon.realtime.simulation.simulate import Simulation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antiphon.partner.live import Line

FRAME_US = 20_000
VAD_S = 60
PARTS = ("engine", "latency", "sessions")
FAST = "espeak:en-us"
LIMITS: dict[str, tuple[float | None, float | None]] = {
    "engine_ms_per_frame": (None, 0.1),
    "simulation_times_real_time.oracle": (1000.0, None),
    "simulation_times_real_time.real_vad": (VAD_S / 1.5, None),
    "overlap_to_pause_ms_p50": (None, 300),
    "end_of_speech_to_audio_ms_p50": (None, 450),
    "sessions_per_core.energy": (50, None),
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


def engine(sessions: int) -> dict[str, Any]:
    frame_cpu_s, frame_virtual_s, _ = simulated(sessions, every_frame=True)
    cpu_s, virtual_s, steps = simulated(sessions, every_frame=False)
    return {
        "engine_ms_per_frame": round(1000 * frame_cpu_s / (frame_virtual_s * 1e6 / FRAME_US), 4),
        "simulation_times_real_time": {
            "oracle": round(virtual_s / cpu_s),
            "real_vad": round(VAD_S / real_vad()),
        },
        "simulated_sessions": sessions,
        "simulation_us_per_step": round(1e6 * cpu_s / steps, 1),
    }


def latency(trials: int, kokoro_trials: int) -> dict[str, Any]:
    """Times of a served agent; none of Kokoro without its trials."""
    fast = part("serving.py", "--voice", FAST, "--trials", str(trials))[0]
    found = {"fast_synthesizer": fast.pop("voice"), **fast}
    if kokoro_trials:
        slow = part("serving.py", "--voice", "kokoro:", "--trials", str(kokoro_trials))[0]
        del slow["voice"]
        found |= {f"kokoro_{name}": value for name, value in slow.items()}
    return found


def sessions_per_core(seconds: float, vads: list[str]) -> dict[str, Any]:
    runs = {vad: part("sessions.py", "--most", "--vad", vad, "--seconds", str(seconds)) for vad in vads}
    return {
        "sessions_per_core": {vad: run.pop("sessions") for vad, run in runs.items()},
        "sessions_runs": runs,
    }


def part(name: str, *arguments: str) -> Any:
    """What another benchmark prints: in a process of its own, since one pins itself to a core."""
    command = [sys.executable, str(Path(__file__).with_name(name)), *arguments, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{name} failed with {done.returncode}")
    return json.loads(done.stdout)


def flat(found: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested names with dots."""
    rows: dict[str, Any] = {}
    for name, value in found.items():
        rows |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
    return rows


def missed(found: dict[str, Any]) -> list[str]:
    rows = flat(found)
    return [
        f"{name} {rows[name]}: limit {most if least is None else least:g}"
        for name, (least, most) in LIMITS.items()
        if name in rows
        and ((least is not None and rows[name] < least) or (most is not None and rows[name] > most))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="may be repeated; default: all")
    parser.add_argument("--simulated", type=int, default=40, help="simulated sessions")
    parser.add_argument("--trials", type=int, default=5, help="with the fast synthesizer")
    parser.add_argument("--kokoro-trials", type=int, default=1, help="0: none")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run with many sessions")
    parser.add_argument("--vad", action="append", help="may be repeated; default: energy and silero")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    work = {
        "engine": lambda: engine(asked.simulated),
        "latency": lambda: latency(asked.trials, asked.kokoro_trials),
        "sessions": lambda: sessions_per_core(asked.seconds, asked.vad or ["energy", "silero"]),
    }
    found: dict[str, Any] = {}
    for name in asked.only or PARTS:
        found |= work[name]()
    print(
        json.dumps(found)
        if asked.json
        else "\n".join(f"{name}  {value}" for name, value in flat(found).items())
    )
    if problems := missed(found):
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
