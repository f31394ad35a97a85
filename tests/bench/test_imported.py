from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.folder import RunFolder
from antiphon.bench.imported import Import, bring_in
from antiphon.bench.items import Item
from antiphon.bench.stages import Stages
from antiphon.bench.suite import Suite
from antiphon.bench.suites.outputs import Output
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.bench.takes import Said, Take
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.stage.map import Settings
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import INSTRUMENTS

ITEMS = tuple(Item(f"k-{n}", "general_knowledge", "zh", f"{n}？", "北京") for n in range(3))
TONE = Clip([0.5, -0.5] * 400, 8_000)


def outputs(folder: Path) -> list[Output]:
    """Words and sound with a transcript, words alone, and nothing."""
    write(folder / "k-0.wav", TONE)
    return [
        Output(ITEMS[0], "是北京。", folder / "k-0.wav", "是背景"),
        Output(ITEMS[1], "是上海。", None, None),
        Output(ITEMS[2], None, None, None),
    ]


def imported(folder: Path, found: list[Output], **changes: object) -> RunFolder:
    suite = Suite("mine", ITEMS, METRICS, source="starter")
    plan = Import(RunFolder(folder / "run"), suite, "their model", "strict", INSTRUMENTS, resume=False)
    plan = replace(plan, **changes)  # pyright: ignore[reportArgumentType]
    asyncio.run(bring_in(plan, found, Stages(Settings(), lambda _: Silent())))
    return plan.out


def test_outputs_become_takes_with_words_sound_and_transcript_and_without_times(tmp_path: Path) -> None:
    folder = imported(tmp_path, outputs(tmp_path))
    failures, takes = folder.rows(folder.takes, Take)
    assert takes == [
        Take(
            "k-0", "general_knowledge", None, 0.0, (Said("是北京。", TONE.digest, 0.1, "stop", None),),
            meta={"transcript": "是背景"},
        ),
        Take("k-1", "general_knowledge", None, 0.0, (Said("是上海。", None, 0.0, "stop", None),)),
    ]  # fmt: skip
    assert failures == {"k-2": "the outputs have no reply to this item"}
    assert folder.clip(TONE.digest).exists()


def test_the_run_says_whose_outputs_these_are_and_that_they_came_from_elsewhere(tmp_path: Path) -> None:
    manifest = imported(tmp_path, outputs(tmp_path)).read_manifest()
    assert (manifest.system, manifest.system_uri, manifest.items) == ("their model", "imported:", 3)
    assert "The outputs were made elsewhere: nothing here tells how, or how fast." in manifest.warnings


def test_items_without_an_output_are_left_out_on_request_and_counted(tmp_path: Path) -> None:
    folder = imported(tmp_path, outputs(tmp_path), covered=True)
    assert [item.id for item in read_records(folder.items, Item)] == ["k-0", "k-1"]
    assert folder.rows(folder.takes, Take)[0] == {}
    told = "1 of 3 items have no output and were left out (--covered)."
    assert told in folder.read_manifest().warnings


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path) -> None:
    found = outputs(tmp_path)
    imported(tmp_path, found)
    with pytest.raises(ConfigError, match="holds a run already; add --resume"):
        imported(tmp_path, found)
    imported(tmp_path, found, resume=True)


def test_other_outputs_are_not_mixed_with_those_that_are_there(tmp_path: Path) -> None:
    found = outputs(tmp_path)
    imported(tmp_path, found)
    changed = [replace(found[0], text="是南京。"), *found[1:]]
    with pytest.raises(ConfigError, match=r"were made with outputs \"\w{64}\" \(now \"\w{64}\"\)"):
        imported(tmp_path, changed, resume=True)


def test_a_corrupt_wav_is_an_invalid_item_that_names_its_file(tmp_path: Path) -> None:
    found = outputs(tmp_path)
    (tmp_path / "k-0.wav").write_bytes(b"RIFF nothing")
    folder = imported(tmp_path, found)
    failures, takes = folder.rows(folder.takes, Take)
    assert failures["k-0"].startswith(f"{tmp_path / 'k-0.wav'}: not a sound file, or a corrupt one")
    assert [take.item for take in takes] == ["k-1"]
