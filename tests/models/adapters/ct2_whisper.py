"""The packaged Whisper base (CTranslate2, half precision), rewritten as transformers saves it: real weights."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_TYPES = ("<f4", "i1", "<i2", "<i4", "<f2")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, kind: str) -> int:
        (value,) = struct.unpack_from(f"<{kind}", self.data, self.at)
        self.at += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        size = self.number("H")
        self.at += size
        return self.data[self.at - size : self.at - 1].decode()

    def array(self) -> NDArray[Any]:
        shape = [self.number("I") for _ in range(self.number("B"))]
        kind, size = np.dtype(_TYPES[self.number("B")]), self.number("I")
        self.at += size
        return np.frombuffer(self.data, kind, size // kind.itemsize, self.at - size).reshape(shape)


def _variables(path: Path) -> dict[str, NDArray[Any]]:
    reader = _Reader(path.read_bytes())
    assert (reader.number("I"), reader.text(), reader.number("I")) == (6, "WhisperSpec", 3)
    return {reader.text(): reader.array() for _ in range(reader.number("I"))}


def _state(found: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """transformers' names: CTranslate2 joins query, key and value, whose key has a bias of zeros."""
    import torch

    state: dict[str, Any] = {}

    def put(name: str, values: NDArray[Any]) -> None:
        state[name] = torch.from_numpy(values.astype(np.float32))

    def norm(name: str, source: str) -> None:
        put(f"{name}.weight", found[f"{source}/layer_norm/gamma"])
        put(f"{name}.bias", found[f"{source}/layer_norm/beta"])

    def linear(names: tuple[str, ...], source: str) -> None:
        weights = np.split(found[f"{source}/weight"], len(names))
        biases = np.split(found[f"{source}/bias"], len(names))
        for name, weight, bias in zip(names, weights, biases, strict=True):
            put(f"{name}.weight", weight)
            if not name.endswith("k_proj"):
                put(f"{name}.bias", bias)

    for side in ("encoder", "decoder"):
        put(f"model.{side}.embed_positions.weight", found[f"{side}/position_encodings/encodings"])
        norm(f"model.{side}.layer_norm", side)
        for at in range(6):
            to, source = f"model.{side}.layers.{at}", f"{side}/layer_{at}"
            own = f"{to}.self_attn"
            norm(f"{own}_layer_norm", f"{source}/self_attention")
            linear((f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj"), f"{source}/self_attention/linear_0")
            linear((f"{own}.out_proj",), f"{source}/self_attention/linear_1")
            norm(f"{to}.final_layer_norm", f"{source}/ffn")
            linear((f"{to}.fc1",), f"{source}/ffn/linear_0")
            linear((f"{to}.fc2",), f"{source}/ffn/linear_1")
            if side == "decoder":
                other = f"{to}.encoder_attn"
                norm(f"{other}_layer_norm", f"{source}/attention")
                linear((f"{other}.q_proj",), f"{source}/attention/linear_0")
                linear((f"{other}.k_proj", f"{other}.v_proj"), f"{source}/attention/linear_1")
                linear((f"{other}.out_proj",), f"{source}/attention/linear_2")
    for conv in ("conv1", "conv2"):
        put(f"model.encoder.{conv}.weight", found[f"encoder/{conv}/weight"])
        put(f"model.encoder.{conv}.bias", found[f"encoder/{conv}/bias"])
    put("model.decoder.embed_tokens.weight", found["decoder/embeddings/weight"])
    return state


def save(source: Path, folder: Path) -> Path:
    """Write the weights that `whisper:base` runs on so that `whisper-hf:FOLDER` runs on them too."""
    from transformers import (
        GenerationConfig,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperTokenizer,
    )

    tokenizer = WhisperTokenizer.from_pretrained(source, local_files_only=True)
    ids = {token: int(tokenizer.convert_tokens_to_ids(token)) for token in tokenizer.get_added_vocab()}
    known = json.loads((source / "config.json").read_text())
    start, end = ids["<|startoftranscript|>"], ids["<|endoftext|>"]
    common = {"bos_token_id": end, "eos_token_id": end, "pad_token_id": end, "decoder_start_token_id": start}
    config = WhisperConfig(
        vocab_size=51_865, d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, num_mel_bins=80, **common,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config)
    lacking, unknown = model.load_state_dict(_state(_variables(source / "model.bin")), strict=False)
    assert (lacking, unknown) == (["proj_out.weight"], [])  # it is the embedding
    codes = [token for token, at in ids.items() if start < at < ids["<|translate|>"]]
    model.generation_config = GenerationConfig(
        **common, max_length=448, is_multilingual=True, no_timestamps_token_id=ids["<|notimestamps|>"],
        prev_sot_token_id=ids["<|startofprev|>"], max_initial_timestamp_index=50,
        lang_to_id={token: ids[token] for token in codes}, suppress_tokens=known["suppress_ids"],
        begin_suppress_tokens=known["suppress_ids_begin"],
        task_to_id={task: ids[f"<|{task}|>"] for task in ("transcribe", "translate")},
    )  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=80).save_pretrained(folder)
    return folder
