from __future__ import annotations

from antiphon.models.wire.ga.dialect import BETA, GA, Move, moved

MOVES = (Move(("voice",), ("audio", "output", "voice")), Move(("speed",), ("audio", "output", "speed")))


def test_a_field_moves_there_and_back():
    ours = {"audio": {"output": {"voice": "alloy", "speed": 1.5}}, "model": "m"}
    theirs = {"voice": "alloy", "speed": 1.5, "model": "m"}
    assert moved(theirs, MOVES, reading=True) == ours
    assert moved(ours, MOVES, reading=False) == theirs


def test_what_stands_in_our_place_already_wins():
    both = {"voice": "old", "audio": {"output": {"voice": "new"}}}
    assert moved(both, MOVES, reading=True) == {"audio": {"output": {"voice": "new"}}}


def test_a_place_that_is_no_object_is_left_for_the_check_of_types():
    assert moved({"voice": "alloy", "audio": 3}, MOVES, reading=True) == {"audio": 3}


def test_the_value_that_was_given_does_not_change():
    given = {"audio": {"output": {"voice": "alloy"}}}
    moved(given, MOVES, reading=False)
    assert given == {"audio": {"output": {"voice": "alloy"}}}


def test_names_are_spelt_as_the_dialect_does():
    assert [dialect.spell("response.output_text.done") for dialect in (GA, BETA)] == [
        "response.output_text.done", "response.text.done",
    ]  # fmt: skip
    assert BETA.spell("response.done") == "response.done"
