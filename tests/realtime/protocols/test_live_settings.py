from __future__ import annotations

from typing import Any

import pytest

from antiphon.errors import WireError
from antiphon.messages import ToolSpec, says
from antiphon.models.wire.ga.shapes import Format
from antiphon.models.wire.live import Audio, DelegationSettings, LiveSession, Voice, read_client
from antiphon.realtime.protocols import live_settings

HOURS: dict[str, Any] = {"type": "function", "name": "hours", "parameters": {"type": "object"}}


def asked(**session: Any) -> LiveSession:
    import json

    event = read_client(json.dumps({"type": "session.start", "session": {"model": "gpt-live-1", **session}}))
    return event.session  # type: ignore[union-attr]


def started(**session: Any) -> LiveSession:
    return live_settings.started(asked(**session), "live_1", "ours", "default", 99)


def responses(**more: Any) -> dict[str, Any]:
    return {"type": "responses", "responses": {"model": "m", **more}}


def test_a_session_starts_with_defaults_and_says_all_of_them():
    assert started() == LiveSession(
        id="live_1", model="ours", status="active", expires_at=99, store=False, triggers=(),
        audio=Audio(format=Format(type="audio/pcm", rate=24000), output=Voice(voice="default")),
    )  # fmt: skip
    assert started(delegation={"type": "client"}).delegation == DelegationSettings(
        type="client", acknowledgement_delay_ms=0
    )


def test_a_voice_of_theirs_means_ours_and_another_is_kept_for_the_synthesizer():
    def voice(name: str) -> object:
        audio = started(audio={"output": {"voice": name}}).audio
        assert audio is not None
        assert audio.output is not None
        return audio.output.voice

    assert (voice("marin"), voice("af_heart")) == ("default", "af_heart")


def test_telephone_sound_has_its_rate():
    audio = started(audio={"format": {"type": "audio/pcmu", "rate": 8000}}).audio
    assert audio is not None
    assert audio.format == Format(type="audio/pcmu", rate=8000)


@pytest.mark.parametrize(
    ("session", "field", "part"),
    [
        ({"model": None}, "session.model", "is required"),
        ({"client": {}}, "session.client", "WebRTC"),
        ({"store": True}, "session.store", "nothing is kept"),
        ({"triggers": [{"type": "decisions"}]}, "session.triggers", "no decision model"),
        ({"audio": {"format": {"type": "audio/opus"}}}, "session.audio.format", "audio/pcmu"),
        ({"audio": {"format": {"type": "audio/pcm", "rate": 8000}}}, "session.audio.format", "at 8000 Hz"),
        ({"audio": {"output": {"voice": {"id": "v"}}}}, "session.audio.output.voice", "give a name"),
        ({"delegation": {"type": "decisions"}}, "session.delegation.type", "there are: client, responses"),
        (
            {"delegation": {"type": "client", "acknowledgement_delay_ms": -1}},
            "session.delegation.acknowledgement_delay_ms", "between 0 and 60000",
        ),
        ({"delegation": {"type": "client", "responses": {}}}, "session.delegation.responses", "belongs to"),
        ({"delegation": {"type": "responses"}}, "session.delegation.responses.model", "is required"),
        ({"delegation": responses(tool_choice="required")}, "session.delegation.responses.tool_choice", "auto"),
        ({"delegation": responses(tools="hours")}, "session.delegation.responses.tools", "a list"),
        (
            {"delegation": responses(tools=[HOURS, {"type": "web_search"}])},
            "session.delegation.responses.tools[1]", "'web_search'",
        ),
        (
            {"delegation": responses(tools=[{**HOURS, "parameters": "any"}])},
            "session.delegation.responses.tools[0]", "a JSON schema",
        ),
        ({"delegation": responses(instructions=7)}, "session.delegation.responses.instructions", "a text"),
        ({"input": [{"role": "user", "content": "hi"}] * 129}, "session.input", "at most 128"),
        ({"input": [{"role": "tool", "content": "hi"}]}, "session.input[0].role", "developer, user, assistant"),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "session.input[0].content", "words"),
    ],
)  # fmt: skip
def test_what_cannot_be_honoured_is_named(session, field, part):
    with pytest.raises(WireError) as caught:
        started(**session)
    assert (caught.value.event, caught.value.field) == ("session.start", field)
    assert part in caught.value.problem


def test_what_tunes_their_background_models_is_named_and_no_obstacle():
    session = started(
        delegation=responses(reasoning={"effort": "low"}, parallel_tool_calls=False, tools=[HOURS])
    )
    assert live_settings.unhonoured(session) == [
        "session.delegation.responses.reasoning",
        "session.delegation.responses.parallel_tool_calls",
    ]
    assert live_settings.unhonoured(started()) == []


def test_the_model_gives_its_work_away_as_such_or_calls_functions():
    assert live_settings.tools(started()) == ()
    assert live_settings.tools(started(delegation={"type": "client"})) == (live_settings.DELEGATE,)
    assert live_settings.tools(started(delegation=responses(tools=[HOURS]))) == (
        ToolSpec("hours", "", {"type": "object"}, slow=True),
    )
    assert live_settings.tools(started(delegation=responses())) == ()


def test_history_and_both_instructions_reach_the_one_model():
    session = started(
        instructions="Be brief.",
        delegation=responses(instructions="Use tools."),
        input=[
            {
                "type": "message",
                "role": "developer",
                "content": [{"type": "input_text", "text": "It is May."}],
            },
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "hello"}]},
        ],
    )
    assert live_settings.instructions(session) == "Be brief.\n\nUse tools."
    assert live_settings.history(session) == [
        says("system", "It is May."), says("user", "hi"), says("assistant", "hello"),
    ]  # fmt: skip
    assert live_settings.instructions(started(instructions=" ")) == ""


def test_delegation_may_be_tuned_and_keeps_what_is_left_out():
    now = started(delegation={**responses(tools=[HOURS]), "acknowledgement_delay_ms": 300})
    change = LiveSession(
        delegation=DelegationSettings(type="responses", responses={"instructions": "Be quick."})
    )
    session = live_settings.updated(now, change)
    assert session.delegation == DelegationSettings(
        type="responses",
        acknowledgement_delay_ms=300,
        responses={"model": "m", "tools": [HOURS], "instructions": "Be quick."},
    )
    later = LiveSession(delegation=DelegationSettings(type="responses", acknowledgement_delay_ms=0))
    assert live_settings.updated(session, later).delegation == DelegationSettings(
        type="responses", acknowledgement_delay_ms=0, responses=session.delegation.responses
    )
    assert live_settings.updated(session, LiveSession()) == session


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (LiveSession(instructions="x"), "session.instructions"),
        (LiveSession(audio=Audio()), "session.audio"),
        (LiveSession(triggers=({},)), "session.triggers"),
        (
            LiveSession(delegation=DelegationSettings(type="responses", responses={})),
            "session.delegation.type",
        ),
    ],
)
def test_what_is_fixed_at_the_start_stays(change, field):
    with pytest.raises(WireError) as caught:
        live_settings.updated(started(), change)
    assert (caught.value.event, caught.value.field) == ("session.update", field)
