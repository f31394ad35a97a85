"""How much faster than real time are the perturbations, on one core?

The sound is one clip of speech-like noise, cut into questions of ten seconds, as a run has them. Whatever a
process makes once (an impulse response, half a minute of babble) is made before and stands beside.

    python benchmarks/perturb.py [--seconds 200] [--rounds 3] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from time import process_time

# Before numpy counts the cores.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

RATE_HZ = 24_000
QUESTION_S = 10
RECIPES = (
    "white_noise:snr_db=-5",
    "background_noise:snr_db=-5",
    "background_noise:snr_db=-5,noise=street",
    "reverberation:rt60_s=0.5",
    "reverberation:rt60_s=3",
    "far_field:cutoff_hz=400",
    "packet_loss:share=0.7",
    "packet_loss:share=0.7,mean_burst=5",
    "clipping:threshold=0.0001",
)
LIMIT, LIMIT_REVERBERATION = 200.0, 50.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description="How much faster than real time are the perturbations, on one core?"
    )
    parser.add_argument("--seconds", type=int, default=200, help="of sound, for each recipe")
    parser.add_argument("--rounds", type=int, default=3, help="the fastest counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    options = parser.parse_args()
    times: dict[str, float] = {}
    first: dict[str, float] = {}
    missed = False
    print(f"{options.seconds} s at {RATE_HZ} Hz in clips of {QUESTION_S} s, CPU time of one core")
    print(f"{'recipe':<42}{'times real time':>16}{'limit':>7}{'made once, s':>14}")
    for text in RECIPES:
        times[text], first[text] = measured(text, options.seconds, options.rounds)
        limit = LIMIT_REVERBERATION if text.startswith("reverberation") else LIMIT
        missed = missed or times[text] < limit
        print(f"{text:<42}{times[text]:>16.0f}{limit:>7.0f}{first[text]:>14.2f}")
    if options.json:
        kinds: dict[str, float] = {}
        for text, value in times.items():  # a kind is as fast as its slowest recipe
            kind = text.partition(":")[0]
            kinds[kind] = round(min(value, kinds.get(kind, value)), 1)
        found = {
            "times_real_time": kinds,
            "times_real_time_of_recipe": {text: round(value, 1) for text, value in times.items()},
            "seconds_made_once": {text: round(value, 3) for text, value in first.items()},
            "audio_seconds": options.seconds,
            "rate_hz": RATE_HZ,
        }
        print(json.dumps(found))
    return int(missed)


def measured(text: str, seconds: int, rounds: int) -> tuple[float, float]:
    """Times real time, and seconds of what is made once."""
    from antiphon.audio.background import synthetic
    from antiphon.audio.clip import Clip
    from antiphon.audio.perturb import apply, from_text

    recipe = from_text(text)
    speech = synthetic("babble", RATE_HZ)
    size = QUESTION_S * RATE_HZ
    questions = [
        Clip(speech[at % (len(speech) - size) :][:size] * (0.1 + at % 7 / 100), RATE_HZ)
        for at in range(0, seconds * RATE_HZ, size)
    ]
    synthetic.cache_clear()
    began = process_time()
    apply(recipe, questions[0], 0)
    once = process_time() - began
    spent: list[float] = []
    for round_ in range(rounds):
        # Fresh clips: what a clip remembers of itself must be paid for each time.
        fresh = [Clip(question.samples, RATE_HZ) for question in questions]
        began = process_time()
        for clip in fresh:
            apply(recipe, clip, round_)
        spent.append(process_time() - began)
    least = min(spent)
    return len(questions) * QUESTION_S / least, max(0.0, once - least / len(questions))


if __name__ == "__main__":
    sys.exit(main())
