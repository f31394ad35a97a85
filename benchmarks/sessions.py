"""How many agents one core can serve: all of them listen and speak at once, in real time, over their sockets.

    python benchmarks/sessions.py [--sessions 50] [--seconds 60] [--vad energy|silero] [--most] [--json]

`--most` looks for the largest number that keeps the limit, by bisection, instead of trying one. The server has one core for itself, the clients another. Recogniser, model and voice are scripted: what is left is
sound in, voice activity, decisions, pacing and sound out. A frame is late by how long after its deadline it came,
where the deadline is when a client that plays without gaps has nothing left; a negative number is the lead.
Exits with 1 where the 99.9th percentile of lateness is above 20 ms. `core_share` and `generator_share` are the CPU
that the server and the clients used: where the clients have no core to spare, what is late is late because of them.
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
ARRIVE_S = 2.0  # the sessions come one after the other
FIRST = 12  # sessions of the run that says where to look
LATEST_MS = 20.0
ANSWER = {"text": "word word word word word word. " * 20, "first_token_us": 0, "end_us": 0}
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


def _late(late_ms: np.ndarray, percentile: float) -> float:
    return round(float(np.percentile(late_ms, percentile)), 1) if len(late_ms) else float("inf")


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
                talking = asyncio.gather(
                    *(client(url, seconds, ARRIVE_S * number / sessions) for number in range(sessions))
                )
                await asyncio.sleep(ARRIVE_S)
                before_s, own_s, begun_s = cpu_s(server.pid), cpu_s(os.getpid()), loop.time()
                every = await talking
                spent_s = loop.time() - begun_s
                share = (cpu_s(server.pid) - before_s) / spent_s
                own_share = (cpu_s(os.getpid()) - own_s) / spent_s
            finally:
                server.terminate()
    late_ms = np.array([ms for each in every for ms in each])
    return {
        "sessions": sessions, "seconds": seconds, "vad": vad, "frames": len(late_ms),
        **{f"late_ms_p{p:g}": _late(late_ms, p) for p in (50, 99, 99.9)},
        "core_share": round(share, 3), "generator_share": round(own_share, 3),
    }  # fmt: skip


def keeps(found: dict[str, Any]) -> bool:
    return found["frames"] > 0 and found["late_ms_p99.9"] <= LATEST_MS


def most(seconds: float, vad: str) -> dict[str, Any]:
    """The run with the most sessions that keeps the limit, to a twentieth of their number; none: the first one."""

    def run(sessions: int) -> dict[str, Any]:
        found = asyncio.run(measure(sessions, seconds, vad))
        late = found["late_ms_p99.9"]
        print(
            f"{vad}: {sessions} sessions, p99.9 {late} ms late, core {found['core_share']}", file=sys.stderr
        )
        return found

    best, high = run(FIRST), FIRST
    if keeps(best):
        high = max(FIRST + 1, round(FIRST / best["core_share"]))
        while keeps(found := run(high)):
            best, high = found, round(high * 1.3)
    else:
        best = best | {"sessions": 0}
    while high - best["sessions"] > max(1, best["sessions"] // 20):
        middle = (best["sessions"] + high) // 2
        if keeps(found := run(middle)):
            best = found
        else:
            high = middle
    return best


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--vad", choices=["energy", "silero"], default="energy")
    parser.add_argument("--most", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = (
        most(asked.seconds, asked.vad)
        if asked.most
        else asyncio.run(measure(asked.sessions, asked.seconds, asked.vad))
    )
    print(json.dumps(found) if asked.json else "\n".join(f"{name} {value}" for name, value in found.items()))
    return int(not keeps(found))


if __name__ == "__main__":
    sys.exit(main())
