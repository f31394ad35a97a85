from __future__ import annotations

import pytest

from antiphon.models.weights.progress import Bars


def test_bars_and_notes_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with Bars() as bars:
        bars.moved("model.bin", "hub", 5_000_000, 10_000_000)
        bars.note("hub broke off; going on")
        bars.moved("model.bin", "hub", 10_000_000, 10_000_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert "model.bin" in err
    assert "10.0/10.0 MB" in err
    assert "hub broke off; going on" in err
