"""The real architectures with tiny random weights: what they say is noise, how it comes is what is tested."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.messages import Message, Speech, Text, ToolSpec, says
from antiphon.models import catalog
from antiphon.models.adapters import transformers_audio
from antiphon.models.ports import Done, Request, Sampling, SpeechDelta, TextDelta, collect
from antiphon.models.uri import parse
from tests.models.adapters import tiny_models

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antiphon.models.adapters.transformers_audio import TransformersChat
    from antiphon.models.adapters.transformers_families import Loaded

pytestmark = [
    pytest.mark.slow,  # importing transformers alone takes seconds
    pytest.mark.timeout(180),
    # Qwen3-Omni's own talker calls its own library in a way that the library advises against.
    pytest.mark.filterwarnings("ignore:Passing `repetition_penalty` with `inputs_embeds`:UserWarning"),
]

SPEAKING = ("qwen2_5_omni", "qwen3_omni")
QUESTION = Clip(np.sin(np.arange(12_000, dtype=np.float32) / 8) * 0.3, 24_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)  # these matrices are too small to share
    whole = tmp_path_factory.mktemp("models")

    def built(kind: str) -> Path:
        return whole / kind if (whole / kind).exists() else getattr(tiny_models, kind)(whole / kind)

    return built


def opened(folder: Path, options: str = "") -> TransformersChat:
    """Random weights hardly ever end what they say: forty codes of speech are enough."""
    limit = "speech_tokens=40"
    whole = f"{options}&{limit}" if options else f"?{limit}"
    return transformers_audio.open_chat(parse(f"hf:{folder}{whole}"), RealClock())


def asked(seed: int = 5, tokens: int = 12, temperature: float = 0.9) -> Request:
    """Two rounds: speech between words, an answer, speech."""
    messages = (
        says("system", "be brief"),
        Message("user", (Text("listen: "), Speech(QUESTION, "hello"))),
        Message("assistant", (Speech(QUESTION, "hi there", 2),)),
        Message("user", (Speech(QUESTION),)),
    )
    return Request(messages, sampling=Sampling(seed, temperature, tokens))


@pytest.mark.parametrize("kind", SPEAKING)
async def test_a_spoken_question_is_answered_in_words_and_then_in_speech(folder, kind):
    chat = opened(folder(kind))
    assert (chat.accepts, chat.gives) == (frozenset({"text", "speech"}), frozenset({"text", "speech"}))
    async with aclosing(chat.stream(asked())) as stream:
        *words, speech, done = [chunk async for chunk in stream]
    assert len(words) > 1
    assert all(isinstance(chunk, TextDelta) and chunk.text for chunk in words)
    assert isinstance(speech, SpeechDelta)
    assert speech.clip.rate_hz == 24_000
    assert len(speech.clip) > 1000
    assert isinstance(done, Done)
    times = [chunk.t_us for chunk in (*words, speech, done)]
    assert times == sorted(times)
    assert times[0] < speech.t_us, "words come while the model writes"
    assert (done.finish, done.usage.completion_tokens) == ("length", 12)


@pytest.mark.parametrize("kind", SPEAKING)
async def test_a_seed_repeats_words_and_voice_and_another_does_not(folder, kind):
    chat = opened(folder(kind))
    once, again, other = [await collect(chat, asked(seed)) for seed in (5, 5, 6)]
    assert (once.text, once.clip, once.tokens) == (again.text, again.clip, again.tokens)
    assert once.tokens != other.tokens


async def test_generating_leaves_the_random_numbers_of_others_alone(folder):
    import torch

    chat = opened(folder("qwen3_text"))
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    await collect(chat, Request((says("user", "x"),), sampling=Sampling(1, 0.9, 4)))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("kind", SPEAKING)
async def test_closing_the_stream_stops_the_model_and_frees_it_for_the_next(folder, kind):
    chat = opened(folder(kind))
    await chat.warm()
    stream = chat.stream(asked(tokens=4000))
    assert isinstance(await anext(stream), TextDelta)
    await stream.aclose()
    reply = await asyncio.wait_for(collect(chat, asked()), timeout=20)  # 4,000 tokens would take minutes
    assert reply.usage.completion_tokens == 12


async def test_the_tokens_are_the_very_ones_and_their_probabilities_the_models_own(folder):
    import torch

    path = folder("qwen3_text")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reply = await collect(opened(path), Request((says("user", "x"),), sampling=Sampling(1, 0.9, 6)))
    assert reply.tokens is not None
    tokenizer, model = AutoTokenizer.from_pretrained(path), AutoModelForCausalLM.from_pretrained(path)
    assert (
        tokenizer.decode(reply.tokens.prompt_ids) == "<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n"
    )
    assert tokenizer.decode(reply.tokens.completion_ids, skip_special_tokens=True) == reply.text
    ids = torch.tensor([[*reply.tokens.prompt_ids, *reply.tokens.completion_ids]])
    logits = model(ids).logits.detach()[0, len(reply.tokens.prompt_ids) - 1 : -1].log_softmax(-1)
    expected = [float(row[token]) for row, token in zip(logits, reply.tokens.completion_ids, strict=True)]
    assert reply.tokens.logprobs == pytest.approx(expected, abs=1e-4)


async def test_temperature_zero_is_greedy_whatever_the_seed(folder):
    chat = opened(folder("qwen2_audio"))
    first, second = [await collect(chat, asked(seed, temperature=0.0)) for seed in (1, 2)]
    assert first.tokens == second.tokens
    assert first.clip is None


async def test_a_model_that_listens_hears_the_difference(folder):
    chat = opened(folder("qwen2_audio"))
    other = Clip(np.sin(np.arange(24_000, dtype=np.float32) / 3) * 0.9, 24_000)
    one, two = [
        await collect(chat, Request((Message("user", (Speech(clip),)),), sampling=Sampling(max_tokens=6)))
        for clip in (QUESTION, other)
    ]
    assert one.tokens is not None
    assert two.tokens is not None
    assert len(one.tokens.prompt_ids) < len(two.tokens.prompt_ids), "a longer clip takes more places"
    assert one.tokens.logprobs != two.tokens.logprobs


async def test_choices_hold_the_model_to_exactly_these_words(folder):
    chat = opened(folder("qwen3_text"))
    for seed in range(4):
        request = Request(
            (says("user", "?"),), sampling=Sampling(seed, 1.0, 9), choices=("yes", "no", "not sure")
        )
        assert (await collect(chat, request)).text in ("yes", "no", "not sure")


async def test_a_model_that_speaks_can_be_asked_for_words_alone(folder):
    chat = opened(folder("qwen2_5_omni"))
    reply = await collect(
        chat, Request(asked().messages, want=frozenset({"text"}), sampling=Sampling(max_tokens=3))
    )
    assert (reply.clip, reply.usage.completion_tokens) == (None, 3)


async def test_gives_text_leaves_the_voice_out_of_memory(folder):
    for kind in SPEAKING:
        chat = opened(folder(kind), "?gives=text")
        assert chat.gives == frozenset({"text"})
        assert (await collect(chat, asked())).clip is None
        loaded = await chat._engine.run(lambda loaded: loaded)
        assert not hasattr(loaded.model, "talker")


async def test_the_speaker_is_chosen_by_name_and_an_unknown_one_is_refused(folder):
    path = folder("qwen3_omni")
    chat = opened(path, "?speaker=Chelsie")

    def keywords(loaded: Loaded) -> Any:
        return chat._call(loaded, asked(), {"stopping_criteria": None}).keywords

    assert (await chat._engine.run(keywords))["speaker"] == "chelsie"
    with pytest.raises(ConfigError, match="no speaker 'Bob'; there are: chelsie, ethan"):
        await collect(opened(path, "?speaker=Bob"), asked())


async def test_the_chat_template_is_told_what_the_uri_says(folder):
    chat = opened(folder("qwen3_text"), '?template.think="off"')
    reply = await collect(chat, Request((says("user", "x"),), sampling=Sampling(max_tokens=2)))
    plain = await collect(
        opened(folder("qwen3_text")), Request((says("user", "x"),), sampling=Sampling(max_tokens=2))
    )
    assert reply.tokens is not None
    assert plain.tokens is not None
    assert len(reply.tokens.prompt_ids) == len(plain.tokens.prompt_ids) + 3
    assert 'think="off"' in chat.name


async def test_qwen2_5_omni_gets_the_system_prompt_without_which_it_does_not_speak(folder):
    from transformers import AutoTokenizer

    reply = await collect(opened(folder("qwen2_5_omni")), asked())
    assert reply.tokens is not None
    prompt = AutoTokenizer.from_pretrained(folder("qwen2_5_omni")).decode(reply.tokens.prompt_ids)
    assert prompt.startswith("<|im_start|>system\nYou are Qwen, a virtual human developed by the Qwen Team")
    assert "\nbe brief<|im_end|>\n<|im_start|>user\nlisten: <|audio_bos|><|AUDIO|><|AUDIO|>" in prompt
    assert "assistant\nhi<|im_end|>" in prompt, "what was not heard is not remembered"


async def test_what_it_cannot_take_is_said_in_one_line(folder):
    chat = opened(folder("qwen2_audio"))
    for message, problem in (
        (Message("user", (Speech(Clip([], 24_000)),)), "this spoken turn is empty"),
        (Message("user", (Speech(Clip.silence(5, 16_000)),)), "hears 4 s of one turn, and this one has 5 s"),
        (Message("assistant", (Speech(QUESTION),)), "takes earlier speech of its own as words only"),
    ):
        with pytest.raises(ModelError, match=problem):
            await collect(chat, Request((message,)))
    tool = ToolSpec("f", "", {})
    with pytest.raises(ModelError, match="takes no tools here"):
        await collect(chat, Request((says("user", "x"),), tools=(tool,)))


async def test_a_deadline_that_passes_is_an_error_that_may_go_away(folder):
    chat = opened(folder("qwen3_text"))
    with pytest.raises(ModelError, match=r"no reply within 0\.03 s") as caught:
        await collect(
            chat, Request((says("user", "x"),), sampling=Sampling(max_tokens=4000), deadline_us=30_000)
        )
    assert caught.value.transient


def test_the_name_says_weights_precision_device_and_versions(folder):
    path = folder("qwen3_omni")
    name = opened(path, "?dtype=bfloat16").name
    assert name.startswith("hf:qwen3_omni@")
    assert " bfloat16 on cpu speaker=Ethan speech_tokens=40 (transformers " in name
    before = name
    weights = path / "model.safetensors"
    kept = weights.read_bytes()
    try:
        weights.write_bytes(kept[:-1] + b"\x01")
        assert opened(path, "?dtype=bfloat16").name != before, "other weights, other name"
    finally:
        weights.write_bytes(kept)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("?device=tpu", "no device 'tpu'; there are: auto, cpu, cuda, cuda:N, mps"),
        ("?dtype=int8", "no dtype 'int8'"),
        ("?gives=sound", "no gives 'sound'"),
        ("?gives=text&speaker=Ethan", "it gives text only"),
        ("?voice=Ethan", "no option 'voice'"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_loaded(folder, options, problem):
    with pytest.raises(ConfigError, match=problem):
        opened(folder("qwen3_omni"), options)


def test_a_folder_that_lacks_weights_says_so(folder, tmp_path):
    import shutil

    half = tmp_path / "half"
    shutil.copytree(folder("qwen3_text"), half, ignore=shutil.ignore_patterns("*.safetensors"))
    chat = opened(half)
    with pytest.raises(UnavailableError, match="half lacks a part of the model"):
        asyncio.run(chat.warm())


async def test_the_catalog_checks_it_like_any_other(folder):
    report = await catalog.check(f"hf:{folder('qwen3_omni')}?speech_tokens=40", RealClock())
    assert report.works, report.said
    assert "s of speech" in report.said
