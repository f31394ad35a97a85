from __future__ import annotations

import pytest

from antiphon.models.wire.sse import EventReader

STREAM = ": hi\n\ndata: 一\u2028二\ndata: three\r\n\r\nevent: x\nid: 4\ndata:four\n\n\n\ndata: last".encode()
EVENTS = ["一\u2028二\nthree", "four", "last"]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_events_are_the_same_however_they_are_cut(size):
    reader = EventReader()
    found = [event for at in range(0, len(STREAM), size) for event in reader.feed(STREAM[at : at + size])]
    assert found + reader.end() == EVENTS


def test_an_event_comes_out_as_soon_as_it_is_complete():
    reader = EventReader()
    assert reader.feed(b"data: a\n") == []
    assert reader.feed(b"\ndata") == ["a"]
