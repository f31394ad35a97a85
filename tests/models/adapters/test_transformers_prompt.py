from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip
from antiphon.errors import ModelError
from antiphon.messages import Message, Speech, Text, ToolCall, says
from antiphon.models.adapters.transformers_prompt import rows, sounds

CLIP = Clip([0.5, -0.5, 0.25, 0.0], 8000)


def test_speech_becomes_a_place_for_sound_and_words_alone_stay_a_string():
    asked = (says("system", "be brief"), Message("user", (Text("a"), Speech(CLIP))), says("assistant", "b"))
    assert rows("m", asked, "I speak.", hears=True) == [
        {"role": "system", "content": "I speak.\nbe brief"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "audio", "audio": "speech"}]},
        {"role": "assistant", "content": "b"},
    ]


def test_without_a_system_prompt_there_is_no_row_for_one():
    assert rows("m", (says("user", "x"),), "", hears=True) == [{"role": "user", "content": "x"}]


def test_a_model_without_ears_reads_what_was_said_as_far_as_it_was_heard():
    asked = (Message("user", (Speech(CLIP, "hello"),)), Message("assistant", (Speech(CLIP, "goodbye", 4),)))
    assert [row["content"] for row in rows("m", asked, "", hears=False)] == ["hello", "good"]


def test_sound_without_words_is_refused_where_words_are_needed():
    with pytest.raises(ModelError, match="m: takes no speech, and this user turn has no transcript"):
        rows("m", (Message("user", (Speech(CLIP),)),), "", hears=False)
    with pytest.raises(ModelError, match="takes no tool calls here"):
        rows("m", (Message("assistant", (ToolCall("1", "f", {}),)),), "", hears=True)


def test_only_the_users_speech_is_heard_in_order_and_at_the_models_rate():
    other = Clip([0.1] * 8, 8000)
    asked = (
        Message("user", (Speech(CLIP),)), Message("assistant", (Speech(CLIP, "no"),)), Message("user", (Speech(other),)),
    )  # fmt: skip
    assert [len(samples) for samples in sounds(asked, 16_000)] == [8, 16]
