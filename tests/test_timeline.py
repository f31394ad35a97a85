from __future__ import annotations

from itertools import permutations

import pytest

from antiphon.errors import DataError
from antiphon.jsonl import from_row, to_row
from antiphon.timeline import Fact, Timeline, in_order

SPEECH = Fact(0, 900_000, "person", "speech", "oracle", "几点了?")
BARGE = Fact(1_500_000, 1_900_000, "person", "speech", "oracle", "等等")
ANSWER = Fact(1_200_000, 1_600_000, "agent", "speech", "measured", "现在三点")
STOP = Fact(1_600_000, 1_600_000, "agent", "stop", "declared", data={"cause": "interruption"})


def test_a_fact_cannot_end_before_it_starts():
    with pytest.raises(ValueError, match=r"^'speech' ends at 4 us, before it starts at 5 us$"):
        Fact(5, 4, "person", "speech", "oracle")


def test_facts_are_found_by_track_and_by_what_they_are():
    timeline = Timeline("s1", in_order([STOP, BARGE, ANSWER, SPEECH]))
    assert timeline.of("person") == [SPEECH, BARGE]
    assert timeline.of("agent", "stop") == [STOP]
    assert timeline.of("observer") == []


def test_one_set_of_facts_has_one_order():
    twin = Fact(0, 900_000, "person", "speech", "measured", "几点了?")
    other_words = Fact(0, 900_000, "person", "speech", "oracle", "几点了")
    other_data = Fact(0, 900_000, "person", "speech", "oracle", "几点了?", {"b": 1, "a": 2})
    orders = [in_order(list(facts)) for facts in permutations([SPEECH, twin, other_words, other_data])]
    assert orders == [(twin, other_words, other_data, SPEECH)] * 24


def test_a_timeline_survives_its_row():
    timeline = Timeline("s1", (SPEECH, ANSWER, STOP), recording="ab12")
    assert from_row(to_row(timeline), Timeline) == timeline


def test_a_row_with_an_impossible_fact_names_the_place():
    row = to_row(Timeline("s1", (SPEECH,)))
    row["facts"][0]["end_us"] = -1
    with pytest.raises(DataError, match=r"^t\.jsonl:3 timeline: .*ends at -1 us.*facts"):
        from_row(row, Timeline, path="t.jsonl", line=3)
