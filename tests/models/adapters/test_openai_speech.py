from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError
from antiphon.models.adapters.openai_speech import open_synthesizer, open_transcriber
from antiphon.models.ports import Transcript, Voice, speak
from antiphon.models.uri import parse

TONE = Clip([0.25, -0.25, 0.5, 0.0], 24_000)


async def test_a_clip_is_uploaded_as_wav_and_comes_back_as_words(server):
    server.answer({"json": {"text": " 你好 ", "language": "zh"}})
    server.answer({"json": {"text": "hello"}})
    transcriber = open_transcriber(parse(f"openai+http://{server.host}/v1#w"), RealClock())
    found = await transcriber.transcribe([TONE, Clip([], 16_000), TONE], "en")
    assert found == [Transcript("你好", "zh"), Transcript("", "en"), Transcript("hello", "en")]
    assert server.paths == ["/v1/audio/transcriptions"] * 2
    assert b'name="language"\r\n\r\nen\r\n' in server.raw[0]
    assert b"RIFF" in server.raw[0]


async def test_an_answer_without_text_is_an_error(server):
    server.answer({"json": {"words": []}})
    transcriber = open_transcriber(parse(f"openai+http://{server.host}/v1#w"), RealClock())
    with pytest.raises(ModelError, match="answered without a text"):
        await transcriber.transcribe([TONE], None)


async def test_each_clause_is_spoken_and_pcm_may_be_cut_anywhere(server):
    pcm = TONE.pcm16()
    server.answer({"type": "audio/pcm", "pieces": [pcm[:3], pcm[3:]]})
    server.answer({"type": "audio/pcm", "body": pcm})
    voice = open_synthesizer(parse(f"openai+http://{server.host}/v1?voice=nova#t"), RealClock())
    clip = await speak(voice, "今天天气很好。我们出去走走。🙂", Voice(style="calm"))
    assert clip == join([TONE, TONE])
    common = {"model": "t", "voice": "nova", "response_format": "pcm", "instructions": "calm"}
    assert server.bodies == [{**common, "input": "今天天气很好。"}, {**common, "input": "我们出去走走。"}]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"type": "audio/pcm", "body": b""}, "no sound for 'Hello there.'"),
        ({"json": {"error": "no"}}, "answered with JSON instead of sound"),
        ({"type": "text/html", "body": b"<html>"}, "answered with a web page"),
    ],
)
async def test_an_answer_without_sound_is_an_error(server, answer, problem):
    server.answer(answer)
    voice = open_synthesizer(parse(f"openai+http://{server.host}/v1#t"), RealClock())
    with pytest.raises(ModelError, match=problem):
        await speak(voice, "Hello there.")


def test_options_that_nobody_reads_are_refused():
    with pytest.raises(ConfigError, match="no option 'voice'"):
        open_transcriber(parse("openai+http://h/v1?voice=x#m"), RealClock())
