from __future__ import annotations

from antiphon.realtime.live.stages import Stages


def test_stages_count_from_the_persons_last_sound():
    stages = Stages()
    stages.stopped("u1", 1_000_000, 1_200_000)
    stages.understood("u1", 1_500_000)
    stages.asked("a", ("u1",), 1_510_000)
    stages.wrote("a", 1_700_000)
    stages.wrote("a", 1_900_000)
    stages.spoke("a", 1_800_000)
    assert stages.sent("a", 1_810_000) == {
        "noticed": 200, "understood": 500, "decided": 510, "written": 700, "spoken": 800, "sent": 810,
    }  # fmt: skip
    assert stages.sent("a", 1_820_000) is None


def test_where_nobody_spoke_they_count_from_the_question_and_what_did_not_happen_is_left_out():
    stages = Stages()
    stages.asked("a", (), 5_000_000)
    stages.spoke("a", 5_100_000)
    assert stages.sent("a", 5_110_000) == {"decided": 0, "spoken": 100, "sent": 110}
    assert stages.sent("unknown", 1) is None
