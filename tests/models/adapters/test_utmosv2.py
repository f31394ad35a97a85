from __future__ import annotations

import hashlib
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import utmosv2
from antiphon.models.ports import Invalid
from antiphon.models.uri import parse

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(autouse=True)
def _own_caches(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UTMOSV2_CHACHE", str(tmp_path / "utmosv2"))


class FakePackage(ModuleType):
    """A stand-in with the calls of the package `utmosv2` 1.3: an "opinion" is made of a random cut's level."""

    def __init__(self):
        super().__init__("utmosv2")
        self.__spec__ = SimpleNamespace(name="utmosv2")  # type: ignore[assignment]
        self.made: list[dict] = []
        self.asked: list[dict] = []
        self.opinions = 1

    def create_model(
        self, pretrained=True, config="fusion_stage3", fold=0, checkpoint_path=None, seed=42, device="auto"
    ):
        print("Loaded checkpoint")  # noqa: T201 - as the package does
        self.made.append(
            {"pretrained": pretrained, "config": config, "fold": fold, "seed": seed, "path": checkpoint_path}
        )
        return self

    def predict(self, *, data=None, sr=16000, device="cuda:0", num_workers=0, batch_size=16, num_repetitions=1,
                remove_silent_section=True, verbose=True):  # fmt: skip
        self.asked.append({"shape": data.shape, "dtype": data.dtype.name, "sr": sr, "device": device, "verbose": verbose,
                           "repetitions": num_repetitions, "trim": remove_silent_section})  # fmt: skip
        cuts = [np.random.randint(0, data.shape[1] - 100) for _ in range(num_repetitions)]
        value = np.mean([np.abs(data[0, cut : cut + 100]).mean() for cut in cuts])
        return np.full(self.opinions, 1 + 4 * value, np.float32)


@pytest.fixture
def fake(monkeypatch):
    package = FakePackage()
    monkeypatch.setitem(sys.modules, "utmosv2", package)
    return package


def speech(seconds: float, level: float = 0.3, rate_hz: int = 16_000) -> Clip:
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    return Clip((level * np.sin(900 * t) * np.abs(np.sin(2 * t))).astype(np.float32), rate_hz)


def weights(tmp_path, name="fold0_s42_best_model.pth"):
    path = tmp_path / "utmosv2/models/fusion_stage3" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode())
    return path


def opened(uri="utmosv2:?device=cpu"):
    return utmosv2.open_scorer(parse(uri), VirtualClock())


async def test_the_package_is_asked_for_one_clip_at_16_khz_and_the_name_tells_everything(
    tmp_path, fake, capsys
):
    path = weights(tmp_path, "fold2_s7_best_model.pth")
    scorer = opened("utmosv2:?fold=2&seed=7&repetitions=5&trim=0&device=cpu")
    (got,) = await scorer.score([speech(2.0, rate_hz=24_000)])
    assert isinstance(got, dict)
    assert 1 < got["utmosv2"] < 5
    assert fake.made == [{"pretrained": True, "config": "fusion_stage3", "fold": 2, "seed": 7, "path": path}]
    assert fake.asked == [{"shape": (1, 32_000), "dtype": "float32", "sr": 16_000, "device": "cpu", "verbose": False,
                           "repetitions": 5, "trim": False}]  # fmt: skip
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    assert scorer.name == (
        f"utmosv2:fusion_stage3 fold 2 seed 7 fold2_s7_best_model.pth@{digest} "
        "repetitions 5 silence kept float32 (utmosv2 of an unknown version)"
    )
    assert capsys.readouterr().out == ""


async def test_a_score_depends_on_the_clip_alone_and_leaves_other_draws_as_they_were(tmp_path, fake):
    weights(tmp_path)
    scorer = opened()
    np.random.seed(11)
    expected_draw = np.random.random()
    np.random.seed(11)
    alone = await scorer.score([speech(2.0)])
    assert np.random.random() == expected_draw
    together = await scorer.score([speech(4.0, level=0.8), speech(2.0)])
    assert together[1] == alone[0]
    assert together[0] != alone[0]


async def test_what_the_package_would_cut_out_whole_is_invalid(tmp_path, fake):
    weights(tmp_path)
    quiet = speech(2.0, level=0.09)
    got = await opened().score([quiet, Clip.silence(1, 16_000), speech(0.2)])
    assert got == [
        Invalid("nothing above 0.1 of full scale: UTMOSv2 cuts all of it out; try trim=0"),
        Invalid("silence"),
        Invalid("0.20 s of sound, less than the 0.3 s that a score needs"),
    ]
    assert isinstance((await opened("utmosv2:?trim=0&device=cpu").score([quiet]))[0], dict)


async def test_two_opinions_of_one_clip_are_an_error(tmp_path, fake):
    weights(tmp_path)
    fake.opinions = 2
    with pytest.raises(ModelError, match="one clip gave 2 opinions"):
        await opened("utmosv2:?repetitions=3&device=cpu").score([speech(1.0)])


def test_missing_weights_name_the_packages_own_command(tmp_path, fake):
    with pytest.raises(UnavailableError) as caught:
        opened("utmosv2:?fold=3")
    path = tmp_path / "utmosv2/models/fusion_stage3/fold3_s42_best_model.pth"
    fetch = "utmosv2.utils.download_pretrained_weights_from_hf('fusion_stage3', 3)"
    assert str(caught.value) == f'the weights {path} are not here; python -c "import utmosv2; {fetch}"'


def test_a_missing_package_names_the_command(monkeypatch):
    monkeypatch.setattr(
        native.importlib.util, "find_spec", lambda name: None if name == "utmosv2" else "here"
    )
    with pytest.raises(UnavailableError) as caught:
        opened()
    assert str(caught.value) == (
        "the package utmosv2 is missing; pip install git+https://github.com/sarulab-speech/UTMOSv2.git"
    )


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("utmosv2:model.pth", r"write utmosv2: or utmosv2:\?checkpoint=PATH"),
        ("utmosv2:?beam=1", "no option 'beam'"),
        ("utmosv2:?fold=5", "fold is 0 to 4"),
        ("utmosv2:?repetitions=0", "repetitions counts from 1"),
        ("utmosv2:?trim=2", "trim is 0 or 1"),
        ("utmosv2:?config=../x", "config names a module"),
        ("utmosv2:?checkpoint=none.pth", "no file none.pth"),
    ],
)
def test_options_that_cannot_be(fake, uri, problem):
    with pytest.raises(ConfigError, match=problem):
        opened(uri)


@pytest.fixture
def real(monkeypatch):
    """The real package, its two backbones with random weights instead of downloads."""
    for name in ("timm", "transformers", "librosa", "torchvision"):
        pytest.importorskip(name, reason=f"{name}, which utmosv2 needs, is not installed")
    if native.importlib.util.find_spec("torchaudio") is None:  # it only resamples, and 16 kHz needs none
        monkeypatch.setitem(sys.modules, "torchaudio", ModuleType("torchaudio"))
    package = pytest.importorskip("utmosv2", reason="utmosv2 is not installed (it is in no package index)")
    import timm
    import transformers

    create = timm.create_model
    monkeypatch.setattr(
        timm, "create_model", lambda name, **more: create(name, **more | {"pretrained": False})
    )
    model = transformers.Wav2Vec2Model(transformers.Wav2Vec2Config())
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", lambda name: model)
    extractor = transformers.Wav2Vec2FeatureExtractor()
    monkeypatch.setattr(transformers.AutoFeatureExtractor, "from_pretrained", lambda name: extractor)
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "utmosv2"]:
        del sys.modules[name]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")
async def test_the_real_package_scores_random_weights_as_by_its_own_call(tmp_path, real):
    torch.manual_seed(1)
    made = real.create_model(pretrained=False)
    path = tmp_path / "random.pth"
    torch.save(made.state_dict(), path)
    clip = speech(3.5)
    np.random.seed(0)
    samples = clip.samples.copy()
    expected = float(made.predict(data=samples[None], sr=16_000, device="cpu", verbose=False)[0])
    scorer = opened(f"utmosv2:?checkpoint={path}&device=cpu")
    assert await scorer.score([clip]) == [{"utmosv2": pytest.approx(expected, abs=1e-5)}]
    assert scorer.name.startswith("utmosv2:fusion_stage3 fold 0 seed 42 random.pth@")
