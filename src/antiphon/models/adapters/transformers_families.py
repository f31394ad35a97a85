"""What differs between the models of `hf:`: classes, system prompt, speakers, and how generation is asked for."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, UnavailableError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EXTRA = "pip install 'antiphon[transformers]'"


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture. `processor` empty: a text model, its tokenizer is enough. One that speaks has a part
    `thinker` that writes. `system` comes before a request's own. With `window` the feature extractor cuts off what does not fit, without a word."""

    model: str
    processor: str = ""
    speaks: bool = False
    system: str = ""
    speaker: str = ""
    window: bool = True


# The model card says that Qwen2.5-Omni speaks as it should only under this very system prompt.
_QWEN2_5_OMNI = (
    "You are Qwen, a virtual human developed by the Qwen Team, Alibaba Group, capable of perceiving auditory "
    "and visual inputs, as well as generating text and speech."
)
FAMILIES: Mapping[str, Family] = {
    "qwen2_5_omni": Family(
        "Qwen2_5OmniForConditionalGeneration", "Qwen2_5OmniProcessor",
        speaks=True, system=_QWEN2_5_OMNI, speaker="Chelsie",
    ),
    "qwen3_omni_moe": Family(
        "Qwen3OmniMoeForConditionalGeneration", "Qwen3OmniMoeProcessor",
        speaks=True, speaker="Ethan", window=False,
    ),
    "qwen2_audio": Family("Qwen2AudioForConditionalGeneration", "Qwen2AudioProcessor"),
}  # fmt: skip
_TEXT = Family("AutoModelForCausalLM")


def family_of(name: str, config: Mapping[str, Any]) -> Family:
    """The family of a config.json. Raises ConfigError that names the choices."""
    kind = str(config.get("model_type"))
    if kind in FAMILIES:
        return FAMILIES[kind]
    architectures = config.get("architectures") or ()
    if any(str(architecture).endswith("ForCausalLM") for architecture in architectures):
        if "auto_map" in config:
            raise ConfigError(
                f"hf:{name} is run by code of its own, which Antiphon does not execute; "
                "serve it, and write openai+http://host:8000/v1#MODEL (docs/models.md)"
            )
        return _TEXT
    choices = {*FAMILIES, "any …ForCausalLM"}
    raise unknown(
        "hf: architecture", kind, choices, "serve it and use openai+http:, or `antiphon score --outputs`"
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """How a model is loaded. `device` "auto" spreads it over all GPUs (package accelerate)."""

    device: str
    dtype: str
    speaks: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """Weights in memory, and what turns messages into their input."""

    model: Any
    processor: Any
    tokenizer: Any

    @property
    def device(self) -> Any:
        """Where input goes."""
        return self.model.device


def load(family: Family, folder: Path, setting: Setting) -> Loaded:
    """Read weights from a folder. Raises UnavailableError for a missing package or broken files."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    options: dict[str, Any] = {"dtype": getattr(torch, setting.dtype)}
    if setting.device == "auto":
        options["device_map"] = "auto"
    if family.speaks:
        options["enable_audio_output"] = setting.speaks  # without: the talker's weights take no memory
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    try:
        processor = (
            _listening(transformers, family).from_pretrained(folder) if family.processor else tokenizer
        )
        model = getattr(transformers, family.model).from_pretrained(folder, **options)
    except OSError as error:
        problem = " ".join(str(error).split())[:200]
        raise UnavailableError(f"{folder} lacks a part of the model ({problem})", "fetch it again") from None
    if setting.device != "auto":
        model = model.to(setting.device)
    return Loaded(model.eval(), processor, tokenizer)


def _listening(transformers: Any, family: Family) -> Any:
    """The family's processor for text and sound alone. As published it also wants processors of pictures and
    video, which need torchvision and are never called here."""
    whole = getattr(transformers, family.processor)

    class Listening(whole):  # a class of a package that may be missing
        def __init__(
            self, feature_extractor: Any = None, tokenizer: Any = None, chat_template: Any = None
        ) -> None:
            transformers.ProcessorMixin.__init__(
                self, feature_extractor, tokenizer, chat_template=chat_template
            )
            for kind in ("image", "audio", "video"):
                token = getattr(tokenizer, f"{kind}_token", None)
                setattr(self, f"{kind}_token", token)
                setattr(self, f"{kind}_token_id", token and tokenizer.convert_tokens_to_ids(token))

        @property
        def model_input_names(self) -> list[str]:
            names = [*self.tokenizer.model_input_names, *self.feature_extractor.model_input_names]
            return list(dict.fromkeys([*names, "feature_attention_mask"]))

    return Listening if family.speaks else whole


def speaker_of(loaded: Loaded, wanted: str) -> str:
    """The speaker as the model spells it. Raises ConfigError that names the choices."""
    known: list[str] = list(getattr(loaded.model, "speaker_map", None) or ())
    if not known:
        known = list(getattr(loaded.model.config.talker_config, "speaker_id", None) or ())
    for name in known:
        if name.lower() == wanted.lower():
            return name
    raise unknown("speaker", wanted, known)


def speech_options(model: Any, speaker: str) -> dict[str, Any]:
    """Settings of the part that speaks, out of the model's own configuration."""
    talker = model.config.talker_config
    if hasattr(talker, "tts_codec_end_token_id"):  # Qwen2.5-Omni
        ends = [talker.tts_codec_pad_token_id, talker.tts_codec_end_token_id]
        return {"speaker": speaker, "generation_mode": "audio", "talker_eos_token_id": ends}
    return {"speaker": speaker, "return_audio": True}
