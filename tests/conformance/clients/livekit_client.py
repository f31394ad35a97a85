"""LiveKit Agents: an `AgentSession` on the OpenAI plugin's `RealtimeModel`, with a microphone and a loudspeaker of ours."""

from __future__ import annotations

import asyncio
from typing import Any

from case import RESULT, Case, Seen, converse, main
from livekit import rtc
from livekit.agents import Agent, AgentSession, function_tool
from livekit.agents.voice import io
from livekit.plugins.openai.realtime import RealtimeModel

RATE_HZ = 24_000


class Microphone(io.AudioInput):
    """Hears nothing until somebody speaks."""

    def __init__(self, case: Case) -> None:
        super().__init__(label="microphone")
        self._case, self._frames, self.open = case, case.speech(), asyncio.Event()

    async def __anext__(self) -> rtc.AudioFrame:
        await self.open.wait()
        pcm = await anext(self._frames)
        return rtc.AudioFrame(pcm, RATE_HZ, 1, len(pcm) // 2)


class Loudspeaker(io.AudioOutput):
    """Plays in real time, and keeps what it got."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(
            label="loudspeaker", capabilities=io.AudioOutputCapabilities(pause=False), sample_rate=RATE_HZ
        )
        self._seen = seen
        self._begun: float | None = None
        self._length_s = 0.0
        self._ending: asyncio.TimerHandle | None = None

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        if self._begun is None:
            self._begun, self._length_s = asyncio.get_running_loop().time(), 0.0
        self._length_s += frame.duration
        self._seen.audio += bytes(frame.data)

    def flush(self) -> None:
        super().flush()
        if self._begun is not None and self._ending is None:
            loop = asyncio.get_running_loop()
            left_s = max(0.0, self._begun + self._length_s - loop.time())
            self._ending = loop.call_later(left_s, self._end, self._length_s, False)

    def clear_buffer(self) -> None:
        if self._begun is None:
            return
        self._seen.interrupted += 1
        if self._ending is not None:
            self._ending.cancel()
        played_s = asyncio.get_running_loop().time() - self._begun
        self._end(min(played_s, self._length_s), True)

    def _end(self, position_s: float, interrupted: bool) -> None:
        self._begun = self._ending = None
        self.on_playback_finished(playback_position=position_s, interrupted=interrupted)


def noting(seen: Seen) -> Any:
    def note(event: dict[str, Any]) -> None:
        seen.kinds.append(event["type"])
        if event["type"] == "response.done":
            details = event["response"].get("status_details") or {}
            seen.ends.append([event["response"]["status"], details.get("reason")])

    return note


async def run(case: Case, seen: Seen) -> None:
    @function_tool
    async def hours(day: str) -> str:
        """Opening hours of one day."""
        seen.tools.append({"name": "hours", "arguments": {"day": day}})
        return RESULT

    text = case.name == "text"
    model = RealtimeModel(
        model="antiphon",
        base_url=case.url,
        api_key="none",
        modalities=["text"] if text else ["audio", "text"],
    )
    agent = Agent(instructions="Answer briefly.", tools=[hours] if case.name == "tool" else [])
    session: AgentSession[None] = AgentSession(llm=model)
    microphone = Microphone(case)
    session.input.audio = microphone
    if not text:
        session.output.audio = Loudspeaker(seen)
    session.on(
        "user_input_transcribed",
        lambda event: seen.heard.append(event.transcript) if event.is_final else None,
    )
    session.on("error", lambda event: seen.errors.append(str(event.error)))
    await session.start(agent, record=False)
    agent.realtime_llm_session.on("openai_server_event_received", noting(seen))

    async def ask(text: str) -> None:
        session.generate_reply(user_input=text)

    async def speak() -> None:
        microphone.open.set()

    async def stop() -> None:
        await session.interrupt()

    await converse(case, seen, ask, speak, stop)
    await asyncio.sleep(0.5)  # what is left is played
    said = [item for item in session.history.items if item.type == "message" and item.role == "assistant"]
    seen.texts = [item.text_content for item in said if item.text_content]
    await session.aclose()
    await model.aclose()


main(run)
