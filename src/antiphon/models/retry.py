"""Trying again: transient failures, back-off with jitter, and one rate limit for each endpoint.

This is the only place that repeats a call. A reply that has begun is never repeated, and its times
are those of the attempt that gave it: waiting before it does not count.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.ids import rng

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence

    import numpy as np

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.ports import (
        Chat,
        Chunk,
        Request,
        SpeechChunk,
        SpeechContext,
        Synthesizer,
        Transcriber,
        Transcript,
        Voice,
    )

T = TypeVar("T")
M = TypeVar("M", "Chat", "Transcriber", "Synthesizer")


@dataclass(frozen=True, slots=True)
class Limits:
    """What an adapter says about its endpoint: how fast it may be asked, and how often to try.
    An adapter with an attribute `limits` is wrapped by the catalog; None means no limit."""

    endpoint: str
    requests_per_minute: int | None = None
    concurrency: int | None = None
    attempts: int = 5


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempt n+1 waits a random time up to `first_us` * 2^(n-1), at most `ceiling_us` ("full jitter",
    M. Brooker, AWS Architecture Blog 2015), and never less than the endpoint asks for. An endpoint that
    asks for more than `patience_us` is not waited for."""

    attempts: int = 5
    first_us: int = 1_000_000
    ceiling_us: int = 60_000_000
    patience_us: int = 300_000_000


class Limiter:
    """Spaces the calls to one endpoint and bounds how many run at once (in each event loop)."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self.limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._next_us = 0
        self._slots: WeakKeyDictionary[AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def hold(self, duration_us: int) -> None:
        """The endpoint asked for a pause: nobody calls it before that is over."""
        with self._lock:
            self._next_us = max(self._next_us, self._clock.mono_us() + duration_us)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None, None]:
        """Wait for leave to make one call, and hold it while the call runs."""
        if self.limits.concurrency is None:
            await self._wait()
            yield
            return
        loop = asyncio.get_running_loop()
        slots = self._slots.setdefault(loop, asyncio.Semaphore(self.limits.concurrency))
        async with slots:
            await self._wait()
            yield

    async def _wait(self) -> None:
        rate = self.limits.requests_per_minute
        with self._lock:
            now_us = self._clock.mono_us()
            at_us = max(now_us, self._next_us)
            self._next_us = at_us + (60_000_000 // rate if rate else 0)
        if at_us > now_us:
            await self._clock.sleep_us(at_us - now_us)


_SHARED: dict[tuple[str, int], Limiter] = {}
_SHARED_LOCK = threading.Lock()


def shared_limiter(limits: Limits, clock: Clock) -> Limiter:
    """The process's one limiter of an endpoint. Where wishes differ, the stricter one holds for all."""
    timeline = 0 if isinstance(clock, RealClock) else id(clock)
    with _SHARED_LOCK:
        limiter = _SHARED.setdefault((limits.endpoint, timeline), Limiter(clock, limits))
        old = limiter.limits
        limiter.limits = Limits(
            limits.endpoint,
            _stricter(old.requests_per_minute, limits.requests_per_minute),
            _stricter(old.concurrency, limits.concurrency),
        )
    return limiter


def _stricter(a: int | None, b: int | None) -> int | None:
    return min((limit for limit in (a, b) if limit is not None), default=None)


class _Tries:
    """One call's attempts: counts them, and waits or gives up."""

    def __init__(self, retry: _Retry) -> None:
        self._retry = retry
        self._failed = 0

    async def after(self, error: ModelError, *, begun: bool = False) -> None:
        """Wait before the next attempt. Raises the error when there is none."""
        retry, policy = self._retry, self._retry.policy
        self._failed += 1
        asked_us = error.retry_after_us or 0
        if begun or not error.transient or asked_us > policy.patience_us:
            raise error
        if self._failed >= policy.attempts:
            raise ModelError(
                error.endpoint, f"{error.problem} ({self._failed} attempt{'s' * (self._failed > 1)})",
                transient=True, retry_after_us=error.retry_after_us,
            ) from error  # fmt: skip
        if asked_us:
            retry.limiter.hold(asked_us)
        longest_us = min(policy.ceiling_us, policy.first_us << (self._failed - 1))
        await retry.clock.sleep_us(max(asked_us, round(retry.random.uniform(0, longest_us))))


@dataclass(frozen=True, slots=True)
class _Retry:
    policy: RetryPolicy
    clock: Clock
    limiter: Limiter
    random: np.random.Generator

    def tries(self) -> _Tries:
        return _Tries(self)


class Retried:
    """A model whose calls are repeated after a transient failure, each attempt from its beginning."""

    def __init__(self, name: str, retry: _Retry) -> None:
        self.name = name
        self._retry = retry

    async def _tried(self, attempt: Callable[[], AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
        """What the first attempt gives that does not fail; one that has begun to give is not repeated."""
        tries = self._retry.tries()
        while True:
            begun = False
            try:
                async with self._retry.limiter.slot(), aclosing(attempt()) as found:
                    async for each in found:
                        begun = True
                        yield each
                return
            except ModelError as error:
                failure = error
            await tries.after(failure, begun=begun)


class RetriedChat(Retried):
    """A chat model; each attempt has the whole deadline."""

    def __init__(self, chat: Chat, retry: _Retry) -> None:
        super().__init__(chat.name, retry)
        self._chat = chat
        self.accepts = chat.accepts
        self.gives = chat.gives
        self.parts: Mapping[str, str] = getattr(chat, "parts", {})

    def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        return self._tried(lambda: self._chat.stream(request))


class RetriedTranscriber(Retried):
    """A recogniser; the whole batch is repeated."""

    def __init__(self, transcriber: Transcriber, retry: _Retry) -> None:
        super().__init__(transcriber.name, retry)
        self._transcriber = transcriber

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        async def once() -> AsyncGenerator[list[Transcript], None]:
            yield await self._transcriber.transcribe(clips, language)

        async with aclosing(self._tried(once)) as found:
            return await anext(found)


class RetriedSynthesizer(Retried):
    """A voice; it starts again with the text that it had taken so far."""

    def __init__(self, synthesizer: Synthesizer, retry: _Retry) -> None:
        super().__init__(synthesizer.name, retry)
        self._synthesizer = synthesizer

    def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        taken: list[str] = []
        return self._tried(lambda: self._synthesizer.stream(_again(taken, text), voice, context))


async def _again(taken: list[str], text: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """What was taken before, then the rest, which is remembered too."""
    for piece in list(taken):
        yield piece
    async for piece in text:
        taken.append(piece)
        yield piece


def with_retry(
    model: M,
    *,
    clock: Clock,
    policy: RetryPolicy | None = None,
    seed: int = 0,
    limiter: Limiter | None = None,
) -> M:
    """A chat model, recogniser or voice with retries. One that has them already, such as every endpoint that the
    catalog opened, is returned as it is: retries must not multiply."""
    if isinstance(model, Retried):
        return model
    limiter = limiter or Limiter(clock, Limits(model.name))
    retry = _Retry(policy or RetryPolicy(), clock, limiter, rng(seed, "retry", model.name))
    wrapper: Any = RetriedSynthesizer
    if hasattr(model, "transcribe"):
        wrapper = RetriedTranscriber
    elif hasattr(model, "gives"):
        wrapper = RetriedChat
    return wrapper(model, retry)
