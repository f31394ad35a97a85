"""Cues of a client reach the voice: what is followed is heard, what is not is said."""

from __future__ import annotations

import shutil

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.levels import rms_dbfs
from antiphon.clock import RealClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.scripted import Line
from antiphon.realtime.live.renderer import FOLLOWS, Renderer
from tests.realtime.serving import RATE_HZ, Client, served, stack


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here")
async def test_rate_and_loudness_are_heard_and_an_emotion_that_cannot_be_is_said():
    made = stack(
        [Line(text="The library opens at nine.")], synthesizer=open_synthesizer("espeak:en-us", RealClock())
    )
    sounds: list[Clip] = []
    for cues in ({}, {"rate": "fast", "loudness": "loud", "emotion": "happy"}):
        async with served(made) as server, server.client("&duplex=1") as socket:
            client = Client(socket)
            await client.send({"type": "duplex.cues", "cues": cues})
            if cues:
                trouble = await client.until("error")
                assert (
                    trouble["error"]["message"] == "the voice does not follow emotion=happy: espeak: cannot"
                )
            await client.type("When?")
            await client.until("response.done")
            sounds.append(Clip.from_pcm16(client.sound(), RATE_HZ))
    plain, changed = sounds
    assert changed.duration_s < 0.9 * plain.duration_s
    assert 2 < rms_dbfs(changed) - rms_dbfs(plain) < 6


async def test_cues_that_are_none_are_an_error_and_change_nothing():
    async with served() as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.send({"type": "duplex.cues", "cues": ["loud"]})
        assert "duplex.cues" in (await client.until("error"))["error"]["message"]


def test_an_endpoint_has_its_line_in_the_table_whatever_its_address():
    voice = open_synthesizer("openai+http://127.0.0.1:9/v1#tts", RealClock())
    assert Renderer(voice).scheme == "openai"
    assert FOLLOWS["openai"] == {"voice", "emotion"}
