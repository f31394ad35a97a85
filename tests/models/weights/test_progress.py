from __future__ import annotations

import pytest

from antiphon.models.weights.progress import Bars


def test_where_it_is_no_terminal_each_file_and_note_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Bars() as bars:
        bars.moved("model.bin", "hub", 5_000_000, 10_000_000)
        bars.note("hub broke off; going on")
        bars.moved("model.bin", "hub", 10_000_000, 10_000_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["fetching model.bin, 10 MB, from hub", "hub broke off; going on"]


def test_on_a_terminal_a_bar_shows_what_has_come(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with Bars() as bars:
        bars.moved("model.bin", "hub", 10_000_000, 10_000_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert "10.0/10.0 MB" in err
    assert "model.bin" in err
