from __future__ import annotations

import importlib.util
import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.vad import Span
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import funasr, funasr_loading
from antiphon.models.catalog import check
from antiphon.models.ports import Transcript
from antiphon.models.uri import parse
from tests.models.adapters import tiny_funasr

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLOCK = VirtualClock()
needs_package = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "funasr")),
    reason="funasr is not installed",
)


def noise(seconds: float, seed: int = 0) -> Clip:
    samples = 0.1 * np.random.default_rng(seed).standard_normal(round(seconds * 16_000))
    return Clip(samples.astype(np.float32), 16_000)


@pytest.mark.parametrize(
    ("text", "words", "language"),
    [
        ("<|zh|><|NEUTRAL|><|Speech|><|woitn|>今天天气很好", "今天天气很好", "zh"),
        ("<|en|><|HAPPY|><|BGM|><|withitn|>Hello, there.", "Hello, there.", "en"),
        ("<|nospeech|><|EMO_UNKNOWN|><|Event_UNK|><|woitn|>", "", "nospeech"),
        ("今 天 的 hello world 很 好", "今天的hello world很好", None),
        ("x < 3 | y", "x < 3 | y", None),
    ],
)
def test_tags_are_no_words_and_the_first_says_the_language(
    text: str, words: str, language: str | None
) -> None:
    assert funasr.plain(text) == (words, language)


def test_a_short_clip_stays_whole_and_a_long_one_is_cut_where_nobody_speaks() -> None:
    assert [len(piece) for piece in funasr.pieces(noise(28))] == [28 * 16_000]
    assert funasr.pieces(Clip.silence(40, 16_000)) == []


def test_pieces_end_in_pauses_and_none_is_longer_than_28_s(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [Span(1, 10), Span(12, 27), Span(31, 35), Span(40, 75)]
    monkeypatch.setattr(funasr, "speech_spans", lambda clip, **_: spans)
    seconds = Clip(np.repeat(np.arange(80) / 100, 100).astype(np.float32), 100)
    cut = [(round(float(piece[0]) * 100), round(float(piece[-1]) * 100)) for piece in funasr.pieces(seconds)]
    assert cut == [(1, 26), (31, 34), (40, 67), (68, 74)]


def test_the_name_is_refused_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(funasr_loading, "need", lambda package, remedy: None)
    for uri, problem in (
        (
            "funasr:paraformer-ko",
            "no model 'paraformer-ko'; there are: paraformer-zh, sensevoice-small; or write owner/name",
        ),
        ("funasr:?hub=github", r"no hub 'github'; there are: hf \(Hugging Face\), ms \(ModelScope\)"),
        ("funasr:?beam=3", "no option 'beam'; funasr: takes hub, revision, itn, threads, device"),
        ("funasr:?threads=0", "threads count from 1"),
        (f"funasr:{tmp_path}", r"no config.yaml, model.pt in"),
        (f"funasr:{tmp_path}/gone", "no folder"),
    ):
        with pytest.raises(ConfigError, match=problem):
            funasr.open_transcriber(parse(uri), CLOCK)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None if name == "funasr" else name)
    with pytest.raises(UnavailableError) as caught:
        funasr.open_transcriber(parse("funasr:"), CLOCK)
    assert str(caught.value) == "the package funasr is missing; pip install 'antiphon[funasr]'"


def real(test: Callable[..., Any]) -> Callable[..., Any]:
    """A test of folders as the hubs have them, loaded by funasr itself, whose import alone takes seconds."""
    return needs_package(pytest.mark.slow(pytest.mark.timeout(300)(test)))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("funasr")
    return tiny_funasr.paraformer(root / "paraformer"), tiny_funasr.sensevoice(root / "sensevoice")


@real
@pytest.mark.parametrize("kind", [0, 1])
async def test_each_clip_gets_its_words_whatever_lies_beside_it(
    folders: tuple[Path, Path], kind: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ears = funasr.open_transcriber(parse(f"funasr:{folders[kind]}?device=cpu"), CLOCK)
    handlers = logging.getLogger().handlers[:]
    clips = [noise(1), Clip([], 16_000), noise(3, 1), Clip.silence(1, 8_000)]
    together = await ears.transcribe(clips, "zh")
    assert together == [(await ears.transcribe([clip], "zh"))[0] for clip in clips]
    assert together[1] == together[3] == Transcript("", "zh")
    assert together[0].text
    assert "<|" not in "".join(transcript.text for transcript in together)
    assert capsys.readouterr().out == ""
    assert logging.getLogger().handlers == handlers
    with pytest.raises(ConfigError, match="has no language 'th'; there are: zh, en"):
        await ears.transcribe(clips, "th")


@real
async def test_a_long_clip_is_heard_to_its_end(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ears = funasr.open_transcriber(parse(f"funasr:{folders[0]}?device=cpu"), CLOCK)
    parts = [noise(9), noise(9, 1)]
    alone = [transcript.text for transcript in await ears.transcribe(parts, "zh")]
    monkeypatch.setattr(funasr, "pieces", lambda clip: [part.samples for part in parts])
    (whole,) = await ears.transcribe([join(parts)], "zh")
    assert whole == Transcript("".join(alone), "zh")


@real
def test_the_name_holds_the_weights(folders: tuple[Path, Path]) -> None:
    name = funasr.open_transcriber(parse(f"funasr:{folders[1]}?device=cpu&itn=1"), CLOCK).name
    assert name.startswith("funasr:sensevoice@")
    assert " itn=1 dither=0 on cpu (funasr " in name


@real
async def test_the_catalog_tries_it(folders: tuple[Path, Path]) -> None:
    report = await check(f"funasr:{folders[0]}?device=cpu", CLOCK)
    assert (report.works, report.port) == (True, "transcriber"), report.said


@real
async def test_weights_that_do_not_fit_are_refused_not_drawn_at_random(tmp_path: Path) -> None:
    import torch

    lacking = tiny_funasr.paraformer(tmp_path / "lacking")
    state = torch.load(lacking / "model.pt")
    del state["decoder.output_layer.weight"]
    torch.save(state, lacking / "model.pt")
    other = tiny_funasr.paraformer(tmp_path / "other")
    words = json.loads((other / "tokens.json").read_text())
    (other / "tokens.json").write_text(json.dumps([*words, "新"]))
    for folder, problem in (
        (lacking, r"lacks 1 parameters such as decoder\.output_layer\.weight; fetch the model again"),
        (other, r"funasr cannot load .*size mismatch"),
    ):
        ears = funasr.open_transcriber(parse(f"funasr:{folder}?device=cpu"), CLOCK)
        with pytest.raises(UnavailableError, match=problem):
            await ears.transcribe([noise(1)], "zh")
