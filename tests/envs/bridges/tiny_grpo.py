"""A tiny random model with a chat template that has tools, and a trainer of TRL for it, all made here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Script = Callable[[str, int], str]
"""(all that the model has before it, its place in the batch) → what it "samples" next."""


def tokenizer(texts: Sequence[str]) -> Any:
    """A byte-level BPE of a few hundred words, with Qwen3's chat template."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    utils = pytest.importorskip("trl.chat_template_utils")
    specials = [
        "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>", "<tool_response>",
        "</tool_response>", "<think>", "</think>",
    ]  # fmt: skip
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=800, special_tokens=specials[:3], show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    bpe.train_from_iterator(texts, trainer)
    bpe.add_tokens([tokenizers.AddedToken(each, normalized=False) for each in specials[3:]])
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    made.chat_template = utils.qwen3_chat_template
    return made


def model(words: Any) -> Any:
    """A Qwen3 of one layer with random weights."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        vocab_size=len(words), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, head_dim=8, max_position_embeddings=8192,
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    return transformers.Qwen3ForCausalLM(config)


def trainer(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    dataset: list[dict[str, Any]],
    script: Script | None = None,
    **more: Any,
) -> Any:
    """A GRPOTrainer for one or two steps. With `script` its replies are scripted, and all else is real."""
    trl = pytest.importorskip("trl", reason="needs the extra: pip install 'antiphon[trl]'")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    words = tokenizer([str(row) for row in dataset])
    config = {"max_completion_length": 400, "max_steps": 1, "num_generations": 2, **more.pop("config", {})}
    arguments = trl.GRPOConfig(
        output_dir=str(folder), per_device_train_batch_size=2, report_to=[], use_cpu=True, bf16=False,
        logging_steps=1, save_strategy="no", disable_tqdm=True, beta=0.0, learning_rate=1e-2, **config,
    )  # fmt: skip
    kind = trl.GRPOTrainer if script is None else _scripted(trl.GRPOTrainer, words, script)
    return kind(
        model(words), args=arguments, processing_class=words,
        train_dataset=datasets.Dataset.from_list(dataset), **more,
    )  # fmt: skip


def _scripted(base: type[Any], words: Any, script: Script) -> type[Any]:
    class ScriptedSampling(base):
        """The real trainer, except that what its model samples is scripted."""

        def _generate_single_turn(
            self, prompt_ids: list[list[int]], *_: Any, **__: Any
        ) -> tuple[list[list[int]], None]:
            said = (script(words.decode(ids), at) for at, ids in enumerate(prompt_ids))
            return [words.encode(f"{text}<|im_end|>") for text in said], None

    return ScriptedSampling


def calls(tool: str, **arguments: Any) -> str:
    """A tool call as Qwen3 writes it."""
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"
