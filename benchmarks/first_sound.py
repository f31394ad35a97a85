"""What it costs until a slow voice is first heard: whole first clauses, and their first words alone.

    python benchmarks/first_sound.py [--voice kokoro:] [--json]

For eight first clauses, four of them in Mandarin, with and without `urgent`: CPU seconds until the first sound exists
(which do not depend on who else uses the machine), the length of that first sound, and the CPU seconds of the whole
clause. `waits` counts the clauses in which the second piece needs more CPU time than the first one lasts: there one
core alone would leave a gap.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from time import process_time
from typing import Any

import numpy as np

from antiphon.clock import RealClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import SpeechContext, Voice, warm

CLAUSES = (
    "The library opens at nine in the morning on every weekday, ",
    "We will call you back after the meeting is over. ",
    "There are four trains to the airport before noon, ",
    "The table for four people is booked for next Friday evening. ",
    "图书馆在每个工作日早上九点开门，",
    "会议结束以后我们会给您回电话。",
    "中午以前有四班开往机场的火车，",
    "北京到上海的高铁大约需要四个半小时。",
)


async def one(text: str) -> Any:
    yield text


async def pieces(synthesizer: Any, text: str, *, urgent: bool) -> list[tuple[float, float]]:
    """(CPU seconds, seconds of sound) of each piece of a clause."""
    found: list[tuple[float, float]] = []
    begun = process_time()
    async for chunk in synthesizer.stream(one(text), Voice(), SpeechContext(urgent=urgent)):
        found.append((process_time() - begun, chunk.clip.duration_s))
        begun = process_time()
    return found


async def measure(voice: str) -> dict[str, Any]:
    synthesizer = open_synthesizer(voice, RealClock())
    await warm(synthesizer)
    found: dict[str, Any] = {"voice": voice, "clauses": len(CLAUSES)}
    for urgent in (False, True):
        rows = [await pieces(synthesizer, text, urgent=urgent) for text in CLAUSES]
        found["urgent" if urgent else "whole"] = {
            "first_cpu_s_median": round(float(np.median([row[0][0] for row in rows])), 2),
            "first_sound_s_median": round(float(np.median([row[0][1] for row in rows])), 2),
            "clause_cpu_s_median": round(float(np.median([sum(cpu for cpu, _ in row) for row in rows])), 2),
            "split": sum(len(row) > 1 for row in rows),
            "waits": sum(len(row) > 1 and row[1][0] > row[0][1] for row in rows),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--voice", default="kokoro:")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.voice))
    print(json.dumps(found) if asked.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
