from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from antiphon.clock import RealClock
from antiphon.messages import ToolCall, ToolResult
from antiphon.models.scripted import Line
from antiphon.realtime import events as e
from antiphon.realtime.live.turn_times import STAGES
from antiphon.realtime.recording import telemetry
from antiphon.realtime.recording.telemetry import Traces, wanted
from tests.realtime.live.test_turn_times import START, spoken
from tests.realtime.serving import Client, append, noise, quiet, served, stack

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


@pytest.mark.parametrize(
    ("environment", "on"),
    [
        ({}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({**ENDPOINT, "OTEL_SDK_DISABLED": "true"}, False),
        ({**ENDPOINT, "OTEL_TRACES_EXPORTER": "none"}, False),
        ({**ENDPOINT, "OTEL_TRACES_EXPORTER": "otlp"}, True),
    ],
)
def test_traces_are_made_where_the_environment_says_so(environment, on):
    assert wanted(environment) is on


def test_nobody_who_asked_for_nothing_loads_the_library(monkeypatch):
    for name in ENDPOINT:
        monkeypatch.delenv(name, raising=False)
    assert telemetry.tracer() is None


@pytest.fixture
def memory() -> Any:
    pytest.importorskip("opentelemetry.sdk", reason="needs antiphon[telemetry]")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    exporter.tracer = provider.get_tracer("test")  # type: ignore[attr-defined]
    yield exporter
    provider.shutdown()


def followed(memory: Any, *, content: bool) -> list[Any]:
    """The spans of one spoken turn with a tool."""
    traces = Traces(memory.tracer, RealClock(), "sess_1", "m", content=content)
    steps: list[tuple[int, Any, Any]] = []

    class Steps:
        def step(self, now_us: int, inputs: Any, effects: Any) -> list[Any]:
            steps.append((now_us, inputs, effects))
            return []

    spoken(Steps())  # type: ignore[arg-type]
    call = ToolCall("call_1", "hours", {"day": "Monday"})
    steps.insert(3, (1520_000, [e.AnswerTool(1520_000, "answer", 1, call)], [e.StartTool("tool", 2, call)]))
    result = ToolResult("call_1", {"opens": 9})
    steps.append((4_000_000, [e.ToolReturned(4_000_000, "tool", 2, result)], []))
    for step in steps:
        traces.stepped(*step)
    traces.close(5_000_000)
    return list(memory.get_finished_spans())


def test_a_turn_is_a_span_whose_stages_add_up_and_its_tools_are_beneath_it(memory):
    spans = followed(memory, content=False)
    (root,) = [span for span in spans if span.parent is None]
    assert root.name == "invoke_agent antiphon"
    assert root.attributes["gen_ai.conversation.id"] == "sess_1"
    assert all(span.parent.span_id == root.context.span_id for span in spans if span is not root)
    stages = [span for span in spans if "antiphon.stage" in span.attributes]
    assert [span.name for span in stages] == [
        "detected", "recognised", "decided", "first_token", "first_clause", "first_sound", "sent", "played",
    ]  # fmt: skip
    assert (stages[0].start_time, stages[-1].end_time) == (root.start_time, root.end_time)
    assert all(one.end_time == other.start_time for one, other in pairwise(stages))
    assert root.end_time - root.start_time == 2_000_000_000
    (tool,) = [span for span in spans if span.name == "execute_tool hours"]
    assert tool.end_time - tool.start_time == 2_480_000_000
    (chat,) = [span for span in spans if span.name == "chat m"]
    assert chat.attributes["antiphon.time_to_first_token_ms"] == 200


def test_what_was_said_is_in_a_trace_only_where_somebody_asked_for_it(memory):
    def told(spans: list[Any]) -> str:
        return str([dict(span.attributes) for span in spans])

    silent = told(followed(memory, content=False))
    for words in ("When?", "At nine.", "Monday", "opens"):
        assert words not in silent
    memory.clear()
    loud = told(followed(memory, content=True))
    for words in ("When?", "At nine.", "Monday", "opens"):
        assert words in loud


def test_a_model_that_fails_is_an_error_without_its_words(memory):
    traces = Traces(memory.tracer, RealClock(), "sess_1", "m", content=False)
    traces.stepped(0, [], [START])
    traces.stepped(9, [], [e.Said("item", "", 0, 0, "failed", "secret words")])
    (root,) = [span for span in memory.get_finished_spans() if span.parent is None]
    assert (root.status.is_ok, root.attributes["error.type"]) == (False, "failed")
    assert "secret" not in str(root.to_json())


async def test_the_breakdown_of_a_live_answer_is_what_its_client_is_told(memory):
    made = replace(
        stack([Line(text="Yes.")]),
        trace=lambda name: Traces(memory.tracer, RealClock(), name, "m", content=False),
    )
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.send(append(quiet(300) + noise(800) + quiet(600)))
        told = (await client.until("duplex.latency"))["stages"]
        await client.until("duplex.said")
    spans = memory.get_finished_spans()
    (root,) = [span for span in spans if span.parent is None]
    until_sent = [s for s in spans if s.attributes.get("antiphon.stage") not in (None, "played")]
    assert until_sent[0].start_time == root.start_time
    traced = {span.name: (span.end_time - root.start_time) // 1_000_000 for span in until_sent}
    assert traced == told
    assert list(told) == list(STAGES[:-1])
    counted = server.hall.meter.sums_ms
    assert counted == told


async def test_traces_leave_for_the_endpoint_of_the_environment(monkeypatch):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs antiphon[telemetry]")
    got: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(
            int(line[16:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: ")
        )
        got.extend([head, await reader.readexactly(size)])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    collector = await asyncio.start_server(take, "127.0.0.1", 0)
    port = collector.sockets[0].getsockname()[1]
    for name, value in {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_SERVICE_NAME": "our voice",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    tracer: Any = telemetry.tracer()
    traces = Traces(tracer, RealClock(), "sess_1", "m", content=False)
    traces.stepped(0, [], [START])
    traces.stepped(9, [], [e.Said("item", "", 0, 0, "stop")])
    await asyncio.to_thread(tracer.span_processor.force_flush)
    await asyncio.to_thread(tracer.span_processor.shutdown)
    collector.close()
    assert got[0].startswith(b"POST /v1/traces ")
    assert b"invoke_agent antiphon" in got[1]
    assert b"our voice" in got[1]
