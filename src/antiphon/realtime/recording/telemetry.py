"""Sessions as OpenTelemetry traces: a span for each answer, its stages and its tools beneath it.

The standard OTEL_* variables say where traces go; without an endpoint, or without antiphon[telemetry], there are none.
Names and attributes follow the GenAI semantic conventions where they have a word. No content unless asked for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from antiphon.jsonl import dumps
from antiphon.realtime.live.turn_times import Answered, TurnTimes, Used

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.trace import Span, Tracer

    from antiphon.clock import Clock
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.live.turn_times import Event

_KEPT = 64
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the environment asks for traces."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return False
    return any(environment.get(name) for name in _ENDPOINTS)


def tracer() -> Tracer | None:
    """Where spans go, from the environment; None where nobody asked, or the extra is missing."""
    if not wanted(os.environ):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return None
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "antiphon"}
    # Its own provider, shut down at exit by the SDK: a host program's global one is not ours to set.
    provider = TracerProvider(resource=Resource.create().merge(Resource(named)))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("antiphon.realtime")


class Traces:
    """One session's witness. A span is made when its answer is over, with the times that were measured."""

    def __init__(self, tracer: Tracer, clock: Clock, session: str, model: str, *, content: bool) -> None:
        self._tracer, self._content = tracer, content
        self._about = {"gen_ai.conversation.id": session}
        self._model = model
        self._times = TurnTimes()
        self._clock = clock
        self._zero_ns: int | None = None
        self._tools: dict[str, list[Used]] = {}  # of answers that are not over
        self._spans: dict[str, Span] = {}  # of those that are: a tool may outlive the answer that called it

    def heard(self, pcm: bytes, now_us: int) -> None:
        """Sound is no part of a trace."""

    def sent(self, frame: Frame, now_us: int) -> None:
        """Neither are frames: the first one is an input of the engine."""

    def stepped(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> None:
        if self._zero_ns is None:
            self._zero_ns = int(self._clock.utc().timestamp() * 1e9) - now_us * 1000
        self._tell(self._times.step(now_us, inputs, effects))

    def close(self, now_us: int) -> None:
        self._tell(self._times.rest(now_us))

    def _tell(self, done: Sequence[Event]) -> None:
        for each in done:
            if isinstance(each, Answered):
                self._answer(each)
            elif not isinstance(each, Used):
                continue
            elif each.item is not None and self._times.is_open(each.item):
                self._tools.setdefault(each.item, []).append(each)
            else:
                self._tool(each, self._spans.get(each.item or ""))

    def _ns(self, at_us: int) -> int:
        return (self._zero_ns or 0) + at_us * 1000

    def _span(self, name: str, begin_us: int, parent: Span | None, attributes: dict[str, Any]) -> Span:
        from opentelemetry.trace import set_span_in_context

        context = set_span_in_context(parent) if parent is not None else None
        return self._tracer.start_span(
            name, context, attributes={**self._about, **attributes}, start_time=self._ns(begin_us)
        )

    def _answer(self, answer: Answered) -> None:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "antiphon",
            "gen_ai.request.model": self._model,
            "gen_ai.output.type": "speech",
            "antiphon.item": answer.item,
            "antiphon.reason": answer.why,
            "antiphon.finish": answer.finish,
            "antiphon.chars.written": len(answer.text),
            "antiphon.chars.heard": answer.heard_chars,
        }
        if self._content:
            attributes |= {
                "gen_ai.input.messages": _message("user", answer.heard),
                "gen_ai.output.messages": _message("assistant", answer.text),
            }
        span = self._span("invoke_agent antiphon", answer.begin_us, None, attributes)
        _failed(span, answer.error)
        for stage in answer.stages():
            part = self._span(stage.name, stage.begin_us, span, {"antiphon.stage": stage.name})
            part.end(self._ns(stage.end_us))
        self._chat(answer, span)
        for used in self._tools.pop(answer.item, []):
            self._tool(used, span)
        span.end(self._ns(answer.end_us))
        self._spans[answer.item] = span
        for old in list(self._spans)[:-_KEPT]:
            del self._spans[old]

    def _chat(self, answer: Answered, parent: Span) -> None:
        """The model's own time, which lies across the stages."""
        begin_us = answer.marks["decided"]
        end_us = answer.written_us if answer.written_us is not None else answer.end_us
        attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self._model}
        if (first_us := answer.marks.get("first_token")) is not None:
            attributes["antiphon.time_to_first_token_ms"] = (first_us - begin_us) // 1000
        self._span(f"chat {self._model}", begin_us, parent, attributes).end(self._ns(end_us))

    def _tool(self, used: Used, parent: Span | None) -> None:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": used.call.name,
            "gen_ai.tool.call.id": used.call.id,
            "gen_ai.tool.type": "function",
        }
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = dumps(dict(used.call.arguments))
            if used.result is not None:
                attributes["gen_ai.tool.call.result"] = str(used.result.value)
        span = self._span(f"execute_tool {used.call.name}", used.begin_us, parent, attributes)
        _failed(span, "cancelled" if used.result is None else used.result.error)
        span.end(self._ns(used.end_us))


def _message(role: str, text: str) -> str:
    return dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _failed(span: Span, error: str | None) -> None:
    if error is not None:
        from opentelemetry.trace import Status, StatusCode

        span.set_status(Status(StatusCode.ERROR))
        span.set_attribute("error.type", "cancelled" if error == "cancelled" else "failed")
