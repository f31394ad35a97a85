from __future__ import annotations

from antiphon.bench.takes import Instruments


def test_the_judges_are_the_first_and_the_panel() -> None:
    assert Instruments().judges == ()
    assert Instruments(judge="a:").judges == ("a:",)
    assert Instruments(judge="a:", panel=("b:", "c:"), repeat=2).judges == ("a:", "b:", "c:")
