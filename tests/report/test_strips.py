from __future__ import annotations

import pytest

from antiphon.report.strips import Part, Stage, Strip, strip

RECOGNISED = Stage("recognised", 0.5, "wait")
SPEECH = Stage("first speech", 1.0, "text")
END = Stage("end", 3.0, "speech")


def test_stages_fill_the_strip_in_time_order() -> None:
    assert strip([END, RECOGNISED, SPEECH], 4.0) == Strip(
        (RECOGNISED, SPEECH, END),
        (Part("wait", 0.0, 12.5), Part("text", 12.5, 12.5), Part("speech", 25.0, 50.0)),
        over=False,
    )


def test_a_reply_that_outlasts_the_strip_is_cut_and_says_so() -> None:
    assert strip([RECOGNISED, SPEECH, END], 0.8) == Strip(
        (RECOGNISED, SPEECH, END), (Part("wait", 0.0, 62.5), Part("text", 62.5, 37.5)), over=True
    )


def test_no_stages_and_no_length() -> None:
    assert strip([], 1.0) == Strip((), (), over=False)
    with pytest.raises(ValueError, match="needs a length"):
        strip([END], 0.0)
