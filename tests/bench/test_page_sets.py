from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.items import Item
from antiphon.bench.page_sets import by_ability, durations, set_pictures
from antiphon.report.donut import Part
from antiphon.report.histograms import Spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results


@pytest.fixture
def results(fake_run: Callable[..., Any]) -> Results:
    return fake_run(sounds=False).results()


def test_subsets_of_one_ability_stand_inside_it_and_categories_inside_a_lone_subset() -> None:
    items = [
        Item("a", "chinese_knowledge", "zh", "？", ability="knowledge"),
        Item("b", "foreign_knowledge", "zh", "？", ability="knowledge"),
        Item("c", "reasoning", "zh", "？", ability="reasoning", category="Math"),
        Item("d", "reasoning", "zh", "？", ability="reasoning", category="Common_sense"),
        Item("e", "reasoning", "zh", "？", ability="reasoning", category="Common_sense"),
        Item("f", "safety", "zh", "？"),
    ]
    assert by_ability(items) == [
        Part("knowledge", 2, (Part("chinese knowledge", 1), Part("foreign knowledge", 1))),
        Part("reasoning", 3, (Part("Common sense", 2), Part("Math", 1))),
        Part("safety", 1),
    ]


def test_durations_are_those_of_the_takes_by_subset_and_speech(results: Results) -> None:
    first, second, third = results.items[:3]
    takes = dict(results.takes)
    takes[first.id] = replace(takes[first.id], query_s=2.5, query_speech="recorded")
    takes[second.id] = replace(takes[second.id], query_s=4.0)
    takes[third.id] = replace(takes[third.id], query=None)
    few = replace(results, items=(first, second, third), takes=takes)
    assert durations(few) == [
        Spread("chinese knowledge", "recorded", (2.5,), False, "no sound of a question"),
        Spread("chinese knowledge", "synthetic", (4.0,), True, "no sound of a question"),
        Spread("foreign knowledge", "text only", (), False, "no sound of a question"),
    ]


def test_questions_without_sound_are_counted_and_never_drawn_as_zero(results: Results) -> None:
    found = set_pictures(results)
    assert found.durations is not None
    assert "1 of 24 questions have no sound here." in found.note  # the item that failed
    silent = {name: replace(take, query=None) for name, take in results.takes.items()}
    assert set_pictures(replace(results, takes=silent)).durations is None


def test_sources_are_a_ring_of_their_own_and_unnamed_ones_are_told(results: Results) -> None:
    assert len(set_pictures(results).rings) == 1
    first, *rest = results.items
    named = replace(results, items=(replace(first, source="WebQA"), *rest))
    ring, caption = set_pictures(named).rings[1]
    assert "<span>WebQA</span><b>1</b>" in ring
    assert caption.endswith("23 other items name none.")


def test_no_items_are_no_pictures(results: Results) -> None:
    found = set_pictures(replace(results, items=(), takes={}))
    assert (found.rings, found.durations) == ((), None)
