from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.envs.changes import apply, beneath, diff, leaves, look_up, parts_of, pointer, same

KEYS = st.sampled_from(["a", "b", "c/d", "e~f", "0", ""])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, "x", ""]))
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3))
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)


def test_changes_are_the_smallest_changed_parts():
    old = {"holds": {"H1": {"status": "active", "n": 1}, "H2": {"n": 2}}, "log": [{"t": 1}], "same": {"x": 1}}
    new = {
        "holds": {"H1": {"status": "released", "n": 1.0}, "H3": {"n": 3, "tags": []}},
        "log": [{"t": 1}, {"t": 2}],
        "same": {"x": 1},
    }
    changes = diff(old, new)
    assert changes == {
        "/holds/H1/status": {"from": "active", "to": "released"},
        "/holds/H3": {"to": {"n": 3, "tags": []}},
        "/holds/H2": {"from": {"n": 2}},
        "/log/1": {"to": {"t": 2}},
    }
    assert leaves(changes) == {"/holds/H1/status", "/holds/H3/n", "/holds/H3/tags", "/holds/H2/n", "/log/1/t"}
    assert apply(old, changes) == new


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [(25, 25.0, True), (True, 1, False), (0, False, False), (0.1 + 0.2, 0.3, True), ("25", 25, False), (None, 0, False), ([1, 2.0], [1.0, 2], True), ([1, 2], [2, 1], False), ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {}, False)],
)  # fmt: skip
def test_numbers_are_equal_by_value_and_truth_is_no_number(one: Any, other: Any, equal: bool):
    assert same(one, other) is equal
    assert same(other, one) is equal


@settings(max_examples=300, deadline=None, database=None, derandomize=True)
@given(DOCUMENTS, DOCUMENTS)
def test_applying_a_difference_gives_the_other_document_and_leaves_the_first_alone(
    old: dict[str, Any], new: dict[str, Any]
):
    before = copy.deepcopy(old)
    result = apply(old, diff(old, new))
    assert same(result, new)
    assert old == before


def test_what_did_not_change_is_shared():
    old = {"a": {"x": {"n": 1}}, "b": {"y": [1]}}
    new = apply(old, {"/a/x/n": {"from": 1, "to": 2}})
    assert new == {"a": {"x": {"n": 2}}, "b": {"y": [1]}}
    assert new["b"] is old["b"]


@pytest.mark.parametrize(
    "changes",
    [{"/no/such": {"to": 1}}, {"/a/x": {"from": 1}}, {"/log/7": {"to": 1}}, {"/log/x": {"to": 1}}, {"": {"to": {}}}],
)  # fmt: skip
def test_a_change_that_does_not_fit_is_an_error(changes: dict[str, Any]):
    with pytest.raises(ValueError, match=r"nothing to|no position|whole document"):
        apply({"a": {}, "log": []}, changes)


def test_keys_with_slashes_and_tildes_survive_a_path():
    assert pointer(["a/b", "c~d", 0]) == "/a~1b/c~0d/0"
    assert parts_of("/a~1b/c~0d/0") == ["a/b", "c~d", "0"]
    assert look_up({"a/b": {"c~d": [7]}}, "/a~1b/c~0d/0") == (True, 7)
    assert look_up({"a": [1]}, "/a/1") == (False, None)
    with pytest.raises(ValueError, match="begins with a slash"):
        parts_of("holds.HD1")


def test_a_path_is_beneath_itself_and_what_leads_to_it():
    assert [beneath(path, ("/log",)) for path in ("/log", "/log/3/t", "/logs")] == [True, True, False]
