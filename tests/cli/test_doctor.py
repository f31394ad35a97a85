from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.wiring.doctor import Finding
from tests.cli.commands import antiphon


def test_the_doctor_lists_every_part_and_ends_well_whatever_is_missing(own_cache: Path) -> None:
    done = antiphon("doctor")
    assert done.code == 0
    assert "weights whisper-base" in done.out
    assert "antiphon weights fetch whisper-base" in done.out
    assert "parts are missing; Antiphon works without them, and says so." in done.out
    assert not own_cache.exists()


def test_nothing_missing_is_said_in_two_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antiphon.wiring.doctor.findings", lambda: [Finding("Python", True, "all of it")])
    assert antiphon("doctor").out.splitlines()[-1] == "Everything works."


def test_findings_are_a_list_for_programs() -> None:
    found = antiphon("doctor", "--json").json
    assert found[0]["works"] is True
    assert found[0]["part"].startswith("Python 3.")
    assert {"part", "works", "what", "remedy"} == set(found[0])
