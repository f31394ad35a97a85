from __future__ import annotations

import pytest
from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import ToolSpec
from antiphon.models.wire.ga.shapes import (
    Audio,
    Listening,
    NoiseReduction,
    Session,
    Speaking,
    Tool,
    TurnDetection,
)
from antiphon.realtime.live.hearing import Manner
from antiphon.realtime.protocols.ga_session import changed, far_field, fresh, manner, tools

FRESH = fresh("s", "m", "v", 0)


def turns(**fields: object) -> Session:
    detection = TurnDetection(type="server_vad", **fields)  # type: ignore[arg-type]
    return Session(audio=Audio(input=Listening(turn_detection=detection)))


def test_a_change_names_only_what_changes_and_never_who_we_are():
    now = changed(
        FRESH,
        Session(id="other", model="other", instructions="Be kind.", audio=Audio(output=Speaking(voice="x"))),
    )
    assert now == replace(
        FRESH, instructions="Be kind.",
        audio=Audio(input=FRESH.audio.input, output=replace(FRESH.audio.output, voice="x")),  # type: ignore[union-attr]
    )  # fmt: skip


def test_null_takes_the_turns_from_us_and_absence_leaves_them():
    assert manner(changed(FRESH, Session(audio=Audio(input=Listening(turn_detection=None))))) is None
    assert manner(changed(FRESH, Session(audio=Audio(input=Listening())))) == Manner()


def test_how_speech_is_noticed_follows_the_client_and_a_long_silence_is_left_to_the_policy():
    asked = turns(threshold=0.7, silence_duration_ms=1500, prefix_padding_ms=100)
    assert manner(changed(FRESH, asked)) == Manner(threshold=0.7, silence_ms=160, before_ms=100)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (Session(output_modalities=("audio", "text")), "session.output_modalities"),
        (Session(tool_choice="perhaps"), "session.tool_choice"),
        (Session(tool_choice={"type": "function", "name": "no"}), "session.tool_choice"),
        (Session(max_output_tokens=0), "session.max_output_tokens"),
        (Session(tools=(Tool(type="mcp"),)), "session.tools"),
        (turns(idle_timeout_ms=10), "session.audio.input.turn_detection.idle_timeout_ms"),
        (turns(threshold=2.0), "session.audio.input.turn_detection.threshold"),
        (turns(silence_duration_ms=99_999), "session.audio.input.turn_detection.silence_duration_ms"),
        (Session(audio=Audio(output=Speaking(voice={"id": "v"}))), "session.audio.output.voice"),
        (Session(audio=Audio(output=Speaking(speed=0.1))), "session.audio.output.speed"),
    ],
)
def test_what_we_cannot_honour_is_refused_by_field(change, field):
    with pytest.raises(WireError) as error:
        changed(FRESH, change)
    assert error.value.field == field


def test_voices_that_only_openai_has_mean_the_voice_that_is_here():
    asked = changed(FRESH, Session(audio=Audio(output=Speaking(voice="ash"))))
    assert asked.audio is not None
    assert asked.audio.output is not None
    assert asked.audio.output.voice == "v"


def test_functions_become_tools():
    offered = changed(
        FRESH,
        Session(tools=(Tool(name="hours", description="d", parameters={"type": "object"}), Tool(name="now"))),
    )
    assert tools(offered) == (
        ToolSpec("hours", "d", {"type": "object"}),
        ToolSpec("now", "", {"type": "object", "properties": {}}),
    )


def test_a_microphone_in_the_room_is_said_to_be_far():
    def asked(reduction: NoiseReduction | None) -> Session:
        return Session(audio=Audio(input=Listening(noise_reduction=reduction)))

    far = changed(FRESH, asked(NoiseReduction(type="far_field")))
    assert far_field(far)
    assert not far_field(changed(far, asked(None)))
    assert not far_field(changed(far, asked(NoiseReduction(type="near_field"))))
    assert not far_field(FRESH)


def test_clients_are_told_that_the_server_cancels():
    detection = changed(FRESH, turns()).audio.input.turn_detection  # type: ignore[union-attr]
    assert detection == TurnDetection(type="server_vad", create_response=True, interrupt_response=True)
