"""Our types against the installed `openai` package: every event and field of ours is one of theirs."""

from __future__ import annotations

import inspect
from typing import Any, get_args

import pytest

from antiphon.models.wire.ga import shapes
from antiphon.models.wire.ga.codec import CLIENT, SERVER

realtime = pytest.importorskip("openai.types.realtime", reason="pip install openai")
pydantic = pytest.importorskip("pydantic")

# Left out on purpose. A new release of theirs that adds to this makes the test fail: decide, and add it here.
EVENTS_LEFT_OUT = {
    # Tools that the endpoint itself runs: Antiphon's tools run at the client. Kept as `Unknown`.
    "mcp_list_tools.in_progress", "mcp_list_tools.completed", "mcp_list_tools.failed",
    "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done",
    "response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed",
    # SIP only.
    "input_audio_buffer.dtmf_event_received",
}  # fmt: skip
FIELDS_LEFT_OUT = {
    "conversation.item.input_audio_transcription.delta": {"logprobs"},
    "conversation.item.input_audio_transcription.completed": {"logprobs", "languages"},
}
SHAPES = {
    shapes.Item: ({
        "RealtimeConversationItemUserMessage", "RealtimeConversationItemAssistantMessage",
        "RealtimeConversationItemSystemMessage", "RealtimeConversationItemFunctionCall",
        "RealtimeConversationItemFunctionCallOutput", "RealtimeMcpToolCall",
    }, {"approval_request_id"}),
    shapes.Response: ({"RealtimeResponse"}, set()),
    shapes.StatusDetails: ({"RealtimeResponseStatus"}, set()),
    shapes.Usage: ({"RealtimeResponseUsage"}, set()),
    shapes.Failure: ({"RealtimeError"}, set()),
    shapes.ResponseOptions: ({"RealtimeResponseCreateParams"}, {"prompt"}),
    shapes.Listening: ({"RealtimeAudioConfigInput"}, set()),
    shapes.Speaking: ({"RealtimeAudioConfigOutput"}, set()),
    shapes.Audio: ({"RealtimeAudioConfig"}, set()),
    shapes.Transcription: ({"AudioTranscription"}, {"delay", "keywords", "languages"}),
    shapes.Tool: ({"RealtimeFunctionTool"}, set()),
    # A server's answer also carries what it decides itself: id, object, expires_at.
    shapes.Session: ({"RealtimeSessionCreateRequest", "RealtimeSessionCreateResponse"}, {"include", "prompt", "tracing"}),
}  # fmt: skip


def _members(union: Any) -> list[type]:
    if inspect.isclass(union):
        return [union] if issubclass(union, pydantic.BaseModel) else []
    return [kind for argument in get_args(union) for kind in _members(argument)]


def _events(union: Any) -> dict[str, type]:
    return {get_args(kind.model_fields["type"].annotation)[0]: kind for kind in _members(union)}


THEIRS = _events(realtime.RealtimeClientEvent) | _events(realtime.RealtimeServerEvent)
OURS = CLIENT | SERVER


def _class(name: str) -> type:
    found = getattr(realtime, name, None)
    if found is None:
        from openai.types.realtime import audio_transcription, realtime_session_create_response

        found = getattr(realtime_session_create_response, name, None) or getattr(audio_transcription, name)
    return found


def test_every_event_is_one_of_theirs_and_what_is_missing_is_listed():
    assert set(OURS) - set(THEIRS) == set()
    assert set(THEIRS) - set(OURS) == EVENTS_LEFT_OUT


@pytest.mark.parametrize("name", OURS)
def test_every_field_of_an_event_is_one_of_theirs_and_what_is_missing_is_listed(name):
    ours, theirs = set(OURS[name].__struct_fields__), set(THEIRS[name].model_fields) - {"type"}
    assert ours - theirs == set()
    assert theirs - ours == FIELDS_LEFT_OUT.get(name, set())


@pytest.mark.parametrize("shape", SHAPES)
def test_every_field_of_a_shape_is_one_of_theirs_and_what_is_missing_is_listed(shape):
    names, left_out = SHAPES[shape]
    theirs = {field for name in names for field in _class(name).model_fields}
    assert set(shape.__struct_fields__) - theirs == set()
    assert theirs - set(shape.__struct_fields__) == left_out


def test_turn_detection_has_the_fields_of_both_of_their_kinds():
    kinds = _members(realtime.RealtimeAudioConfigInput.model_fields["turn_detection"].annotation)
    theirs = {field for kind in kinds for field in kind.model_fields}
    assert theirs == set(shapes.TurnDetection.__struct_fields__)


def test_parts_have_the_fields_of_theirs_but_pictures():
    roles = ("User", "Assistant", "System")
    contents = [
        kind
        for role in roles
        for kind in _members(
            _class(f"RealtimeConversationItem{role}Message").model_fields["content"].annotation
        )
    ]
    theirs = {field for kind in contents for field in kind.model_fields}
    assert theirs - set(shapes.Part.__struct_fields__) == {"image_url", "detail"}
    assert set(shapes.Part.__struct_fields__) - theirs == set()
