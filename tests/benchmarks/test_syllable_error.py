from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "syllable_error.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def golden(folder: Path, published: float) -> Path:
    item = {"Qid": "a-0", "Response": "你好世界", "Response_hyp": "你号世界"}
    (folder / "asr.json").write_text(json.dumps([item]), "utf-8")
    (folder / "result.json").write_text(json.dumps([{"Qid": "a-0", "PER": published}]), "utf-8")
    return folder


def test_the_published_rates_are_reproduced(data: Path) -> None:
    folder = data / "vocalbench-zh" / "model-output-qwen3-omni"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    done = run("--golden", folder, "--json")
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, figures["items"]) == (0, 5)
    assert figures["max_abs_difference"] <= 1e-12


def test_a_rate_that_differs_fails(tmp_path: Path) -> None:
    assert run("--golden", golden(tmp_path, 0.25)).returncode == 0
    wrong = run("--golden", golden(tmp_path, 0.2501), "--json")
    assert wrong.returncode == 1
    assert json.loads(wrong.stdout.splitlines()[-1])["max_abs_difference"] == pytest.approx(1e-4)


def test_a_missing_folder_is_the_users_error(tmp_path: Path) -> None:
    done = run("--golden", tmp_path / "gone")
    assert done.returncode == 2
    assert "name the folder with --golden DIR" in done.stderr
