from __future__ import annotations

import asyncio
import signal

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.bench.live import Tail, Talk
from antiphon.clock import RealClock
from antiphon.realtime.server.gate import KEY_VARIABLE
from antiphon.wiring.full_duplex import open_system
from antiphon.wiring.loopback import talk_with
from antiphon.wiring.serve import Serving, hall
from tests.bench.talking import level_at
from tests.realtime.serving import RATE_HZ, noise

pytest.importorskip("starlette")
URI = "engine:?system=cascade:%3Ftranscriber=scripted:%3Ftext=Hello there?%26chat=scripted:echo%26synthesizer=scripted:&vad=energy"


async def test_the_engine_of_this_process_hears_and_answers_in_time():
    """A burst of noise from 0.2 to 1.0 s is heard as a question, and answered after it."""
    person = join([
        Clip.silence(0.2, RATE_HZ), Clip.from_pcm16(noise(800), RATE_HZ), Clip.silence(0.4, RATE_HZ),
    ])  # fmt: skip
    system = open_system(URI, RealClock())
    await system.warm()
    async with system.session("", ()) as session:
        talk = Talk(session, RealClock(), {})
        await talk.run(person, Tail(wait_s=6.0, after_s=0.2, most_s=10.0))
    assert (talk.text, talk.heard, talk.troubles) == ("Hello there?", "Hello there?", [])
    sounds = [ms for ms in range(0, int(talk.track.duration_s * 1000), 10) if level_at(talk.track, ms)]
    assert 1000 < sounds[0] < 6000
    assert 600 <= sounds[-1] - sounds[0] <= 800  # twelve characters of 60 ms
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("key", ["", "a-secret-of-many-letters"])
async def test_the_server_is_gone_afterwards_and_no_key_of_the_user_s_is_in_the_way(
    key: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(KEY_VARIABLE, key)
    before = signal.getsignal(signal.SIGINT)
    made = await hall(Serving("scripted:echo", "scripted:", "scripted:", vad="energy"), RealClock())
    async with talk_with(made, "", ()) as session:
        assert session.rate_hz == 24_000
        assert signal.getsignal(signal.SIGINT) is before
    assert made.sessions == set()
