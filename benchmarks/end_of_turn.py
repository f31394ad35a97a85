"""How often a finished turn sounds finished, and an unfinished one does not, to smart-turn; and what that costs.

    python benchmarks/end_of_turn.py [--recordings FOLDER] [--voice kokoro:] [--most 100] [--json]

Finished: recordings of whole sentences up to 0.2 s after the last speech, when a session asks. Unfinished: the first
60 % of the same, cut at the quietest place nearby. The recordings are those of Debian's asterisk-core-sounds-en-wav
where they are installed (one professional speaker), any .wav or .flac of `--recordings`, or eight sentences of `--voice`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from antiphon.audio import files
from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.audio.vad import speech_spans
from antiphon.clock import RealClock
from antiphon.models.adapters.smart_turn import RATE_HZ, WEIGHTS, SmartTurn
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.models.weights import fetch

ASTERISK = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
LEAST_S, MOST_S, AFTER_S = 2.0, 8.0, 0.2
SENTENCES = (
    "What time does the library open in the morning?",
    "I would like to book a table for four people next Friday.",
    "Please remind me to call my sister before the meeting starts.",
    "Could you tell me which platform the next train leaves from?",
    "图书馆早上几点开门？",
    "我想预订下星期五晚上四个人的位子。",
    "请在会议开始之前提醒我给姐姐打电话。",
    "下一班去上海的火车在几号站台？",
)


def spoken(clip: Clip) -> Clip | None:
    """From the first speech to a little after the last, at 16 kHz."""
    clip = resample(clip, RATE_HZ)
    spans = speech_spans(clip)
    if not spans or not LEAST_S <= spans[-1].end_s - spans[0].start_s <= MOST_S:
        return None
    sound = clip.between(spans[0].start_s, spans[-1].end_s).samples
    return Clip(np.concatenate([sound, np.zeros(int(AFTER_S * RATE_HZ), np.float32)]), RATE_HZ)


def unfinished(clip: Clip) -> Clip:
    """The first 60 %, up to the quietest 20 ms within 0.3 s, and then silence as long as before."""
    middle, reach, step = int(0.6 * len(clip)), int(0.3 * RATE_HZ), RATE_HZ // 50
    places = range(middle - reach, middle + reach, step)
    at = min(places, key=lambda place: float(np.square(clip.samples[place : place + step]).sum()))
    return Clip(np.concatenate([clip.samples[:at], np.zeros(int(AFTER_S * RATE_HZ), np.float32)]), RATE_HZ)


async def measure(clips: list[Clip]) -> dict[str, Any]:
    fetch.ensure(WEIGHTS)
    model = SmartTurn()
    await model.warm()
    wall_s, cpu_s = [], []
    scores: dict[str, list[float]] = {"finished": [], "unfinished": []}
    for clip in clips:
        for kind, sound in (("finished", clip), ("unfinished", unfinished(clip))):
            begun, spent = perf_counter(), process_time()
            scores[kind].append(await model.score(sound))
            wall_s.append(perf_counter() - begun)
            cpu_s.append(process_time() - spent)
    return {
        "clips": len(clips),
        "finished_sound_so": sum(score >= 0.5 for score in scores["finished"]),
        "unfinished_sound_so": sum(score < 0.5 for score in scores["unfinished"]),
        "cpu_ms_median": round(1000 * float(np.median(cpu_s))),
        "wall_ms_least": round(1000 * min(wall_s)),
        "wall_ms_median": round(1000 * float(np.median(wall_s))),
    }


async def sentences(voice: str) -> list[Clip]:
    synthesizer = open_synthesizer(voice, RealClock())
    return [await speak(synthesizer, text) for text in SENTENCES]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recordings", type=Path, default=ASTERISK if ASTERISK.is_dir() else None)
    parser.add_argument(
        "--voice", help="speak eight sentences, four of them in Mandarin, instead of recordings"
    )
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.voice or asked.recordings is None:
        found = asyncio.run(sentences(asked.voice or "kokoro:"))
    else:
        paths = sorted(path for path in asked.recordings.rglob("*") if path.suffix in (".wav", ".flac"))
        found = [files.read(path) for path in paths]
    clips = [clip for clip in map(spoken, found) if clip is not None][: asked.most]
    row = {"of": asked.voice or str(asked.recordings or "kokoro:")} | asyncio.run(measure(clips))
    print(json.dumps(row) if asked.json else json.dumps(row, indent=2))


if __name__ == "__main__":
    main()
