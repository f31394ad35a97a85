from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.envs.domain import open_domain
from antiphon.envs.overlap import (
    Evaluation,
    evaluation,
    grams,
    pool_overlap,
    rules_overlap,
    share,
    task_overlap,
    units,
)
from tests.envs.desk import LEND, REFUSE, open_desk


def test_units_are_words_numbers_and_chinese_characters():
    assert units("Hold SK2859，ＳＫ２８５９: 保留8月 it's_ok") == [
        "hold", "sk2859", "sk2859", "保", "留", "8", "月", "it", "s", "ok",
    ]  # fmt: skip


def test_the_share_of_known_ngrams_by_hand():
    known = frozenset(grams("a b c d", 2))  # ab bc cd
    assert share("a b c x", known, 2) == pytest.approx(2 / 3)  # ab bc cx
    assert share("A, B! C; D", known, 2) == 1.0
    assert share("d c b a", known, 2) == 0.0
    assert share("a", known, 2) == 0.0


def test_a_domain_overlaps_with_itself_and_not_with_another(tmp_path: Path):
    desk = open_desk(tmp_path, LEND, REFUSE)
    flights = open_domain("flight_search_desk")
    kept = evaluation([flights])
    assert rules_overlap(flights.rules, kept) == (
        "rules.md: 100% of its 8-grams stand in evaluation data; below 20% is let through"
    )
    assert task_overlap(flights.tasks[0], kept) is not None
    assert pool_overlap(flights.tools, kept) == (
        "6 of 6 tool names are those of flight_search_desk: "
        "find_airport, list_holds, place_hold, price_grid, release_hold"
    )
    assert rules_overlap(desk.rules, kept) is None
    assert [task_overlap(task, kept) for task in desk.tasks] == [None, None]
    assert pool_overlap(desk.tools, kept) is None


def test_one_tool_name_in_common_proves_nothing():
    kept = Evaluation(pools={"bank": frozenset({"find_customer", "pay"})})
    assert pool_overlap(["find_customer", "book"], kept) is None
    assert pool_overlap(["Find_Customer", "pay", "x", "y"], kept) is not None


def test_copied_sentences_are_found_among_new_ones():
    copied = "You want to hold the saver fare on flight SK2859 from San Francisco to Tokyo"
    own = " ".join(f"word{n}" for n in range(40))
    kept = Evaluation(frozenset(grams(copied)))
    assert share(f"{copied} {own}", kept.grams) == pytest.approx(8 / 48)  # below the threshold
    assert share(f"{copied} {own[:150]}", kept.grams) > 0.2
