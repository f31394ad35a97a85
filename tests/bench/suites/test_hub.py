from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from antiphon.bench.suites.hub import folder_of
from antiphon.errors import ConfigError, DataError, UnavailableError

datasets = pytest.importorskip("datasets", reason="datasets is not installed (antiphon[hub])")

HUB = {"VocalNet/VocalBench-zh": {"safety": "safety", "cs_open_ended": "open_ended"}}


def wav(level: float) -> bytes:
    held = io.BytesIO()
    soundfile.write(held, np.full(160, level, np.float32), 16_000, format="WAV")
    return held.getvalue()


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "hf"))
    return tmp_path / "cache"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A dataset repository as the hub lays it out: parquet files, and a card that names configurations."""
    folder = tmp_path / "clone"
    for name, rows in {
        "safety": [
            {
                "Qid": f"safety-{n:03d}",
                "Question": f"问{n}",
                "Answer": "不行",
                "audio": {"bytes": wav(n / 10), "path": "a.wav"},
            }
            for n in range(3)
        ],
        "open_ended": [
            {"Qid": "o-0", "Question": "聊聊 jazz", "Answer": "好", "Source": "Manual", "audio": None}
        ],
    }.items():
        (folder / name).mkdir(parents=True)
        datasets.Dataset.from_list(rows).to_parquet(str(folder / name / "test-00000-of-00001.parquet"))
    card = "\n".join(
        f"- config_name: {name}\n  data_files:\n  - split: test\n    path: {name}/test-*"
        for name in ("safety", "open_ended")
    )
    (folder / "README.md").write_text(f"---\nconfigs:\n{card}\n---\n", encoding="utf-8")
    return folder


def entries(folder: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((folder / "json" / f"{name}.json").read_text(encoding="utf-8"))


def test_a_plain_folder_is_itself(tmp_path: Path) -> None:
    assert folder_of(tmp_path, HUB, ["safety"]) == tmp_path


def test_rows_become_the_published_layout(clone: Path, tmp_path: Path) -> None:
    folder = folder_of(type(clone)(f"hf:{clone}"), HUB, ["safety", "cs_open_ended"])
    assert entries(folder, "safety")[2] == {
        "Set": "safety", "Qid": "safety-002", "Question": "问2", "Answer": "不行",
        "Audio": "safety/safety-002.wav",
    }  # fmt: skip
    assert (folder / "audio" / "safety" / "safety-001.wav").read_bytes() == wav(0.1)
    assert [entry["Qid"] for entry in entries(folder, "cs_open_ended")] == ["o-0"]
    assert "Audio" not in entries(folder, "cs_open_ended")[0]


def test_texts_that_are_there_say_where_sound_belongs(clone: Path) -> None:
    given = type(clone)(f"hf:{clone}")
    folder = folder_of(given, HUB, ["cs_open_ended"])
    kept = [
        {"Set": "Safety", "Qid": f"safety-{n:03d}", "Audio": f"safety/{n:03d}.wav", "Category": "x"}
        for n in range(3)
    ]
    path = folder / "json" / "safety.json"
    path.write_text(json.dumps(kept), encoding="utf-8")
    assert folder_of(given, HUB, ["safety"]) == folder
    assert entries(folder, "safety") == kept
    assert (folder / "audio" / "safety" / "002.wav").read_bytes() == wav(0.2)


def test_what_was_fetched_is_not_fetched_again(clone: Path) -> None:
    given = type(clone)(f"hf:{clone}")
    folder = folder_of(given, HUB, ["safety"])
    sound = folder / "audio" / "safety" / "safety-000.wav"
    sound.unlink()
    assert folder_of(given, HUB, ["safety"]) == folder
    assert not sound.exists()
    (folder / "done" / "safety").unlink()  # as after a kill: only what is missing is written
    folder_of(given, HUB, ["safety"])
    assert sound.read_bytes() == wav(0.0)


def test_a_configuration_that_is_not_there_is_named_with_the_choices(clone: Path) -> None:
    with pytest.raises(ConfigError, match=r"configuration of .* 'robust'; there are: open_ended, safety"):
        folder_of(type(clone)(f"hf:{clone}"), {"a/b": {"robust": "robust"}}, ["robust"])


def test_a_path_that_leaves_the_folder_is_refused(clone: Path) -> None:
    given = type(clone)(f"hf:{clone}")
    folder = folder_of(given, HUB, ["cs_open_ended"])
    bad = [{"Qid": "safety-000", "Audio": "../../x.wav"}]
    (folder / "json" / "safety.json").write_text(json.dumps(bad), encoding="utf-8")
    with pytest.raises(DataError, match=r"'../../x.wav' leaves the audio folder"):
        folder_of(given, HUB, ["safety"])


def test_a_hub_out_of_reach_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        UnavailableError, match=r"on the hub \(.*check the network and the name, or give a folder"
    ):
        folder_of(type(tmp_path)(f"hf:{tmp_path / 'nowhere'}"), HUB, ["safety"])


def test_without_a_network_no_library_is_asked_and_the_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "antiphon.bench.suites.hub.repos.unreachable", lambda: "https://hub does not answer:\nno"
    )
    monkeypatch.setattr(datasets, "get_dataset_config_names", None)  # calling it would fail otherwise
    with pytest.raises(
        UnavailableError,
        match=r"^VocalNet/VocalBench-zh on the hub \(https://hub does not answer: no\); check the",
    ):
        folder_of(Path("hf:"), HUB, ["safety"])
