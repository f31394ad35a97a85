"""How soon a served agent falls silent and how soon it answers, in real time, over its socket.

    python benchmarks/serving.py [--trials 20] [--voice espeak:en-us] [--voice kokoro:] [--json]

A person of synthesized speech (espeak) sends 20 ms frames to `antiphon serve` in another process, with the neural
detector, a scripted recogniser and a scripted model: neither costs anything here. Two times, each from the sound
itself (its first or last sample above -40 dBFS), as the client measures them:

overlap_to_pause_ms          the person begins while the agent speaks, until the client is told of the pause
end_of_speech_to_audio_ms    the person ends, until the first sound of the answer arrives
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect

from antiphon.audio.resample import resample
from antiphon.clock import RealClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak

RATE_HZ, FRAME = 24_000, 480
LOUD = 10 ** (-40 / 20)
QUESTION = "What time does the library open in the morning?"
ANSWER = "The library opens at nine in the morning on every weekday, and at ten on Saturdays. " * 4


@dataclass
class Voice:
    """The person's sentence, and where in it the sound begins and ends, in seconds."""

    pcm: np.ndarray
    begins_s: float
    ends_s: float


async def person() -> Voice:
    clip = resample(await speak(open_synthesizer("espeak:en-us", RealClock()), QUESTION), RATE_HZ)
    loud = np.flatnonzero(np.abs(clip.samples) > LOUD)
    pcm = np.frombuffer(clip.pcm16(), dtype="<i2")
    return Voice(pcm, loud[0] / RATE_HZ, loud[-1] / RATE_HZ)


class Talk:
    """One connection: a microphone that never stops, and the times of what arrives."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.loop = asyncio.get_running_loop()
        self.words: list[np.ndarray] = []
        self.said_s = asyncio.Queue[float]()  # when each utterance's first sample was due
        self.events: asyncio.Queue[tuple[float, dict[str, Any]]] = asyncio.Queue()

    async def speak(self) -> None:
        due_s = self.loop.time()
        current, at = np.zeros(0, dtype="<i2"), 0
        while True:
            if at >= len(current) and self.words:
                current, at = self.words.pop(0), 0
                self.said_s.put_nowait(due_s - 0.02)
            frame = np.zeros(FRAME, dtype="<i2")
            piece = current[at : at + FRAME]
            frame[: len(piece)] = piece
            at += FRAME
            audio = base64.b64encode(frame.tobytes()).decode()
            await self.socket.send(json.dumps({"type": "input_audio_buffer.append", "audio": audio}))
            due_s += 0.02
            await asyncio.sleep(max(0.0, due_s - self.loop.time()))

    async def listen(self) -> None:
        async for text in self.socket:
            self.events.put_nowait((self.loop.time(), json.loads(text)))

    async def until(self, kind: str, patience_s: float = 20) -> tuple[float, dict[str, Any]]:
        async with asyncio.timeout(patience_s):
            while True:
                t_s, event = await self.events.get()
                if event["type"] == kind:
                    return t_s, event


async def trial(url: str, voice: Voice) -> tuple[float, float]:
    """(overlap to pause, end of speech to audio) in ms."""
    async with connect(url, compression=None, close_timeout=0.5) as socket:
        talk = Talk(socket)
        tasks = [asyncio.create_task(talk.speak()), asyncio.create_task(talk.listen())]
        try:
            await asyncio.sleep(0.7)
            talk.words.append(voice.pcm)
            began_s = await talk.said_s.get()
            answered_s, _ = await talk.until("response.output_audio.delta")
            await asyncio.sleep(1.5)
            talk.words.append(voice.pcm)
            again_s = await talk.said_s.get()
            paused_s, _ = await talk.until("duplex.paused")
            return (paused_s - again_s - voice.begins_s) * 1e3, (answered_s - began_s - voice.ends_s) * 1e3
        finally:
            for task in tasks:
                task.cancel()


async def measure(synthesizer: str, trials: int) -> dict[str, Any]:
    """All trials with one voice of the agent's."""
    voice = await person()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.jsonl"
        script.write_text(json.dumps({"text": ANSWER, "first_token_us": 0, "end_us": 0}) + "\n")
        command = [
            sys.executable, "-c", "from antiphon.cli.main import main; main()", "serve", "--port", "0",
            "--system", f"scripted:{script}", "--transcriber", f"scripted:?text={QUESTION}", "--synthesizer", synthesizer,
        ]  # fmt: skip
        with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                assert server.stdout is not None
                line = await asyncio.to_thread(server.stdout.readline)
                url = line.split("Realtime clients: ")[1].split(";")[0] + "?duplex=1&model=m"
                pairs = [await trial(url, voice) for _ in range(trials)]
            finally:
                server.terminate()
    pauses, answers = zip(*pairs, strict=True)
    return {"voice": synthesizer, "trials": trials, **_percentiles("overlap_to_pause_ms", pauses), **_percentiles("end_of_speech_to_audio_ms", answers)}  # fmt: skip


def _percentiles(name: str, values: tuple[float, ...]) -> dict[str, int]:
    return {f"{name}_p{p}": round(float(np.percentile(values, p))) for p in (50, 95)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument(
        "--voice", action="append", help="a synthesizer; may be repeated; default: espeak:en-us"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = [asyncio.run(measure(voice, asked.trials)) for voice in asked.voice or ["espeak:en-us"]]
    if asked.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(*(f"{name} {value}" for name, value in row.items()), sep="\n")


if __name__ == "__main__":
    main()
