from __future__ import annotations

from antiphon.realtime import events
from antiphon.realtime.live.playout import Frame
from antiphon.realtime.meter import Meter
from antiphon.realtime.protocols.ga_session import fresh
from antiphon.realtime.server.counting import Counting


def test_what_is_told_is_counted_for_the_operator_too():
    told: list = []
    meter = Meter()
    one = Counting(told.append, fresh("sess_a", "m", "default", 0), meter, duplex=True)
    one.stages("item", {"decided": 10, "sent": 200})
    one.observed("level", dbfs=-3.0, problem="clipping")
    one.observed("level", dbfs=-30.0)
    one.trouble("the voice broke")
    assert meter.sums_ms == {"decided": 10, "sent": 200}
    assert meter.counts == {("input_problems", "problem", "clipping"): 1, ("troubles", "", ""): 1}
    assert [getattr(event, "type", "error") for event in told] == [
        "duplex.latency",
        "duplex.level",
        "duplex.level",
        "error",
    ]


def test_the_frame_that_is_being_told_is_known_and_then_no_more():
    seen: list[Frame | None] = []
    one = Counting(lambda _: seen.append(one.frame), fresh("sess_a", "m", "default", 0), Meter(), duplex=True)
    one.effect(events.StartAnswer("answer", 1, "item", (), (), "asked"))
    frame = Frame("item", 0, bytes(960), 0)
    seen.clear()
    one.sound(frame)
    assert seen
    assert set(map(id, seen)) == {id(frame)}
    assert one.frame is None
