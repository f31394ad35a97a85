from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from antiphon.models.weights.table import TABLE
from antiphon.wiring import doctor
from antiphon.wiring.doctor import PACKAGES, PROGRAMS, Finding, findings


def found() -> dict[str, Finding]:
    return {finding.part: finding for finding in findings()}


def test_every_package_program_and_weight_is_looked_for(own_cache: Path) -> None:
    parts = list(found())
    assert parts[0].startswith("Python 3.")
    assert parts[1:-1] == [*PACKAGES, *PROGRAMS, *(f"weights {name}" for name in TABLE), "sandbox"]
    assert parts[-1].startswith("disk, ")


def test_what_is_missing_names_the_command_that_brings_it_and_what_works_needs_none(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "ray" else object())
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "npm" else f"/bin/{name}")
    seen = found()
    assert seen["ray"] == Finding("ray", False, "--cluster", "pip install 'antiphon[ray]'")
    assert seen["torch"] == Finding("torch", True, "UTMOS22 and DistillMOS")
    assert (seen["npm"].works, seen["npm"].remedy) == (False, "install Node.js")
    weights = seen["weights whisper-base"]
    assert weights.works is False
    assert weights.remedy.startswith("antiphon weights fetch whisper-base   (")


def test_a_full_disk_is_found_before_it_stops_a_run(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(own_cache.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000_000))
    disk = found()["disk, 1 GB free"]
    assert disk == Finding("disk, 1 GB free", False, f"cache in {own_cache}", "free 3 GB")
