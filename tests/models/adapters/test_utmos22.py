from __future__ import annotations

import hashlib

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, DataError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import utmos22
from antiphon.models.ports import Invalid
from antiphon.models.uri import parse

torch = pytest.importorskip("torch", reason="torch is not installed")
utmos22_weights = pytest.importorskip("tests.models.adapters.utmos22_weights")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def reference():
    return utmos22_weights.Reference()


def speech(seconds: float, rate_hz: int = 16_000, seed: int = 3) -> Clip:
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    hiss = np.random.default_rng(seed).standard_normal(len(t))
    return Clip((0.2 * np.sin(900 * t) * np.sin(5 * t) + 0.05 * hiss).astype(np.float32), rate_hz)


def opened(path, more=""):
    return utmos22.open_scorer(parse(f"utmos22:?checkpoint={path}{more}"), VirtualClock())


def saved(tmp_path, state, name="epoch=3-step=7459.ckpt"):
    path = tmp_path / name
    torch.save(state, path)
    return path


def expected(reference, clip, **who):
    samples = torch.from_numpy(resample(clip, 16_000).samples.copy())
    return {"utmos22": pytest.approx(reference(samples[None], **who), abs=1e-5)}


async def test_both_layouts_score_as_the_reference_does(tmp_path, reference):
    clips = [speech(0.31), speech(1.2), speech(2.0, 24_000)]
    wanted = [expected(reference, clip) for clip in clips]
    assert len({round(each["utmos22"].expected, 4) for each in wanted}) == 3
    authors = saved(tmp_path, {"state_dict": reference.authors(), "epoch": 3})
    export = saved(tmp_path, reference.speechmos(), "utmos22_strong_step7459_v1.pt")
    assert await opened(authors).score(clips) == wanted
    assert await opened(export).score(clips) == wanted


async def test_a_clips_score_does_not_depend_on_its_neighbours(tmp_path, reference):
    scorer = opened(saved(tmp_path, reference.speechmos()))
    alone = await scorer.score([speech(0.7)])
    together = await scorer.score([speech(3.0), speech(0.7), Clip([], 16_000), Clip.silence(1, 16_000)])
    assert together[1] == alone[0]
    assert together[2] == Invalid("0.00 s of sound, less than the 0.3 s that a score needs")
    assert together[3] == Invalid("silence")


async def test_a_clip_is_repeated_up_to_the_asked_length_and_the_name_says_so(tmp_path, reference):
    path = saved(tmp_path, reference.authors())
    scorer = opened(path, "&repeat_s=2")
    short, long = speech(0.75), speech(2.5)
    filled = Clip(np.concatenate([short.samples] * 3)[:32_000], 16_000)
    assert await scorer.score([short, long]) == [expected(reference, filled), expected(reference, long)]
    assert scorer.name.endswith(" judge 288 domain 0 repeated to 2 s")


async def test_another_listener_and_domain_are_heard_and_named(tmp_path, reference):
    path = saved(tmp_path, reference.authors())
    scorer, usual = opened(path, "&judge=5&domain=2"), opened(path)
    clip = speech(1.0)
    assert await scorer.score([clip]) == [expected(reference, clip, judge=5, domain=2)]
    assert await scorer.score([clip]) != await usual.score([clip])
    assert scorer.name.endswith(" judge 5 domain 2")


def test_the_name_carries_the_file_and_its_hash(tmp_path, reference):
    path = saved(tmp_path, reference.authors())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    assert opened(path).name == f"utmos22:epoch=3-step=7459.ckpt@{digest} judge 288 domain 0"
    assert utmos22.open_scorer(parse(f"utmos22:{path}"), VirtualClock()).name == opened(path).name
    other = saved(tmp_path, reference.speechmos())
    assert other == path
    assert digest not in opened(other).name


async def test_a_listener_that_the_checkpoint_lacks(tmp_path, reference):
    export = saved(tmp_path, reference.speechmos())
    with pytest.raises(ConfigError, match=r"has only judge 288, not 5$"):
        await opened(export, "&judge=5").score([speech(1.0)])
    whole = saved(tmp_path, reference.authors(), "whole.ckpt")
    with pytest.raises(ConfigError, match=r"has domains 0 to 2, not 3$"):
        await opened(whole, "&domain=3").score([speech(1.0)])


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("utmos22:?fast=1", "no option 'fast'"),
        ("utmos22:?checkpoint=hf:one/two", "write hf:OWNER/NAME/FILE"),
        ("utmos22:a.ckpt?checkpoint=b.ckpt", "names two checkpoints"),
        ("utmos22:nowhere.ckpt", "no file nowhere.ckpt; give the checkpoint's path"),
        ("utmos22:nowhere.ckpt?threads=0", "no file nowhere.ckpt"),
    ],
)
def test_options_that_cannot_be(uri, problem):
    with pytest.raises(ConfigError, match=problem):
        utmos22.open_scorer(parse(uri), VirtualClock())


def test_numbers_and_devices_that_cannot_be(tmp_path, reference):
    path = saved(tmp_path, reference.speechmos())
    for more, problem in (
        ("&device=tpu", "no device 'tpu'; there are: auto, cpu, cuda, cuda:N"),
        ("&threads=0", "threads counts from 1"),
        ("&judge=-1", "judge counts from 0"),
        ("&repeat_s=601", "repeat_s is at most 600"),
    ):
        with pytest.raises(ConfigError, match=problem):
            opened(path, more)


def test_without_a_checkpoint_the_authors_own_is_looked_for(tmp_path, monkeypatch, reference):
    pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        utmos22.open_scorer(parse("utmos22:"), VirtualClock())
    assert str(caught.value) == (
        "sarulab-speech/UTMOS-demo/epoch=3-step=7459.ckpt is not here; "
        "hf download --repo-type space sarulab-speech/UTMOS-demo 'epoch=3-step=7459.ckpt'"
    )
    path = saved(tmp_path, reference.authors())
    asked = []
    monkeypatch.setattr(utmos22.repos, "locate_file", lambda *wanted: asked.append(wanted) or path)
    official = utmos22.open_scorer(parse("utmos22:"), VirtualClock())
    other = utmos22.open_scorer(parse("utmos22:?checkpoint=hf:me/model/folder/x.ckpt"), VirtualClock())
    assert official.name == other.name == opened(path).name
    assert asked == [
        ("sarulab-speech/UTMOS-demo", "epoch=3-step=7459.ckpt", "space"), ("me/model", "folder/x.ckpt", "model"),
    ]  # fmt: skip


async def test_another_models_file_is_refused_at_once(tmp_path):
    with pytest.raises(DataError, match=r"is no UTMOS22 strong learner on wav2vec 2.0 base"):
        opened(saved(tmp_path, {"weight": torch.zeros(2)}))


def test_a_missing_torch_names_the_command(monkeypatch):
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError) as caught:
        utmos22.open_scorer(parse("utmos22:"), VirtualClock())
    assert str(caught.value) == "the package torch is missing; pip install 'antiphon[mos]'"
