from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.bench.instruments import COLUMNS
from antiphon.bench.metrics.emotions import NINE, among_of, named
from antiphon.clock import VirtualClock
from antiphon.errors import DataError, ModelError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import emotion2vec, funasr_loading
from antiphon.models.adapters.emotion2vec import CLASSES, Emotion2vec, class_of
from antiphon.models.catalog import check
from antiphon.models.ports import Invalid
from antiphon.models.uri import parse
from tests.models.adapters import tiny_funasr
from tests.models.adapters.tiny_funasr import EMOTIONS

if TYPE_CHECKING:
    from pathlib import Path

CLOCK = VirtualClock()
needs_package = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "funasr")),
    reason="funasr is not installed",
)
# What the published evaluation makes of tokens.txt.
EDITED = [
    "生气/angry",
    "unuse_0",
    "unuse_1",
    "开心/happy",
    "中立/neutral",
    "unuse_2",
    "难过/sad",
    "吃惊/surprised",
    "<unk>",
]


def noise(seconds: float, seed: int = 0) -> Clip:
    samples = 0.1 * np.random.default_rng(seed).standard_normal(round(seconds * 16_000))
    return Clip(samples.astype(np.float32), 16_000)


def scorer() -> Emotion2vec:
    engine: Any = None
    return Emotion2vec("emotion2vec:test", engine)


def test_the_metrics_know_the_columns_and_read_labels_alike() -> None:
    assert COLUMNS["emotion2vec"] == NINE == CLASSES
    assert [class_of(label) for label in EMOTIONS] == [named(label) for label in EMOTIONS]
    assert sorted(class_of(label) for label in EMOTIONS) == sorted(NINE)


def test_a_probability_goes_to_the_class_that_is_named_wherever_it_stands() -> None:
    scores = [0.01, 0.02, 0.03, 0.04, 0.1, 0.2, 0.25, 0.3, 0.05]
    expected = {
        "angry": 0.01, "happy": 0.04, "neutral": 0.1, "sad": 0.25, "surprised": 0.3, "disgusted": 0.02,
        "fearful": 0.03, "other": 0.2, "unknown": 0.05,
    }  # fmt: skip
    assert scorer()._by_name(EMOTIONS, scores) == expected
    assert scorer()._by_name(EMOTIONS[::-1], scores[::-1]) == expected


def test_five_of_the_nine_are_made_to_sum_to_one_by_the_metrics() -> None:
    measured = dict(zip(CLASSES, [0.1, 0.2, 0.1, 0.05, 0.05, 0.2, 0.1, 0.1, 0.1], strict=True))
    assert among_of(measured) == {
        "angry": pytest.approx(0.2), "happy": pytest.approx(0.4), "neutral": pytest.approx(0.2),
        "sad": pytest.approx(0.1), "surprised": pytest.approx(0.1),
    }  # fmt: skip


def test_other_classes_and_no_probabilities_are_refused() -> None:
    kept = [label for label in EDITED if not label.startswith("unuse")]
    with pytest.raises(
        ModelError, match=r"answers with the classes 生气/angry, 开心/happy, .* not with the nine"
    ):
        scorer()._by_name(kept, [1 / 6] * 6)
    with pytest.raises(ModelError, match="not with the nine"):
        scorer()._by_name([*EMOTIONS[:-1], "生气/angry"], [1 / 9] * 9)
    with pytest.raises(ModelError, match=r"add up to 1\.8000"):
        scorer()._by_name(EMOTIONS, [0.2] * 9)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (EDITED, r"tokens\.txt: names no disgusted, fearful, other; has unuse_0, unuse_1, unuse_2\. Restore"),
        (EMOTIONS[:5], "names no sad, surprised, other, unknown"),
        ([*EMOTIONS, "angry"], "names twice angry"),
    ],
)
def test_an_edited_token_file_is_refused_with_what_is_wrong(
    tmp_path: Path, labels: list[str], problem: str
) -> None:
    (tmp_path / "tokens.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        emotion2vec.check_classes(tmp_path / "tokens.txt")
    with pytest.raises(DataError, match="no such file"):
        emotion2vec.check_classes(tmp_path / "none.txt")


def test_the_published_token_file_is_accepted_in_any_order(tmp_path: Path) -> None:
    for labels in (EMOTIONS, EMOTIONS[::-1]):
        (tmp_path / "tokens.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
        emotion2vec.check_classes(tmp_path / "tokens.txt")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None if name == "funasr" else name)
    with pytest.raises(UnavailableError) as caught:
        emotion2vec.open_scorer(parse("emotion2vec:"), CLOCK)
    assert str(caught.value) == "the package funasr is missing; pip install 'antiphon[funasr]'"


@needs_package
@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_random_weights_are_loaded_by_funasr_and_give_what_its_forward_pass_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    folder = tiny_funasr.emotion2vec(tmp_path / "emotion2vec_plus_tiny")
    voice = emotion2vec.open_scorer(parse(f"emotion2vec:{folder}?device=cpu"), CLOCK)
    got = await voice.score([noise(1), Clip([], 16_000), noise(2, 1), Clip.silence(1, 8_000)])
    assert got[1] == Invalid("0.00 s of sound, less than the 0.3 s that a score needs")
    assert got[3] == Invalid("silence")
    model = funasr_loading.load(folder, "cpu", 2).model
    with torch.inference_mode():
        source = torch.from_numpy(noise(1).samples.copy())
        features = model.extract_features(torch.nn.functional.layer_norm(source, source.shape)[None])["x"]
        expected = torch.softmax(model.proj(features.mean(dim=1)), dim=-1)[0].tolist()
    assert got[0] == {
        name: pytest.approx(expected[[class_of(label) for label in EMOTIONS].index(name)], abs=1e-6)
        for name in CLASSES
    }
    assert voice.name.startswith("emotion2vec:emotion2vec_plus_tiny@")
    assert capsys.readouterr().out == ""
    report = await check(f"emotion2vec:{folder}?device=cpu", CLOCK)
    assert report.works, report.said
