"""A Whisper of two thin layers with random weights, and a tokenizer of bytes, saved as transformers saves one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("en", "zh")


def save(folder: Path, *, multilingual: bool = True, seed: int = 3) -> Path:
    import torch
    from transformers import (
        GenerationConfig,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
    )

    tokens = _save_tokenizer(folder)
    after = tokens["<|notimestamps|>"] + 1
    torch.manual_seed(seed)
    config = WhisperConfig(
        vocab_size=after + 1501, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=80,
        max_target_positions=24, decoder_start_token_id=tokens["<|startoftranscript|>"],
        bos_token_id=tokens["<|endoftext|>"], eos_token_id=tokens["<|endoftext|>"],
        pad_token_id=tokens["<|endoftext|>"], suppress_tokens=[], begin_suppress_tokens=[], init_std=0.5,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config)
    known: dict[str, object] = {
        "is_multilingual": multilingual, "no_timestamps_token_id": tokens["<|notimestamps|>"],
        "decoder_start_token_id": config.decoder_start_token_id, "eos_token_id": config.eos_token_id,
        "pad_token_id": config.pad_token_id, "bos_token_id": config.bos_token_id, "max_length": 24,
        "prev_sot_token_id": tokens["<|startofprev|>"], "max_initial_timestamp_index": 50,
    }  # fmt: skip
    if multilingual:
        known["lang_to_id"] = {f"<|{code}|>": tokens[f"<|{code}|>"] for code in LANGUAGES}
        known["task_to_id"] = {task: tokens[f"<|{task}|>"] for task in ("transcribe", "translate")}
    model.generation_config = GenerationConfig(**known)
    model.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=80).save_pretrained(folder)
    return folder


def _save_tokenizer(folder: Path) -> dict[str, int]:
    from transformers import WhisperTokenizer

    letters = {chr(code): code - 33 for code in (*range(33, 127), *range(161, 173), *range(174, 256))}
    vocab = {letter: at for at, letter in enumerate([*letters, *map(chr, range(256, 324))])}
    tokenizer = WhisperTokenizer(vocab=vocab, merges=[])
    special = ["<|startoftranscript|>", *(f"<|{code}|>" for code in LANGUAGES), "<|translate|>", "<|transcribe|>",
               "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]  # fmt: skip
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    return {token: int(tokenizer.convert_tokens_to_ids(token)) for token in ["<|endoftext|>", *special]}
