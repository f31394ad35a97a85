"""How many agents one core can serve: all of them listen and speak at once, in real time, over their sockets.

    python benchmarks/sessions.py [--sessions 50] [--seconds 60] [--vad energy|silero] [--json]

The server has one core for itself, the clients another. Recogniser, model and voice are scripted: what is left is
sound in, voice activity, decisions, pacing and sound out. A frame is late by how long after its deadline it came,
where the deadline is when a client that plays without gaps has nothing left; a negative number is the lead.
Exits with 1 where the 99.9th percentile of lateness is above 20 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect

FRAME_S = 0.02
LATEST_MS = 20.0
ANSWER = {"text": "word " * 120, "first_token_us": 0, "end_us": 0}
SETTINGS = {"audio": {"input": {"format": {"type": "audio/pcm", "rate": 16000}}}}
SILENCE = json.dumps({"type": "input_audio_buffer.append", "audio": base64.b64encode(bytes(640)).decode()})
ASK = json.dumps({"type": "duplex.typed", "text": "Go on."})


async def client(url: str, seconds: float, begin_s: float) -> list[float]:
    """One person who listens and asks again: how late each frame came, in ms."""
    late_ms: list[float] = []
    loop = asyncio.get_running_loop()
    await asyncio.sleep(begin_s)
    async with connect(url, compression=None, close_timeout=0.5) as socket:
        await socket.send(json.dumps({"type": "session.update", "session": SETTINGS}))
        microphone = asyncio.create_task(_speak(socket))
        await socket.send(ASK)
        empty_s: float | None = None
        try:
            async with asyncio.timeout(seconds):
                async for event in socket:
                    now_s = loop.time()
                    if '"response.output_audio.delta"' in event:
                        if empty_s is not None:
                            late_ms.append((now_s - empty_s) * 1e3)
                        empty_s = max(empty_s or 0.0, now_s) + FRAME_S
                    elif '"response.done"' in event:
                        empty_s = None
                        await socket.send(ASK)
        except TimeoutError:
            pass
        microphone.cancel()
    return late_ms


async def _speak(socket: Any) -> None:
    loop = asyncio.get_running_loop()
    due_s = loop.time()
    while True:
        await socket.send(SILENCE)
        due_s += FRAME_S
        await asyncio.sleep(max(0.0, due_s - loop.time()))


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(sessions: int, seconds: float, vad: str) -> dict[str, Any]:
    """All sessions at once against a server on a core of its own."""
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.jsonl"
        script.write_text(json.dumps(ANSWER) + "\n")
        command = [
            sys.executable, "-c", "from antiphon.cli.main import main; main()", "serve", "--port", "0", "--vad", vad,
            "--sessions", str(sessions), "--system", f"scripted:{script}", "--transcriber", "scripted:?text=hi",
            "--synthesizer", "scripted:",
        ]  # fmt: skip
        with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                os.sched_setaffinity(server.pid, {cores[0]})
                os.sched_setaffinity(0, {cores[-1]})
                assert server.stdout is not None
                line = await asyncio.to_thread(server.stdout.readline)
                url = line.split("Realtime clients: ")[1].split(";")[0] + "?duplex=1"
                loop = asyncio.get_running_loop()
                before_s, begun_s = cpu_s(server.pid), loop.time()
                every = await asyncio.gather(
                    *(client(url, seconds, 2 * number / sessions) for number in range(sessions))
                )
                share = (cpu_s(server.pid) - before_s) / (loop.time() - begun_s)
            finally:
                server.terminate()
    late_ms = np.array([ms for each in every for ms in each])
    return {
        "sessions": sessions, "seconds": seconds, "vad": vad, "frames": len(late_ms),
        **{f"late_ms_p{p:g}": round(float(np.percentile(late_ms, p)), 1) for p in (50, 99, 99.9)},
        "core_share": round(share, 3), "sessions_per_core": round(sessions / share),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--vad", choices=["energy", "silero"], default="energy")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.sessions, asked.seconds, asked.vad))
    print(json.dumps(found) if asked.json else "\n".join(f"{name} {value}" for name, value in found.items()))
    return int(found["late_ms_p99.9"] > LATEST_MS)


if __name__ == "__main__":
    sys.exit(main())
