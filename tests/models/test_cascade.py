from __future__ import annotations

import asyncio
import json

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.messages import Message, Speech, ToolCall, says
from antiphon.models import catalog
from antiphon.models.cascade import PROMPTS, UNHEARD, Cascade, Style, options_of
from antiphon.models.ports import (
    Done,
    Request,
    Sampling,
    SpeechDelta,
    TextDelta,
    ToolAsk,
    Transcript,
    Usage,
    collect,
    speak,
)
from antiphon.models.scripted_instruments import ScriptedSynthesizer, ScriptedTranscriber
from antiphon.models.scripted_sound import tone, words_in

MS = 1000


class Writer:
    """A chat model whose pieces come `step_us` apart, and that keeps what it was asked."""

    name = "writer"
    accepts = gives = frozenset({"text"})

    def __init__(self, clock, *pieces, finish="stop", step_us=100 * MS):
        self.clock = clock
        self.pieces = pieces
        self.finish = finish
        self.step_us = step_us
        self.requests = []
        self.closed = 0

    async def stream(self, request):
        self.requests.append(request)
        try:
            for piece in self.pieces:
                await self.clock.sleep_us(self.step_us)
                if isinstance(piece, Exception):
                    raise piece
                yield piece if isinstance(piece, ToolAsk) else TextDelta(piece, 0)
            yield Done(self.finish, 0, Usage(10, 20))
        finally:
            self.closed += 1


class Ears:
    name = "ears"

    def __init__(self, **texts):
        self.texts = texts
        self.asked = []

    async def transcribe(self, clips, language):
        self.asked.append(([words_in(clip) for clip in clips], language))
        return [Transcript(self.texts.get(words_in(clip), words_in(clip)), language) for clip in clips]


def spoken(text, transcript=None, role="user"):
    return Message(role, (Speech(tone(text, 0.1, 16_000), transcript),))


def cascade(chat, clock, ears=None, style=None):
    return Cascade(
        ears or ScriptedTranscriber(clock, delay_us=50 * MS),
        chat,
        ScriptedSynthesizer(clock),
        clock,
        style or Style(),
    )


async def test_speech_starts_on_the_first_clause_while_the_text_goes_on():
    clock = VirtualClock()
    chat = Writer(clock, "**今天**天气", "很好，", "我们去", "公园吧。")
    chunks = [chunk async for chunk in cascade(chat, clock).stream(Request((spoken("问"),)))]
    texts = [chunk for chunk in chunks if isinstance(chunk, TextDelta)]
    sounds = [chunk for chunk in chunks if isinstance(chunk, SpeechDelta)]
    assert [(chunk.text, chunk.t_us) for chunk in texts] == [
        ("**今天**天气", 150 * MS), ("很好，", 250 * MS), ("我们去", 350 * MS), ("公园吧。", 450 * MS)
    ]  # fmt: skip
    assert [words_in(chunk.clip) for chunk in sounds] == ["今天天气很好，", "我们去公园吧。"]
    assert 250 * MS <= sounds[0].t_us < texts[-1].t_us
    assert chunks[-1] == Done(
        "stop", 450 * MS, Usage(10, 20), heard="问",
        stages={"recognised": 50 * MS, "first_text": 150 * MS, "first_speech": sounds[0].t_us, "text_done": 450 * MS},
    )  # fmt: skip


async def test_two_equal_runs_are_identical():
    async def run():
        clock = VirtualClock()
        chat = Writer(clock, "One, two, three, four, five, six, ", "seven. ", "Eight nine.")
        return [chunk async for chunk in cascade(chat, clock).stream(Request((spoken("count"),)))]

    assert await run() == await run()


async def test_the_last_turn_is_recognised_even_when_it_carries_the_reference():
    clock = VirtualClock()
    chat, ears = Writer(clock, "好的。"), Ears(gold="what was understood")
    reply = await collect(cascade(chat, clock, ears), Request((spoken("gold", "the reference"),)))
    assert reply.heard == "what was understood"
    assert chat.requests[0].messages[-1] == says("user", "what was understood")


async def test_history_goes_by_its_transcripts_and_is_recognised_once_where_it_has_none():
    clock = VirtualClock()
    chat, ears = Writer(clock, "好的。"), Ears()
    agent = cascade(chat, clock, ears)
    past = (spoken("first"), spoken("reply", "the reply", "assistant"))
    await collect(agent, Request((*past, spoken("second"))))
    await collect(agent, Request((*past, spoken("second"), says("assistant", "ok"), spoken("third"))))
    assert ears.asked == [(["first", "second"], None), (["third"], None)]
    assert [message.text for message in chat.requests[1].messages[1:]] == [
        "first", "the reply", "second", "ok", "third"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language"),
    [("今天星期几？", "zh"), ("What day is it today?", "en"), ("hello, 你好吗朋友", "zh")],
)
async def test_the_prompt_speaks_the_language_of_the_question(text, language):
    clock = VirtualClock()
    chat = Writer(clock, "x")
    await collect(cascade(chat, clock), Request((spoken(text),)))
    assert chat.requests[0].messages[0] == says("system", PROMPTS[language])


async def test_the_requests_own_system_message_follows_in_the_same_one():
    clock = VirtualClock()
    chat = Writer(clock, "x")
    request = Request(
        (says("system", "Be a pirate."), says("user", "Hello there")), sampling=Sampling(3, 0.5, 9)
    )
    await collect(cascade(chat, clock, style=Style(system="Short.", language="en")), request)
    (asked,) = chat.requests
    assert asked.messages == (says("system", "Short.\n\nBe a pirate."), says("user", "Hello there"))
    assert (asked.sampling, asked.want) == (Sampling(3, 0.5, 9), frozenset({"text"}))


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_when_nothing_is_heard_the_model_is_told_so(language):
    clock = VirtualClock()
    chat, ears = Writer(clock, "请再说一遍。"), Ears(noise="")
    reply = await collect(cascade(chat, clock, ears, Style(language=language)), Request((spoken("noise"),)))
    assert reply.heard == ""
    assert chat.requests[0].messages == (says("system", PROMPTS[language]), says("user", UNHEARD[language]))


async def test_written_questions_are_not_heard_and_text_alone_is_not_spoken():
    clock = VirtualClock()
    ears = Ears()
    request = Request((says("user", "你好"),), want=frozenset({"text"}))
    reply = await collect(cascade(Writer(clock, "你好。"), clock, ears), request)
    assert (reply.text, reply.clip, reply.heard, ears.asked) == ("你好。", None, None, [])
    assert reply.stages == {"first_text": 100 * MS, "text_done": 100 * MS}


async def test_a_text_that_cannot_be_pronounced_stays_silent():
    clock = VirtualClock()
    reply = await collect(cascade(Writer(clock, "🎉 ", "---\n"), clock), Request((says("user", "q"),)))
    assert (reply.text, reply.clip, reply.first_audio_us) == ("🎉 ---\n", None, None)


async def test_a_text_cut_at_max_tokens_is_spoken_as_far_as_it_goes():
    clock = VirtualClock()
    reply = await collect(
        cascade(Writer(clock, "一二三", "四五", finish="length"), clock), Request((says("user", "数"),))
    )
    assert (reply.finish, reply.clip) == ("length", tone("一二三四五", 0.3, 24_000))


async def test_tool_calls_pass_through():
    clock = VirtualClock()
    call = ToolCall("1", "weather", {})
    reply = await collect(
        cascade(Writer(clock, ToolAsk(call, 0), finish="tool_calls"), clock), Request((says("user", "q"),))
    )
    assert (reply.tool_calls, reply.finish, reply.clip) == ((call,), "tool_calls", None)


@pytest.mark.parametrize("failing", ["chat", "voice"])
async def test_a_part_that_fails_fails_the_reply_and_stops_the_others(failing):
    clock = VirtualClock()
    pieces = ["一二三四五六，", ModelError("writer", "died", transient=True)]
    chat = Writer(clock, *(pieces if failing == "chat" else ["一二三四五六，", *["然后"] * 50]))

    class Mute(ScriptedSynthesizer):
        async def stream(self, text, voice, context):
            async for _ in text:
                raise ModelError("voice", "hoarse", transient=True)
                yield

    agent = cascade(chat, clock)
    if failing == "voice":
        agent._synthesizer = Mute(clock)
    with pytest.raises(ModelError, match="died" if failing == "chat" else "hoarse") as caught:
        await collect(agent, Request((says("user", "q"),)))
    assert caught.value.transient
    assert chat.closed == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_chat_model_that_breaks_off_is_an_error():
    class Half(Writer):
        async def stream(self, request):
            yield TextDelta("half", 0)

    clock = VirtualClock()
    with pytest.raises(ModelError, match="the stream ended before the reply did"):
        await collect(cascade(Half(clock), clock), Request((says("user", "q"),)))


async def test_cancelling_stops_every_part():
    clock = VirtualClock()
    chat = Writer(clock, "一二三四五六，", *["然后"] * 1000)
    stream = cascade(chat, clock).stream(Request((says("user", "q"),)))
    assert (await anext(stream)).text == "一二三四五六，"
    await stream.aclose()
    assert chat.closed == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_names_tell_parts_prompt_and_fakes():
    clock = VirtualClock()
    plain = Cascade(Ears(), Writer(clock), type("V", (), {"name": "voice"})(), clock)
    assert plain.name.startswith("cascade:(ears -> writer -> voice) prompt=")
    assert plain.parts == {"transcriber": "ears", "chat": "writer", "synthesizer": "voice"}
    assert cascade(Writer(clock), clock).name.startswith("scripted:cascade:(scripted:transcriber@")
    names = {
        cascade(Writer(clock), clock, style=style).name for style in (Style(), Style("x"), Style("x", "zh"))
    }
    assert len(names) == 3


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("cascade:", {}),
        ("cascade:?transcriber=whisper:base?beam=1&vad=0&chat=openai+http://h:8000/v1?voice=a&key=K#org/m&language=zh",
         {"transcriber": "whisper:base?beam=1&vad=0", "chat": "openai+http://h:8000/v1?voice=a&key=K#org/m",
          "language": "zh"}),
        ("cascade:?chat=cascade%3A%3Fchat%3Dllama%3A&system=简短%20回答 C++", {"chat": "cascade:?chat=llama:", "system": "简短 回答 C++"}),
    ],
)  # fmt: skip
def test_parts_keep_their_own_options_in_the_uri(text, options):
    assert options_of(text) == options


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        (
            "cascade:?asr=x",
            "no cascade option 'asr'; there are: chat, language, synthesizer, system, transcriber",
        ),
        ("cascade:?chat=scripted:echo&chat=x", "an option is given twice"),
        ("cascade:whisper", "takes no path; write cascade:?chat=URI"),
        ("cascade:?language=fr", "no language 'fr'; there are: en, zh"),
        ("cascade:?chat=openai+http://127.0.0.1:1/v1?gives=speech#m", "does not read and write text"),
        ("cascade:?chat=kokoro:", "kokoro: is a synthesizer"),
    ],
)
def test_a_wrong_cascade_says_what_to_write(uri, problem):
    with pytest.raises(ConfigError) as caught:
        catalog.open_chat(uri, VirtualClock())
    assert problem in str(caught.value)


async def test_a_whole_cascade_opens_from_its_uri(tmp_path):
    script = tmp_path / "chat.jsonl"
    script.write_text(json.dumps({"match": "星期", "text": "今天是星期一。明天是星期二。"}), "utf-8")
    agent = catalog.open_chat(
        f"cascade:?transcriber=scripted:&chat=scripted:{script}?piece_chars=3&synthesizer=scripted:?rate_hz=16000",
        VirtualClock(),
    )
    reply = await collect(agent, Request((spoken("今天星期几"),)))
    assert reply.text == "今天是星期一。明天是星期二。"
    assert reply.clip == join([tone("今天是星期一。", 0.42, 16_000), tone("明天是星期二。", 0.42, 16_000)])


@pytest.mark.weights
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("question", "language"), [("请问一个星期有几天？", "zh"), ("How many days are there in a week?", "en")]
)
async def test_the_embedded_agent_hears_a_question_and_answers_aloud(question, language):
    clock = RealClock()
    try:
        agent = catalog.open_chat("cascade:", clock)
        query = await speak(catalog.open_synthesizer("kokoro:", clock), question, language=language)
    except UnavailableError as error:
        pytest.skip(str(error))
    request = Request((Message("user", (Speech(query),)),), sampling=Sampling(max_tokens=40))
    reply = await collect(agent, request)
    heard = {"zh": ("星期", "天"), "en": ("days", "week")}[language]
    assert all(word in (reply.heard or "") for word in heard), reply.heard
    assert any(word in reply.text for word in ("七", "7", "seven")), reply.text
    assert isinstance(reply.clip, Clip)
    assert 0.5 < reply.clip.duration_s < 40
    stages = reply.stages
    assert 0 < stages["recognised"] < stages["first_text"] <= stages["text_done"] <= reply.end_us
    assert stages["first_text"] < stages["first_speech"] <= reply.end_us
