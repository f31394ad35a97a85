from __future__ import annotations

from types import SimpleNamespace

import pytest

from antiphon.errors import ConfigError
from antiphon.models.adapters.transformers_families import (
    FAMILIES,
    Loaded,
    family_of,
    speaker_of,
    speech_options,
)


def test_the_configuration_says_which_family_it_is():
    assert family_of("x", {"model_type": "qwen2_5_omni"}) is FAMILIES["qwen2_5_omni"]
    text = family_of("x", {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]})
    assert (text.model, text.processor, text.speaks) == ("AutoModelForCausalLM", "", False)


def test_a_model_with_code_of_its_own_is_not_run():
    config = {"model_type": "kimi", "architectures": ["XForCausalLM"], "auto_map": {"AutoModel": "x.Y"}}
    with pytest.raises(
        ConfigError, match="hf:a/b is run by code of its own, which Antiphon does not execute"
    ):
        family_of("a/b", config)


def test_an_unknown_architecture_names_the_choices_and_the_other_ways():
    with pytest.raises(ConfigError, match=r"no hf: architecture 'moshi'; there are: .*qwen2_audio.*serve it"):
        family_of("a/b", {"model_type": "moshi", "architectures": ["MoshiForConditionalGeneration"]})


def model(speakers=None, **talker):
    config = SimpleNamespace(talker_config=SimpleNamespace(**talker))
    return SimpleNamespace(config=config, speaker_map=speakers)


def test_speakers_are_found_where_each_family_keeps_them_whatever_their_case():
    assert speaker_of(Loaded(model({"Chelsie": {}}), None, None), "chelsie") == "Chelsie"
    assert speaker_of(Loaded(model(speaker_id={"ethan": 1}), None, None), "Ethan") == "ethan"
    with pytest.raises(ConfigError, match="no speaker 'Bob'; there are: ethan"):
        speaker_of(Loaded(model(speaker_id={"ethan": 1}), None, None), "Bob")


def test_the_voice_ends_at_the_codes_that_the_model_itself_names():
    talker = {"tts_codec_pad_token_id": 1, "tts_codec_end_token_id": 2}
    assert speech_options(model(**talker), "C")["talker_eos_token_id"] == [1, 2]
    assert speech_options(model(speaker_id={}), "e") == {"speaker": "e", "return_audio": True}
