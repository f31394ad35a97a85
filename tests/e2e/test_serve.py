"""The embedded stack, served: a synthesized person speaks, the agent hears, answers aloud, and is interrupted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.audio.vad import has_speech
from antiphon.clock import RealClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import Voice, speak
from antiphon.realtime.live.turn_times import STAGES
from antiphon.text.normalise import words
from antiphon.wiring.serve import Serving, hall
from tests.realtime.serving import Client, append, served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RATE_HZ = 24_000


async def say(client: Client, clip: Clip, then_s: float) -> None:
    """A person in real time, who then stays silent."""
    pcm = resample(clip, RATE_HZ).pcm16() + bytes(int(2 * RATE_HZ * then_s))
    loop = asyncio.get_running_loop()
    due = loop.time()
    for at in range(0, len(pcm), 960):
        await client.send(append(pcm[at : at + 960]))
        due += 0.02
        await asyncio.sleep(max(0.0, due - loop.time()))


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("text", "language", "voice", "key"),
    [
        ("What is the capital city of France?", "en", "am_michael", "france"),
        ("请问中国的首都是哪里？", "zh", "zm_yunxi", "首"),
    ],
)
async def test_the_embedded_agent_holds_a_spoken_conversation(
    weights: Callable[..., list[Path]], text: str, language: str, voice: str, key: str
):
    weights("whisper-base", "qwen2.5-coder-0.5b", "kokoro")
    clock = RealClock()
    question = await speak(open_synthesizer("kokoro:", clock), text, Voice(voice), language)
    made = await hall(Serving(), clock)
    async with served(made.stack) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        talking = asyncio.create_task(say(client, question, 60.0))
        done = await client.until("response.done", 200)
        talking.cancel()
        heard = next(e for e in client.events if e["type"].endswith("transcription.completed"))["transcript"]
        assert key in words(heard, language)
        assert done["response"]["status"] == "completed"
        answer = done["response"]["output"][0]["content"][0]["transcript"]
        assert len(words(answer, language)) > 2
        assert has_speech(Clip.from_pcm16(client.sound(), RATE_HZ))
        stages = next(e for e in client.events if e["type"] == "duplex.latency")["stages"]
        assert list(stages) == list(STAGES[:-1])
        assert stages["sent"] == max(stages.values())
