from __future__ import annotations

from typing import Any

from antiphon.envs.changes import diff, leaves
from antiphon.envs.importers.expect import expectation

INITIAL: dict[str, Any] = {
    "orders": {"A": {"state": "open", "items": ["x", "y"]}, "B": {"state": "open"}},
    "cards": {"g1": {"amount": 50}},
}


def expected(final: dict[str, Any], *put_back: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    return expectation(INITIAL, final, leaves(diff(INITIAL, final)) | set(put_back))


def test_what_was_written_is_expected_and_nothing_else():
    final = INITIAL | {"orders": INITIAL["orders"] | {"A": {"state": "paid", "items": ["x", "y"]}}}
    assert expected(final) == ({"orders": {"A": {"state": "paid"}}}, ())


def test_a_list_is_expected_whole():
    final = INITIAL | {"orders": INITIAL["orders"] | {"A": {"state": "open", "items": ["x", "z"]}}}
    assert expected(final) == ({"orders": {"A": {"items": ["x", "z"]}}}, ())
    longer = INITIAL | {"orders": INITIAL["orders"] | {"A": {"state": "open", "items": ["x", "y", {"n": 1}]}}}
    assert expected(longer) == ({"orders": {"A": {"items": ["x", "y", {"n": 1}]}}}, ())


def test_a_record_that_is_gone_is_one_absent_path():
    final = INITIAL | {"cards": {}}
    assert expected(final) == ({}, ("/cards/g1",))


def test_a_new_record_is_expected_field_by_field():
    final = INITIAL | {"cards": {"g1": {"amount": 50}, "a/b": {"amount": 7}}}
    assert expected(final) == ({"cards": {"a/b": {"amount": 7}}}, ())


def test_what_was_written_and_put_back_is_expected_as_it_was():
    assert expected(INITIAL, "/cards/g1/amount") == ({"cards": {"g1": {"amount": 50}}}, ())
