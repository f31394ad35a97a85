from __future__ import annotations

import copy
import heapq
import json
import pickle
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.envs.changes import same
from antiphon.envs.drafts import NotJsonError, draft, plain, settle, untouched

BASE: dict[str, Any] = {
    "users": {"U1": {"name": "A", "tags": ["x", {"k": 1}]}, "U2": {"name": "B", "tags": []}},
    "queue": [{"n": 3}, {"n": 1}],
    "numbers": [1, 4, 9],
    "count": 1,
}


def _rename(db: Any) -> None:
    db["users"]["U1"]["name"] = "Z"


def _shallow_copy(db: Any) -> None:
    user = dict(db["users"]["U1"])
    user["tags"].append("through a copy")
    db["users"]["U3"] = {**user, "name": "C"}


def _comprehension(db: Any) -> None:
    for user in [each for each in db["users"].values() if each.get("name") == "B"]:
        user["tags"].append("b")
    db["names"] = {key: value.get("name") for key, value in db["users"].items()}


def _merge(db: Any) -> None:
    db["users"] |= {"U4": {"name": "D", "tags": []}}
    merged = db["users"] | {"U5": {}}
    merged["U1"]["name"] = "merged"
    left = {"U8": {}} | db["users"]
    left["U2"]["left"] = True
    starred = {**db["users"], "U9": {}}
    starred["U2"]["starred"] = True
    named = dict(**db["users"])
    named["U2"]["named"] = [*named]
    match db["users"]:
        case {"U2": found, **rest}:
            found["matched"] = len(rest)
            rest["U1"]["matched"] = True
    db["users"].setdefault("U6", {"tags": []})["tags"].append(1)
    db["users"].setdefault("U1", {})["seen"] = True
    db["users"].update(U7={"name": "G"})


def _pops(db: Any) -> None:
    db["users"]["moved"] = db["users"].pop("U1")
    db["users"]["moved"]["name"] = "moved"
    db["users"].pop("absent", None)
    del db["count"]


def _lists(db: Any) -> None:
    db["queue"].sort(key=lambda each: each["n"])
    db["queue"][0]["n"] = 0
    db["queue"] += [{"n": 9}]
    db["queue"] = db["queue"] + [{"n": 10}]
    db["queue"][1:] = sorted(db["queue"][1:], key=lambda each: -each["n"])
    first = [{"n": -1}] + db["queue"]
    first[1]["n"] = 100
    db["queue"].insert(0, db["queue"].pop())
    del db["queue"][-1]


def _heap(db: Any) -> None:
    heapq.heappush(db["numbers"], 3)
    db["least"] = heapq.heappop(db["numbers"])
    heapq.heapify(db["numbers"])


def _aliases(db: Any) -> None:
    fresh: dict[str, Any] = {"n": []}
    db["fresh"] = fresh
    db["fresh"]["n"].append(1)
    fresh["n"].append(2)
    db["friend"] = db["users"]["U2"]
    db["friend"]["name"] = "both"


def _clear(db: Any) -> None:
    db["users"]["U1"]["tags"].clear()
    db["users"]["U2"].clear()
    db["users"].popitem()


def _copies(db: Any) -> None:
    for copied in (
        copy.deepcopy(db["users"]),
        json.loads(json.dumps(db["users"])),
        pickle.loads(pickle.dumps(db["users"])),
    ):
        copied["U1"]["tags"].append("not in the database")
        copied["U1"]["tags"][1]["k"] = 2
    shallow = copy.copy(db["users"]["U1"])
    shallow["tags"][1]["k"] = 3
    copy.copy(db["queue"])[0]["n"] = 4
    copy.copy(db["queue"]).append("not in the database")


def _views(db: Any) -> None:
    for user in reversed(db["users"].values()):
        user["last"] = len(db["users"].values())
    for key, user in reversed(db["users"].items()):
        user["key"] = key
    db["any"] = next(iter(db["users"].values()))["key"] in db["users"]
    db["ends"] = [max(db["users"]), min(db["numbers"])]


ACTIONS = [
    _rename,
    _shallow_copy,
    _comprehension,
    _merge,
    _pops,
    _lists,
    _heap,
    _aliases,
    _clear,
    _copies,
    _views,
]


@pytest.mark.parametrize("action", ACTIONS)
def test_a_draft_takes_what_plain_dicts_and_lists_take(action: Callable[[Any], None]):
    before = copy.deepcopy(BASE)
    expected = copy.deepcopy(BASE)
    action(expected)
    working = draft(BASE)
    action(working)
    assert settle(working) == json.loads(json.dumps(expected))
    assert before == BASE


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            [_rename, _comprehension, _merge, _lists, _heap, _aliases, _copies, _shallow_copy, _views]
        ),
        max_size=6,
    )
)
def test_any_sequence_of_calls_gives_what_a_deep_copy_gives(actions: list[Callable[[Any], None]]):
    before = copy.deepcopy(BASE)
    expected = copy.deepcopy(BASE)
    state = BASE
    for action in actions:
        action(expected)
        expected = json.loads(
            json.dumps(expected)
        )  # between calls the document is plain: no part stands twice
        working = draft(state)
        action(working)
        state = settle(working)
    assert same(state, expected)
    assert before == BASE


def test_a_draft_is_a_dict():
    working = draft(BASE)
    assert isinstance(working, dict)
    assert isinstance(working["queue"], list)
    assert working == BASE
    assert json.dumps(working) == json.dumps(BASE)
    assert repr(working) == repr(BASE)
    assert working.get("absent", 7) == 7
    assert [*working] == [*BASE]


def test_reading_changes_nothing_and_writing_shares_the_rest():
    working = draft(BASE)
    assert working["users"]["U1"]["tags"][1]["k"] == 1
    assert list(working["users"].values())
    assert settle(working) is BASE
    working = draft(BASE)
    working["users"]["U1"]["name"] = "Z"
    after = settle(working)
    assert after["users"]["U2"] is BASE["users"]["U2"]
    assert after["queue"] is BASE["queue"]
    assert after["users"]["U1"]["tags"] is BASE["users"]["U1"]["tags"]


def test_writing_the_same_value_is_no_change():
    working = draft(BASE)
    working["users"]["U1"]["name"] = "A"
    assert settle(working) is BASE


class Colour(Enum):
    RED = "red"


def test_an_enum_is_stored_by_its_value_and_a_tuple_as_a_list():
    working = draft({})
    working["colour"], working["pair"] = Colour.RED, (1, 2)
    assert settle(working) == {"colour": "red", "pair": [1, 2]}


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object(), date(2026, 8, 12), {1: "x"}])
def test_what_json_cannot_hold_is_named_with_its_place(value: object):
    working = draft({"a": {}})
    working["a"]["b"] = value
    with pytest.raises(NotJsonError, match=r"^/a/b"):
        settle(working)


def test_a_result_is_a_deep_copy_with_dates_as_words():
    working = draft(BASE)
    result = plain({"user": working["users"]["U1"], "day": date(2026, 8, 12), "pair": (1, 2)})
    assert result == {"user": BASE["users"]["U1"], "day": "2026-08-12", "pair": [1, 2]}
    assert type(result["user"]) is dict
    assert result["user"]["tags"] is not BASE["users"]["U1"]["tags"]
    with pytest.raises(TypeError):
        plain(object())
    with pytest.raises(NotJsonError):
        plain(float("inf"))


def test_only_a_fresh_draft_is_untouched():
    document: dict[str, Any] = {"a": {"b": 1}, "c": []}
    fresh, read, written = draft(document), draft(document), draft(document)
    read["a"]
    written["d"] = 1
    assert untouched(fresh) is document
    assert [untouched(read), untouched(written), untouched(document)] == [None, None, None]
