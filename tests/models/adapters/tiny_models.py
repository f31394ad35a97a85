"""Models of the real architectures with tiny random weights, saved as the published ones are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ROLES = ("system", "user", "assistant", "\n")
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>", "<|IMAGE|>",
    "<|VIDEO|>", "<|vision_bos|>", "<|vision_eos|>", "<tts_pad>", "<tts_bos>", "<tts_eos>",
)  # fmt: skip
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content %}"
    "{% if part.type == 'audio' %}<|audio_bos|><|AUDIO|><|audio_eos|>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    "{% if think is defined %}{{ think }}{% endif %}"
)
MELS = 8


def _tokenizer() -> Any:
    """Single bytes, the roles as one token each (Qwen3-Omni looks for them), and the special tokens."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={char: at for at, char in enumerate(alphabet)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    raw.add_tokens([AddedToken(role, normalized=False) for role in ROLES])
    raw.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens={
            "image_token": "<|IMAGE|>",
            "audio_token": "<|AUDIO|>",
            "video_token": "<|VIDEO|>",
            "vision_bos_token": "<|vision_bos|>",
            "vision_eos_token": "<|vision_eos|>",
            "audio_bos_token": "<|audio_bos|>",
            "audio_eos_token": "<|audio_eos|>",
        },
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def _ids(tokenizer: Any) -> dict[str, int]:
    return {token: tokenizer.convert_tokens_to_ids(token) for token in (*SPECIAL, *ROLES)}


def _save(model: Any, tokenizer: Any, folder: Path) -> None:
    import json

    from transformers import WhisperFeatureExtractor

    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=MELS, chunk_length=4).save_pretrained(folder)
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": TEMPLATE}), encoding="utf-8")


def _text(vocabulary: int) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 4096,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]},
    }


_EAR = {
    "num_mel_bins": MELS,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "d_model": 16,
}


def qwen2_5_omni(folder: Path) -> Path:
    """Thinker, talker, and token2wav (a diffusion transformer and BigVGAN), with one speaker."""
    import torch
    from transformers import Qwen2_5OmniConfig, Qwen2_5OmniForConditionalGeneration

    torch.manual_seed(1)
    tokenizer = _tokenizer()
    ids = _ids(tokenizer)
    vocabulary = len(tokenizer)
    tokens = {
        "audio_token_index": ids["<|AUDIO|>"],
        "image_token_index": ids["<|IMAGE|>"],
        "video_token_index": ids["<|VIDEO|>"],
        "audio_start_token_id": ids["<|audio_bos|>"],
        "audio_end_token_id": ids["<|audio_eos|>"],
    }
    config = Qwen2_5OmniConfig(
        thinker_config={
            **tokens,
            "user_token_id": ids["user"],
            "vision_start_token_id": ids["<|vision_bos|>"],
            "vision_end_token_id": ids["<|vision_eos|>"],
            "text_config": _text(vocabulary),
            "audio_config": {**_EAR, "output_dim": 32, "n_window": 25, "max_source_positions": 200},
            "vision_config": {
                "depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 1, "out_hidden_size": 32,
                "fullatt_block_indexes": [0],
            },
        },
        talker_config={
            **tokens,
            **_text(64),
            "embedding_size": 32,
            "head_dim": 16,
            "tts_text_start_token_id": ids["<tts_bos>"],
            "tts_text_end_token_id": ids["<tts_eos>"],
            "tts_text_pad_token_id": ids["<tts_pad>"],
            "tts_codec_start_token_id": 60,
            "tts_codec_end_token_id": 61,
            "tts_codec_pad_token_id": 62,
            "tts_codec_mask_token_id": 63,
            "vision_start_token_id": ids["<|vision_bos|>"],
            "vision_end_token_id": ids["<|vision_eos|>"],
        },
        token2wav_config={
            "dit_config": {
                "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1, "head_dim": 16, "emb_dim": 8,
                "num_embeds": 64, "mel_dim": 8, "look_ahead_layers": [0], "look_backward_layers": [0],
                "enc_emb_dim": 4, "enc_dim": 8, "enc_channels": [8, 8, 8, 8, 24], "enc_attention_channels": 4,
                "enc_res2net_scale": 2, "enc_se_channels": 4,
            },
            "bigvgan_config": {
                "mel_dim": 8, "upsample_initial_channel": 64, "resblock_kernel_sizes": [3],
                "resblock_dilation_sizes": [[1, 3, 5]],
            },
        },
    )  # fmt: skip
    model = Qwen2_5OmniForConditionalGeneration(config)
    model.thinker.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    _save(model, tokenizer, folder)
    speaker = {"bos_token": ids["<tts_bos>"], "cond": torch.randn(1, 4), "ref_mel": torch.randn(1, 40, 8)}
    torch.save({"Chelsie": speaker}, folder / "spk_dict.pt")
    return folder


def qwen3_omni(folder: Path) -> Path:
    """Thinker, talker (both mixtures of experts), code predictor and code2wav, with two speakers."""
    import torch
    from transformers import Qwen3OmniMoeConfig, Qwen3OmniMoeForConditionalGeneration

    torch.manual_seed(2)
    tokenizer = _tokenizer()
    ids = _ids(tokenizer)
    tokens = {
        "audio_token_id": ids["<|AUDIO|>"],
        "image_token_id": ids["<|IMAGE|>"],
        "video_token_id": ids["<|VIDEO|>"],
        "audio_start_token_id": ids["<|audio_bos|>"],
    }
    experts = {"moe_intermediate_size": 16, "num_experts": 4, "num_experts_per_tok": 2}
    text = _text(len(tokenizer))
    voice = {**_text(1024 + 64), "head_dim": 16}
    config = Qwen3OmniMoeConfig(
        im_start_token_id=ids["<|im_start|>"],
        im_end_token_id=ids["<|im_end|>"],
        tts_pad_token_id=ids["<tts_pad>"],
        tts_bos_token_id=ids["<tts_bos>"],
        tts_eos_token_id=ids["<tts_eos>"],
        system_token_id=ids["system"],
        user_token_id=ids["user"],
        assistant_token_id=ids["assistant"],
        thinker_config={
            **tokens,
            "user_token_id": ids["user"],
            "vision_start_token_id": ids["<|vision_bos|>"],
            "text_config": {**text, **experts, "head_dim": 16},
            "audio_config": {
                **_EAR, "output_dim": 32, "downsample_hidden_size": 8, "max_source_positions": 200,
            },
            "vision_config": {
                "depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 1, "out_hidden_size": 32,
                "deepstack_visual_indexes": [0], "num_position_embeddings": 16,
            },
        },
        talker_config={
            **tokens,
            "vision_start_token_id": ids["<|vision_bos|>"],
            "spatial_merge_size": 2,
            "num_code_groups": 4,
            "thinker_hidden_size": 32,
            "accept_hidden_layer": 1,
            "codec_eos_token_id": 66,
            "codec_nothink_id": 67,
            "codec_think_bos_id": 68,
            "codec_think_eos_id": 69,
            "codec_pad_id": 70,
            "codec_bos_id": 71,
            "speaker_id": {"ethan": 72, "chelsie": 73},
            "text_config": {**voice, **experts, "shared_expert_intermediate_size": 16},
            "code_predictor_config": {
                **_text(64), "head_dim": 16, "num_code_groups": 4, "rope_parameters": None,
            },
        },
        code2wav_config={
            "codebook_size": 64, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2,
            "intermediate_size": 16, "num_hidden_layers": 1, "num_quantizers": 4, "decoder_dim": 32,
        },
    )  # fmt: skip
    model = Qwen3OmniMoeForConditionalGeneration(config)
    _save(model, tokenizer, folder)
    return folder


def qwen2_audio(folder: Path) -> Path:
    """Listens, and answers in words."""
    import torch
    from transformers import Qwen2AudioConfig, Qwen2AudioForConditionalGeneration

    torch.manual_seed(3)
    tokenizer = _tokenizer()
    ids = _ids(tokenizer)
    text = _text(len(tokenizer)) | {"model_type": "qwen2", "rope_parameters": None}
    config = Qwen2AudioConfig(
        audio_config={**_EAR, "max_source_positions": 200, "model_type": "qwen2_audio_encoder"},
        text_config=text,
        audio_token_index=ids["<|AUDIO|>"],
    )
    model = Qwen2AudioForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    _save(model, tokenizer, folder)
    return folder


def qwen3_text(folder: Path) -> Path:
    """Reads and writes."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(4)
    tokenizer = _tokenizer()
    config = Qwen3Config(**{**_text(len(tokenizer)), "head_dim": 16, "rope_parameters": None})
    model = Qwen3ForCausalLM(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    _save(model, tokenizer, folder)
    return folder
