"""How well the speaker lock tells voices apart, by how much of an utterance it has heard.

    python benchmarks/speakers.py [--recordings FOLDER] [--seconds 0.5 1 2 4] [--enrol 4] [--json]

Each speaker is enrolled with `--enrol` seconds of one recording; pieces of every other recording of all speakers are
then compared with it. Recordings are files SPEAKER-anything.wav (or .flac) in a folder, as LibriSpeech names them;
without a folder they are made: eight Kokoro voices in three sentences each, two of them in Mandarin.

eer              the share of the own pieces refused where as many of the others' are let in, with its threshold
refused, let_in  shares at the thresholds of `realtime.speakers`: own pieces taken for somebody else, others' for own
unsure           shares of own and of others' pieces between the two thresholds, which count as unknown
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from antiphon.audio import files
from antiphon.audio.resample import resample
from antiphon.audio.vad import speech_spans
from antiphon.clock import RealClock
from antiphon.models.adapters.resemblyzer import RATE_HZ, WEIGHTS, embed, read
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import Voice, speak
from antiphon.models.weights import fetch
from antiphon.realtime.live.speakers import OTHER_BELOW, SAME_ABOVE

VOICES = ("af_heart", "af_bella", "am_adam", "am_michael", "bf_emma", "bm_george", "zf_xiaoyi", "zm_yunxi")
TEXTS = {
    "en": (
        "The library opens at nine in the morning on every weekday, and at ten on Saturdays, but never on Sundays.",
        "I would like to book a table for four people next Friday evening, somewhere close to the old harbour.",
        "Please remind me to call my sister before the meeting starts, because she is waiting for the results.",
    ),
    "zh": (
        "图书馆每个工作日早上九点开门，星期六十点开门，星期天不开门，假期里也不开门。",
        "我想预订下星期五晚上四个人的位子，最好离老港口近一点，而且要安静一些。",
        "请在会议开始之前提醒我给姐姐打电话，因为她一直在等那份检查的结果。",
    ),
}
Sounds = dict[str, list[np.ndarray]]


def recorded(folder: Path) -> Sounds:
    """Recordings in a folder, by the part of their name before the first hyphen."""
    found: Sounds = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".wav", ".flac"):
            found[path.name.split("-")[0]].append(spoken_part(files.read(path)))
    return {name: sounds for name, sounds in found.items() if len(sounds) > 1}


def spoken_part(clip: Any) -> np.ndarray:
    """From the first speech to the last, at 16 kHz."""
    clip = resample(clip, RATE_HZ)
    spans = speech_spans(clip)
    return clip.between(spans[0].start_s, spans[-1].end_s).samples if spans else clip.samples


async def made() -> Sounds:
    kokoro = open_synthesizer("kokoro:", RealClock())
    return {
        voice: [
            spoken_part(await speak(kokoro, text, Voice(name=voice)))
            for text in TEXTS["zh" if voice[0] == "z" else "en"]
        ]
        for voice in VOICES
    }


def compared(
    weights: Any, sounds: Sounds, enrol_s: float, seconds: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Likenesses of own pieces, of others', and the CPU seconds of one piece."""
    pieces: list[tuple[str, int, np.ndarray]] = []
    enrolled: dict[str, tuple[int, np.ndarray]] = {}
    spent_s, size = 0.0, int(seconds * RATE_HZ)
    for name, recordings in sounds.items():
        longest = max(range(len(recordings)), key=lambda at: len(recordings[at]))
        voice = embed(weights, recordings[longest][: int(enrol_s * RATE_HZ)])
        assert voice is not None
        enrolled[name] = (longest, voice)
        for at, sound in enumerate(recordings):
            if at == longest or len(sound) < size:
                continue
            begun = process_time()
            found = embed(weights, sound[:size])
            spent_s += process_time() - begun
            if found is not None:
                pieces.append((name, at, found))
    own = [float(voice @ enrolled[name][1]) for name, _, voice in pieces]
    others = [
        float(voice @ key)
        for name, _, voice in pieces
        for other, (_, key) in enrolled.items()
        if other != name
    ]
    return np.array(own), np.array(others), spent_s / max(1, len(pieces))


def row(own: np.ndarray, others: np.ndarray) -> dict[str, Any]:
    thresholds = np.unique(np.concatenate([own, others]))
    refused = np.searchsorted(np.sort(own), thresholds) / len(own)
    let_in = 1 - np.searchsorted(np.sort(others), thresholds) / len(others)
    at = int(np.argmin(np.abs(refused - let_in)))

    def between(found: np.ndarray) -> float:
        return round(float(((found >= OTHER_BELOW) & (found < SAME_ABOVE)).mean()), 3)

    return {
        "own": len(own),
        "others": len(others),
        "eer": round(float(refused[at] + let_in[at]) / 2, 3),
        "eer_threshold": round(float(thresholds[at]), 3),
        "refused": round(float((own < OTHER_BELOW).mean()), 3),
        "let_in": round(float((others >= SAME_ABOVE).mean()), 3),
        "unsure": [between(own), between(others)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recordings", type=Path)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.5, 1.0, 2.0, 4.0])
    parser.add_argument("--enrol", type=float, default=4.0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    weights = read(fetch.ensure(WEIGHTS) / "pretrained.pt")
    sounds = recorded(asked.recordings) if asked.recordings else asyncio.run(made())
    found: dict[str, Any] = {"speakers": len(sounds), "of": str(asked.recordings or "kokoro: voices")}
    for seconds in asked.seconds:
        own, others, cpu_s = compared(weights, sounds, asked.enrol, seconds)
        found[f"{seconds:g} s"] = row(own, others) | {"cpu_ms": round(1000 * cpu_s)}
    print(json.dumps(found) if asked.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
