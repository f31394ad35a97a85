from __future__ import annotations

from antiphon.bench.items import Item
from antiphon.bench.page_lanes import item_lanes
from antiphon.bench.takes import Said, Take, Voiced

ITEM = Item("a", "s", "en", "q", extra={"overlap": [2.0, 3.0]})
TAKE = Take(
    "a", "s", "q", 4.0, (Said("", "b", 5.0, "stop", None),),
    tracks={"user": "q", "agent": "b", "clean_user": "c", "clean_agent": "d"},
)  # fmt: skip
VOICED = {
    clip: Voiced(clip, "vad", spans) for clip, spans in {"q": ((0.0, 3.0),), "b": ((3.5, 4.5),)}.items()
}


def test_both_sides_and_the_overlap_are_drawn():
    drawn = item_lanes(ITEM, TAKE, VOICED)
    assert drawn is not None
    assert "<title>person: 0.0–3.0 s; agent: 3.5–4.5 s; the item&#39;s moment: 2.0–3.0 s</title>" in drawn


def test_a_second_performance_without_the_overlap_stands_above():
    drawn = item_lanes(
        ITEM, TAKE, VOICED | {"c": Voiced("c", "vad", ()), "d": Voiced("d", "vad", ((1.0, 2.0),))}
    )
    assert drawn is not None
    assert "<title>person*: silent; agent*: 1.0–2.0 s; person: " in drawn


def test_each_task_says_what_its_moment_is():
    moments = ({"pauses": [[1.0, 2.0]]}, {"turn_end": 1.5}, {"interruption": [1.0, 2.5]}, {})
    told = [str(item_lanes(Item("a", "s", "en", "q", extra=one), TAKE, VOICED)) for one in moments]
    assert [
        "moment: 1.0–2.0 s" in told[0],
        "moment: 1.5–1.5 s" in told[1],
        "moment: 1.0–2.5 s" in told[2],
    ] == [True] * 3
    assert "moment" not in told[3]


def test_a_take_without_tracks_or_voices_has_no_lanes():
    plain = Take("a", "s", "q", 4.0, TAKE.replies)
    assert [item_lanes(ITEM, take, VOICED) for take in (None, plain)] == [None, None]
    assert item_lanes(ITEM, TAKE, {}) is None
