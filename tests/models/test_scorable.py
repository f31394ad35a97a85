from __future__ import annotations

from antiphon.audio.clip import Clip
from antiphon.models.ports import Invalid
from antiphon.models.scorable import unscorable


def test_short_and_silent_clips_say_why_they_get_no_score() -> None:
    short = Invalid("0.29 s of sound, less than the 0.3 s that a score needs")
    assert unscorable(Clip([0.5] * 290, 1000)) == short
    assert unscorable(Clip([], 1000)) == Invalid("0.00 s of sound, less than the 0.3 s that a score needs")
    assert unscorable(Clip([0.00009] * 300, 1000)) == Invalid("silence")


def test_a_quiet_clip_with_one_loud_sample_can_be_scored() -> None:
    assert unscorable(Clip([0.0] * 299 + [-0.5], 1000)) is None
