"""pipecat: `OpenAIRealtimeLLMService` in a pipeline, with the context aggregators beside it."""

from __future__ import annotations

import asyncio
from typing import Any

from case import RESULT, Case, Seen, converse, main
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    LLMMessagesAppendFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.openai.realtime import events
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService
from pipecat.workers.runner import WorkerRunner


class Service(OpenAIRealtimeLLMService):
    """The service, which tells nobody how a response ended: noted here on its way."""

    seen: Seen

    async def _handle_evt_response_done(self, evt: Any) -> None:
        details = evt.response.status_details or {}
        self.seen.ends.append([evt.response.status, details.get("reason")])
        await super()._handle_evt_response_done(evt)


class Notes(FrameProcessor):
    """A place in the pipeline where what passes is noted."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self._seen = seen

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        down = direction == FrameDirection.DOWNSTREAM
        if isinstance(frame, TTSAudioRawFrame) and down:
            self._seen.audio += frame.audio
        elif isinstance(frame, InterruptionFrame) and down:
            self._seen.interrupted += 1
        elif isinstance(frame, TranscriptionFrame) and not down:
            self._seen.heard.append(frame.text)
        elif isinstance(frame, ErrorFrame):
            self._seen.errors.append(frame.error)
        await self.push_frame(frame, direction)


def service(case: Case, seen: Seen) -> Service:
    turns = False if case.name == "cancel" else events.TurnDetection()
    properties = events.SessionProperties(
        output_modalities=["text" if case.name == "text" else "audio"],
        audio=events.AudioConfiguration(
            input=events.AudioInput(transcription=events.InputAudioTranscription(), turn_detection=turns)
        ),
    )
    made = Service(
        api_key="none", base_url=f"{case.url}/realtime",
        settings=Service.Settings(model="antiphon", session_properties=properties),
    )  # fmt: skip
    made.seen = seen

    async def hours(params: Any) -> None:
        seen.tools.append({"name": params.function_name, "arguments": dict(params.arguments)})
        await params.result_callback(RESULT)

    made.register_function("hours", hours)
    return made


async def run(case: Case, seen: Seen) -> None:
    schema = FunctionSchema("hours", "Opening hours of one day", {"day": {"type": "string"}}, ["day"])
    context = LLMContext(tools=ToolsSchema(standard_tools=[schema])) if case.name == "tool" else LLMContext()
    pair = LLMContextAggregatorPair(context)
    made = service(case, seen)
    pipeline = Pipeline([pair.user(), Notes(seen), made, Notes(seen), pair.assistant()])
    worker = PipelineWorker(pipeline, cancel_on_idle_timeout=False, enable_rtvi=False)
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def begun(*_: Any) -> None:
        started.set()

    async def ask(text: str) -> None:
        if not seen.ends:
            message: Any = {"role": "user", "content": text}
            await worker.queue_frame(LLMMessagesAppendFrame(messages=[message], run_llm=True))
            return
        part = events.ItemContent(
            type="input_text", text=text
        )  # the service itself writes the first message only
        item = events.ConversationItem(role="user", type="message", content=[part])
        await made.send_client_event(events.ConversationItemCreateEvent(item=item))
        await made.send_client_event(events.ResponseCreateEvent())

    async def speak() -> None:
        async for frame in case.speech():
            await worker.queue_frame(InputAudioRawFrame(audio=frame, sample_rate=24_000, num_channels=1))

    running = await begin(worker)
    await asyncio.wait_for(started.wait(), 20)
    await converse(case, seen, ask, speak, lambda: worker.queue_frame(InterruptionFrame()))
    seen.texts = words(context)
    await worker.queue_frame(EndFrame())
    await asyncio.wait_for(running, 20)


async def begin(worker: PipelineWorker) -> asyncio.Task[None]:
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    return asyncio.create_task(runner.run())


def words(context: LLMContext) -> list[str]:
    """What the agent said, as the context has it."""
    said: list[Any] = [message for message in context.messages if message["role"] == "assistant"]
    return [message["content"] for message in said if message.get("content")]


main(run)
