from __future__ import annotations

import asyncio

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ModelError
from antiphon.messages import says
from antiphon.models.ports import (
    Done,
    Request,
    SpeechChunk,
    SpeechContext,
    TextDelta,
    Transcript,
    Voice,
    collect,
)
from antiphon.models.retry import (
    Limiter,
    Limits,
    RetryPolicy,
    shared_limiter,
    with_retry,
)

REQUEST = Request((says("user", "q"),))


def busy(after_us=None):
    return ModelError("e", "busy", transient=True, retry_after_us=after_us)


class Flaky:
    """Plays one behaviour a call: an error, or chunks with errors in between."""

    name = "flaky"
    accepts = gives = frozenset({"text"})

    def __init__(self, clock, *plays):
        self.clock = clock
        self.plays = list(plays)
        self.called_us = []
        self.running = self.most = 0

    async def stream(self, request):
        self.called_us.append(self.clock.mono_us())
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            play = self.plays.pop(0) if self.plays else [Done("stop", 3)]
            for step in play if isinstance(play, list) else [play]:
                if isinstance(step, Exception):
                    raise step
                await asyncio.sleep(0)
                yield step
        finally:
            self.running -= 1


async def test_a_transient_failure_is_repeated_and_the_times_are_the_last_attempts():
    clock = VirtualClock()
    chat = Flaky(clock, busy(), busy(), [TextDelta("ok", 11), Done("stop", 22)])
    reply = await collect(with_retry(chat, clock=clock), REQUEST)
    assert (reply.text, reply.first_token_us, reply.end_us) == ("ok", 11, 22)
    waits = [b - a for a, b in zip(chat.called_us, chat.called_us[1:], strict=False)]
    assert len(waits) == 2
    assert 0 < waits[0] <= 1_000_000
    assert 0 < waits[1] <= 2_000_000


async def test_the_same_seed_waits_the_same_and_another_does_not():
    async def waits(seed):
        clock = VirtualClock()
        chat = Flaky(clock, busy(), busy())
        await collect(with_retry(chat, clock=clock, seed=seed), REQUEST)
        return chat.called_us

    assert await waits(1) == await waits(1)
    assert await waits(1) != await waits(2)


async def test_a_permanent_failure_is_not_repeated():
    clock = VirtualClock()
    chat = Flaky(clock, ModelError("e", "wrong"))
    with pytest.raises(ModelError, match="e: wrong"):
        await collect(with_retry(chat, clock=clock), REQUEST)
    assert chat.called_us == [0]


async def test_nothing_is_repeated_once_words_are_out():
    clock = VirtualClock()
    chat = Flaky(clock, [TextDelta("half", 1), busy()])
    with pytest.raises(ModelError, match="busy"):
        await collect(with_retry(chat, clock=clock), REQUEST)
    assert chat.called_us == [0]


async def test_giving_up_says_how_often_it_was_tried_and_stays_transient():
    clock = VirtualClock()
    chat = Flaky(clock, busy(), busy(), busy())
    with pytest.raises(ModelError) as caught:
        await collect(with_retry(chat, clock=clock, policy=RetryPolicy(attempts=3)), REQUEST)
    assert (caught.value.problem, caught.value.transient) == ("busy (3 attempts)", True)


async def test_the_endpoint_says_how_long_to_wait_and_everybody_does():
    clock = VirtualClock()
    limiter = Limiter(clock, Limits("e"))
    chat = Flaky(clock, busy(30_000_000))
    await collect(with_retry(chat, clock=clock, limiter=limiter), REQUEST)
    assert chat.called_us == [0, 30_000_000]
    limiter.hold(5_000_000)
    other = Flaky(clock)
    await collect(with_retry(other, clock=clock, limiter=limiter), REQUEST)
    assert other.called_us == [35_000_000]


async def test_a_wait_beyond_all_patience_is_not_waited():
    clock = VirtualClock()
    chat = Flaky(clock, busy(3_600_000_000))
    with pytest.raises(ModelError, match="busy"):
        await collect(with_retry(chat, clock=clock), REQUEST)
    assert clock.mono_us() == 0


async def test_calls_are_spaced_by_the_rate_limit():
    clock = VirtualClock()
    chat = Flaky(clock)
    limited = with_retry(chat, clock=clock, limiter=Limiter(clock, Limits("e", requests_per_minute=120)))
    for _ in range(3):
        await collect(limited, REQUEST)
    assert chat.called_us == [0, 500_000, 1_000_000]


async def test_concurrency_is_bounded_over_all_wrappers_of_an_endpoint():
    clock = VirtualClock()
    chat = Flaky(clock)
    wrapped = [
        with_retry(chat, clock=clock, limiter=shared_limiter(Limits("http://shared", None, wish), clock))
        for wish in (5, 2)
    ]
    await asyncio.gather(*(collect(wrapped[n % 2], REQUEST) for n in range(10)))
    assert chat.most == 2
    assert len(chat.called_us) == 10


async def test_retries_do_not_multiply():
    clock = VirtualClock()
    once = with_retry(Flaky(clock), clock=clock)
    assert with_retry(once, clock=clock) is once


async def test_an_abandoned_reply_ends_its_call_and_frees_its_slot():
    clock = VirtualClock()
    chat = Flaky(clock, [TextDelta("a", 1), TextDelta("b", 2)])
    limiter = Limiter(clock, Limits("e", concurrency=1))
    retried = with_retry(chat, clock=clock, limiter=limiter)
    stream = retried.stream(REQUEST)
    await anext(stream)
    assert chat.running == 1
    await stream.aclose()
    assert chat.running == 0
    assert (await collect(retried, REQUEST)).finish == "stop"


async def test_a_recogniser_that_stays_busy_is_given_up():
    class Deaf:
        name = "deaf"
        calls = 0

        async def transcribe(self, clips, language):
            self.calls += 1
            raise busy()

    deaf = Deaf()
    with pytest.raises(ModelError, match=r"busy \(5 attempts\)"):
        await with_retry(deaf, clock=VirtualClock()).transcribe([], None)
    assert deaf.calls == 5


async def test_a_recogniser_is_asked_again():
    class Ears:
        name = "ears"
        calls = 0

        async def transcribe(self, clips, language):
            self.calls += 1
            if self.calls == 1:
                raise busy()
            return [Transcript(f"{len(clip)}", language) for clip in clips]

    ears = with_retry(Ears(), clock=VirtualClock())
    assert await ears.transcribe([Clip([0.0, 0.1], 8000)], "zh") == [Transcript("2", "zh")]
    assert with_retry(ears, clock=VirtualClock()) is ears


async def test_a_voice_starts_again_with_the_text_it_had_taken():
    class Mouth:
        name = "mouth"

        def __init__(self):
            self.calls = 0

        async def stream(self, text, voice, context):
            self.calls += 1
            taken = [await anext(text), await anext(text)]
            if self.calls == 1:
                raise busy()
            taken += [piece async for piece in text]
            yield SpeechChunk(Clip([0.5], 8000), len("".join(taken)))
            raise busy()

    async def text():
        for piece in ("a", "b", "c"):
            yield piece

    mouth = Mouth()
    stream = with_retry(mouth, clock=VirtualClock()).stream(text(), Voice(), SpeechContext())
    assert (await anext(stream)).chars == 3
    with pytest.raises(ModelError, match="busy"):
        await anext(stream)
    assert mouth.calls == 2
