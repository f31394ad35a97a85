"""Model folders as funasr's hub has them (config.yaml, model.pt, tokens), thin and with random weights."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from antiphon.models.adapters import funasr_loading

if TYPE_CHECKING:
    from pathlib import Path

EMOTIONS = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral", "其他/other",
            "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip
WORDS = ["<blank>", "<s>", "</s>", *"今天的气很好我们下午去公园散步吧请告诉", "hello", "wor@@", "ld", "<unk>"]

_FRONTEND = {
    "frontend": "WavFrontend",
    "frontend_conf": {"fs": 16_000, "window": "hamming", "n_mels": 80, "frame_length": 25, "frame_shift": 10,
                      "lfr_m": 7, "lfr_n": 6},
}  # fmt: skip
_ENCODER = {"output_size": 16, "attention_heads": 2, "linear_units": 16, "num_blocks": 2, "kernel_size": 11,
            "sanm_shfit": 0, "input_layer": "pe", "normalize_before": True}  # fmt: skip


def paraformer(folder: Path) -> Path:
    decoder = {"attention_heads": 2, "linear_units": 16, "num_blocks": 2, "att_layer_num": 2, "kernel_size": 11,
               "sanm_shfit": 0}  # fmt: skip
    predictor = {"idim": 16, "threshold": 1.0, "l_order": 1, "r_order": 1, "tail_threshold": 0.45}
    parts = {
        "model": "Paraformer",
        "model_conf": {"ctc_weight": 0.0, "lsm_weight": 0.1, "length_normalized_loss": True,
                       "predictor_weight": 1.0, "predictor_bias": 1, "sampling_ratio": 0.75},
        "encoder": "SANMEncoder", "encoder_conf": _ENCODER,
        "decoder": "ParaformerSANMDecoder", "decoder_conf": decoder,
        "predictor": "CifPredictorV2", "predictor_conf": predictor,
        "tokenizer": "CharTokenizer", "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
        **_FRONTEND,
    }  # fmt: skip
    return _save(folder, parts, WORDS)


def sensevoice(folder: Path) -> Path:
    parts = {
        "model": "SenseVoiceSmall",
        "model_conf": {"length_normalized_loss": True, "sos": 1, "eos": 2, "ignore_id": -1},
        "encoder": "SenseVoiceEncoderSmall",
        "encoder_conf": {"output_size": 16, "attention_heads": 2, "linear_units": 16, "num_blocks": 2,
                         "tp_blocks": 1, "kernel_size": 11, "sanm_shfit": 0, "normalize_before": True},
        "tokenizer": "SentencepiecesTokenizer", "tokenizer_conf": {"bpemodel": None, "unk_symbol": "<unk>"},
        **_FRONTEND,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    _sentencepiece(folder / "bpe.model")
    return _save(folder, parts, None)


def emotion2vec(folder: Path, labels: list[str] | None = None) -> Path:
    modality = {
        "type": "AUDIO", "prenet_depth": 1, "prenet_layerdrop": 0.0, "prenet_dropout": 0.0,
        "start_drop_path_rate": 0.0, "end_drop_path_rate": 0.0, "num_extra_tokens": 2,
        "init_extra_token_zero": True, "mask_noise_std": 0.01, "mask_prob": 0.5, "inverse_mask": False,
        "mask_prob_adjust": 0.05, "keep_masked_pct": 0.0, "mask_length": 5, "add_masks": False,
        "remove_masks": False, "mask_dropout": 0.0, "encoder_zero_mask": True, "mask_channel_prob": 0.0,
        "mask_channel_length": 64, "ema_local_encoder": False, "local_grad_mult": 1.0,
        "use_alibi_encoder": True, "alibi_scale": 1.0, "learned_alibi": False, "alibi_max_pos": None,
        "learned_alibi_scale": True, "learned_alibi_scale_per_head": True,
        "learned_alibi_scale_per_layer": False, "num_alibi_heads": 2, "model_depth": 2, "decoder": None,
        "extractor_mode": "layer_norm", "conv_pos_width": 15, "conv_pos_groups": 4, "conv_pos_depth": 1,
        "conv_pos_pre_ln": False, "feature_encoder_spec": "[(16, 10, 5)] + [(16, 3, 2)] * 4 + [(16,2,2)] * 2",
    }  # fmt: skip
    model = {
        "loss_beta": 0.0, "loss_scale": None, "depth": 2, "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0, "num_heads": 2, "norm_eps": 1e-5, "norm_affine": True,
        "encoder_dropout": 0.0, "post_mlp_drop": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0,
        "dropout_input": 0.0, "layerdrop": 0.0, "embed_dim": 16, "mlp_ratio": 2, "layer_norm_first": False,
        "average_top_k_layers": 2, "end_of_block_targets": False, "clone_batch": 1, "normalize": True,
        "modalities": {"audio": modality},
    }  # fmt: skip
    parts = {
        "model": "Emotion2vec", "model_conf": model,
        "tokenizer": "CharTokenizer", "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
    }  # fmt: skip
    return _save(folder, parts, labels or EMOTIONS)


def _save(folder: Path, parts: dict[str, Any], tokens: list[str] | None) -> Path:
    """Write a folder; the weights are those that funasr draws, from its fixed seed, for these parts."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")
    known = json.loads(json.dumps(parts))
    if tokens is not None:
        name = "tokens.txt" if parts["model"] == "Emotion2vec" else "tokens.json"
        text = "\n".join(tokens) + "\n" if name.endswith("txt") else json.dumps(tokens, ensure_ascii=False)
        (folder / name).write_text(text, encoding="utf-8")
        known["tokenizer_conf"]["token_list"] = str(folder / name)
    else:
        known["tokenizer_conf"]["bpemodel"] = str(folder / "bpe.model")
    with funasr_loading._quiet(io.StringIO()):
        from funasr import AutoModel

        model, _ = AutoModel.build_model(**known, device="cpu")
    torch.manual_seed(7)
    state = {
        key: torch.randn_like(value) * 0.5
        for key, value in model.state_dict().items()
        if value.is_floating_point()
    }
    if "predictor.cif_output.bias" in state:
        state["predictor.cif_output.weight"] *= 0.02  # random weights find no token at all
        state["predictor.cif_output.bias"].fill_(1.0)
        state["decoder.output_layer.bias"][:3] = -100.0  # no blank, no end
    torch.save({**model.state_dict(), **state}, folder / "model.pt")
    return folder


def _sentencepiece(path: Path) -> None:
    """A vocabulary of SenseVoice's kind: tags of language, emotion and event among the words."""
    import sentencepiece

    words = [f"{a}{b}" for a in "今天气很好我们下午" for b in "去公园散步吧请告诉"]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words * 3), model_writer=written, vocab_size=60, hard_vocab_limit=False,
        user_defined_symbols=["<|zh|>", "<|en|>", "<|NEUTRAL|>", "<|HAPPY|>", "<|Speech|>", "<|woitn|>"],
        minloglevel=3, character_coverage=1.0, model_type="char",
    )  # fmt: skip
    path.write_bytes(written.getvalue())
