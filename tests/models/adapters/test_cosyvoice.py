"""The repository is no package and its weights are gigabytes: a double with its calls stands in, and says so."""

from __future__ import annotations

import json
import logging
import sys

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import read
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import cosyvoice
from antiphon.models.ports import SpeechContext, Voice, speak
from antiphon.models.uri import parse

pytest.importorskip("torch", reason="torch is not installed")

# The public signatures of the repository as of December 2025; the sound is noise that the seed decides.
DOUBLE = '''
"""A test double of CosyVoice: no model."""
import json, logging, os
import torch
logging.basicConfig(level=logging.DEBUG)
tqdm = None

class Double:
    def __init__(self, model_dir, fp16=False):
        self.model_dir, self.sample_rate, self.model = model_dir, 24000, self
        self.token_hop_len = 25

    def list_available_spks(self):
        return ["Ming"]

    def _say(self, call, text, words, prompt_wav, spk, stream, speed):
        with open(os.path.join(self.model_dir, "calls.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps([call, text, words, prompt_wav, spk, stream, speed, self.token_hop_len]) + "\\n")
        if prompt_wav and "asset" not in prompt_wav:
            with open(prompt_wav, "rb") as heard, open(os.path.join(self.model_dir, "heard.wav"), "wb") as kept:
                kept.write(heard.read())
        if "broken" in text:
            raise AssertionError("do not support this")
        self.token_hop_len *= 2
        for piece in tqdm([text[:4], text[4:]] if stream else [text]):
            yield {"tts_speech": 1.5 * torch.randn(1, 100 * len(piece))}

    def inference_zero_shot(self, tts_text, prompt_text, prompt_wav, zero_shot_spk_id="", stream=False, speed=1.0, text_frontend=True):
        return self._say("zero_shot", tts_text, prompt_text, prompt_wav, zero_shot_spk_id, stream, speed)

    def inference_cross_lingual(self, tts_text, prompt_wav, zero_shot_spk_id="", stream=False, speed=1.0, text_frontend=True):
        return self._say("cross_lingual", tts_text, None, prompt_wav, zero_shot_spk_id, stream, speed)

    def inference_instruct2(self, tts_text, instruct_text, prompt_wav, zero_shot_spk_id="", stream=False, speed=1.0, text_frontend=True):
        return self._say("instruct2", tts_text, instruct_text, prompt_wav, zero_shot_spk_id, stream, speed)

def AutoModel(**kwargs):
    return Double(**kwargs)
'''
SEEDING = """
import torch
def set_all_random_seed(seed):
    torch.manual_seed(seed)
"""


@pytest.fixture(autouse=True)
def _nothing_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path / "cache"))
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.partition(".")[0] == "cosyvoice"]:
        del sys.modules[name]


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "CosyVoice"
    for file, text in {
        "cosyvoice/__init__.py": "", "cosyvoice/cli/__init__.py": "", "cosyvoice/utils/__init__.py": "",
        "cosyvoice/cli/cosyvoice.py": DOUBLE, "cosyvoice/cli/frontend.py": "", "cosyvoice/cli/model.py": "",
        "cosyvoice/utils/common.py": SEEDING, "third_party/Matcha-TTS/matcha/__init__.py": "",
    }.items():  # fmt: skip
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "CosyVoice2-0.5B"
    folder.mkdir()
    for name in ("cosyvoice2.yaml", "llm.pt", "flow.pt", "hift.pt"):
        (folder / name).write_text(name)
    return folder


def opened(model, repo, more=""):
    return cosyvoice.open_synthesizer(parse(f"cosyvoice:{model}?repo={repo}{more}"), VirtualClock())


def calls(model):
    return [json.loads(line) for line in (model / "calls.jsonl").read_text(encoding="utf-8").splitlines()]


PROMPT = Clip(np.sin(np.arange(12_000) / 9).astype(np.float32) * 0.5, 8_000)
DEFAULT = "asset/zero_shot_prompt.wav"


async def test_a_voice_chooses_the_call(repo, model):
    synthesizer = opened(model, repo)
    said = "今天天气很好。"
    for voice in (
        Voice(), Voice(style="用四川话说这句话"), Voice(prompt=PROMPT, prompt_text="你好"), Voice(prompt=PROMPT),
        Voice(prompt=PROMPT, style="开心地说", prompt_text="你好"), Voice("Ming"),
    ):  # fmt: skip
        clip = await speak(synthesizer, said, voice)
        assert (clip.rate_hz, len(clip)) == (24_000, 700)
    default = str(repo / DEFAULT)
    found = calls(model)
    prompts = [call.pop(3) for call in found]
    rest = ["", False, 1.0, 25]
    assert found == [
        ["zero_shot", said, "希望你以后能够做的比我还好呦。", *rest],
        ["instruct2", said, "用四川话说这句话<|endofprompt|>", *rest],
        ["zero_shot", said, "你好", *rest],
        ["cross_lingual", said, None, *rest],
        ["instruct2", said, "开心地说<|endofprompt|>", *rest],
        ["zero_shot", said, "", "Ming", *rest[1:]],
    ]
    assert prompts[:2] == [default, default]
    assert prompts[5] == ""
    assert all(prompt.endswith("/prompt.wav") for prompt in prompts[2:5])
    heard = read(model / "heard.wav")
    assert (heard.rate_hz, round(heard.duration_s, 3)) == (16_000, 1.5)  # 8 kHz is less than the model takes


async def test_cosyvoice3_is_told_to_be_helpful(repo, model):
    (model / "cosyvoice2.yaml").rename(model / "cosyvoice3.yaml")
    synthesizer = opened(model, repo)
    assert synthesizer.name.startswith("cosyvoice:CosyVoice3 ")
    for voice in (
        Voice(prompt=PROMPT, prompt_text="你好"),
        Voice(style="请用广东话表达。"),
        Voice(prompt=PROMPT),
    ):
        await speak(synthesizer, "好。", voice)
    helpful = "You are a helpful assistant."
    assert [call[:3] for call in calls(model)] == [
        ["zero_shot", "好。", f"{helpful}<|endofprompt|>你好"],
        ["instruct2", "好。", f"{helpful} 请用广东话表达。<|endofprompt|>"],
        ["cross_lingual", f"{helpful}<|endofprompt|>好。", None],
    ]


async def test_the_seed_decides_the_samples_whatever_was_said_before(repo, model):
    synthesizer = opened(model, repo)
    first = await speak(synthesizer, "一二三四五。", Voice(seed=4))
    await speak(synthesizer, "别的话。", Voice(seed=9))
    again, other = [await speak(synthesizer, "一二三四五。", Voice(seed=seed)) for seed in (4, 5)]
    assert first == again
    assert first != other
    assert np.abs(first.samples).max() == 1.0  # the double is too loud, and a clip is not


async def test_streaming_hands_over_pieces_and_begins_each_text_alike(repo, model):
    synthesizer = opened(model, repo, "&stream=1&clauses=1")

    async def growing():
        for piece in ("今天天气", "真的很好。明天", "也许会下雨。"):
            yield piece

    chunks = [chunk async for chunk in synthesizer.stream(growing(), Voice(), SpeechContext())]
    assert [(len(chunk.clip), chunk.chars) for chunk in chunks] == [(400, 9), (500, 0), (400, 8), (400, 0)]
    assert [(call[1], call[5], call[7]) for call in calls(model)] == [
        ("今天天气真的很好。", True, 25), ("明天也许会下雨。", True, 25),
    ]  # fmt: skip


async def test_a_listener_who_leaves_gets_nothing_more_and_the_next_text_is_right(repo, model):
    synthesizer = opened(model, repo, "&stream=1")
    whole = await speak(synthesizer, "一二三四五六。", Voice(seed=1))

    async def text():
        yield "一二三四五六七八九。"

    stream = synthesizer.stream(text(), Voice(seed=2), SpeechContext())
    assert len((await anext(stream)).clip) == 400
    await stream.aclose()
    assert await speak(synthesizer, "一二三四五六。", Voice(seed=1)) == whole


async def test_a_rate_is_followed_but_not_while_streaming(repo, model):
    context = SpeechContext(cues={"rate": 1.5})

    async def text():
        yield "好的。"

    assert [len(chunk.clip) async for chunk in opened(model, repo).stream(text(), Voice(), context)] == [300]
    assert calls(model)[0][6] == 1.5
    for more, cues, problem in (
        ("&stream=1", {"rate": 1.5}, "rate cannot change while streaming"),
        ("", {"rate": 3}, "rate must be a number from 0.5 to 2, not 3"),
        ("", {"emotion": "sad"}, "no CosyVoice cue 'emotion'"),
    ):
        with pytest.raises(ConfigError, match=problem):
            [_ async for _ in opened(model, repo, more).stream(text(), Voice(), SpeechContext(cues=cues))]


async def test_voices_that_cannot_be(repo, model):
    synthesizer = opened(model, repo)
    for voice, problem in (
        (Voice("Nobody"), "no CosyVoice speaker 'Nobody'.*Ming"),
        (Voice("Ming", prompt=PROMPT), "a saved speaker's name or a prompt clip, not both"),
        (Voice(prompt=Clip.silence(31, 16_000)), "at most 30 s, not 31.0 s"),
    ):
        with pytest.raises(ConfigError, match=problem):
            await speak(synthesizer, "好。", voice)
    with pytest.raises(ModelError, match="AssertionError: do not support this"):
        await speak(synthesizer, "broken")
    with pytest.raises(ModelError, match="no sound for '。。'"):
        await speak(synthesizer, "。。")


async def test_the_name_carries_weights_code_and_settings(repo, model):
    name = opened(model, repo).name
    assert name.startswith("cosyvoice:CosyVoice2 CosyVoice2-0.5B@")
    assert opened(model, repo, "&stream=1&fp16=1").name == name + " stream fp16"
    (repo / "cosyvoice/cli/model.py").write_text("# another way to sound\n")
    changed = opened(model, repo).name
    (model / "flow.pt").write_text("other weights")
    assert len({name, changed, opened(model, repo).name}) == 3


async def test_the_repositorys_logging_stays_its_own(repo, model):
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    await speak(opened(model, repo), "好。")
    assert (root.level, list(root.handlers)) == before


def test_what_is_missing_says_what_to_do(tmp_path, repo, model, monkeypatch):
    with pytest.raises(ConfigError, match="is no checkout of CosyVoice; git clone --recursive"):
        opened(model, tmp_path)
    with pytest.raises(UnavailableError) as caught:
        cosyvoice.open_synthesizer(parse(f"cosyvoice:{model}"), VirtualClock())
    assert str(caught.value) == (
        "the CosyVoice repository is not here; "
        "git clone --recursive https://github.com/FunAudioLLM/CosyVoice.git, then add ?repo=FOLDER to the URI"
    )
    (model / "hift.pt").unlink()
    with pytest.raises(ConfigError, match=r"lacks hift.pt; fetch the model again"):
        opened(model, repo)
    (model / "cosyvoice2.yaml").rename(model / "cosyvoice.yaml")
    with pytest.raises(ConfigError, match=r"holds neither cosyvoice2.yaml nor cosyvoice3.yaml"):
        opened(model, repo)
    for path, problem in (("", "name a model's folder"), ("./nowhere", "no folder ./nowhere")):
        with pytest.raises(ConfigError, match=problem):
            opened(path, repo)
    with pytest.raises(ConfigError, match="stream is 0 or 1"):
        opened(model, repo, "&stream=2")
    (repo / "third_party/Matcha-TTS/matcha/__init__.py").unlink()
    (repo / "third_party/Matcha-TTS/matcha").rmdir()
    with pytest.raises(UnavailableError, match=r"lacks its submodule Matcha-TTS; git -C .* submodule update"):
        opened(model, repo)


def test_a_model_of_the_hub_is_looked_for_in_its_cache(tmp_path, repo, model, monkeypatch):
    pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"antiphon weights fetch hf:FunAudioLLM/CosyVoice2-0.5B$"):
        opened("FunAudioLLM/CosyVoice2-0.5B", repo)
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        UnavailableError, match=r"the package torch is missing; pip install -r .*requirements.txt"
    ):
        opened(model, repo)


async def test_an_older_checkout_is_told_to_be_updated(repo, model):
    source = (repo / "cosyvoice/cli/cosyvoice.py").read_text().replace("prompt_wav", "prompt_speech_16k")
    (repo / "cosyvoice/cli/cosyvoice.py").write_text(source)
    with pytest.raises(UnavailableError, match=r"is older than December 2025; git -C .* pull"):
        await speak(opened(model, repo), "好。")


async def test_a_repository_that_does_not_load_names_its_requirements(repo, model):
    (repo / "cosyvoice/utils/common.py").write_text("import a_package_that_is_not_here\n")
    with pytest.raises(
        UnavailableError, match=r"does not load .*a_package_that_is_not_here.*requirements.txt"
    ):
        await speak(opened(model, repo), "好。")
