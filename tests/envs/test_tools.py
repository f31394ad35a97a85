from __future__ import annotations

import enum
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, TypedDict

import pytest

from antiphon.envs.tools import ArgumentError, read_docstring, read_tools, tool_of
from antiphon.errors import DomainError


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Guest(TypedDict):
    name: str
    age: int


@dataclass
class Room:
    number: int
    view: str | None = None


def book(
    db: dict[str, Any],
    phone: str,
    nights: int,
    kind: Literal["single", "double"],
    colour: Colour | None = None,
    guests: list[Guest] | None = None,
    room: Room | None = None,
    price: float = 9.5,
) -> dict[str, Any]:
    """Book a room.

    It is booked at once.

    Args:
        phone: digits
            only
        nights (int): how many

    Returns:
        not: a parameter
    """
    return {"db": db, "given": (phone, nights, kind, colour, guests, room, price)}


def test_the_schema_comes_from_signature_annotations_and_docstring():
    spec = tool_of(book).spec
    assert (spec.name, spec.description) == ("book", "Book a room. It is booked at once.")
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "phone": {"type": "string", "description": "digits only"},
            "nights": {"type": "integer", "description": "how many"},
            "kind": {"enum": ["double", "single"], "type": "string"},
            "colour": {"anyOf": [{"enum": ["blue", "red"], "type": "string"}, {"type": "null"}]},
            "guests": {
                "anyOf": [
                    {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                            "required": ["age", "name"],
                        },
                    },
                    {"type": "null"},
                ]
            },
            "room": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "number": {"type": "integer"},
                            "view": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                        },
                        "required": ["number"],
                    },
                    {"type": "null"},
                ]
            },
            "price": {"type": "number", "default": 9.5},
        },
        "required": ["phone", "nights", "kind"],
        "additionalProperties": False,
    }


def test_arguments_arrive_in_the_types_that_the_function_names():
    bound = tool_of(book).bind(
        {"phone": "1", "nights": 2, "kind": "single", "colour": "red", "guests": [{"name": "A", "age": 3}], "room": {"number": 7}}
    )  # fmt: skip
    assert bound == {
        "phone": "1", "nights": 2, "kind": "single", "colour": Colour.RED,
        "guests": [{"name": "A", "age": 3}], "room": Room(7),
    }  # fmt: skip


GOOD: dict[str, Any] = {"phone": "1", "nights": 2, "kind": "single"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"phone": 1}, "phone: Expected `str`, got `int`"),
        ({"nights": "2"}, "nights: Expected `int`, got `str`"),
        ({"nights": True}, "nights: Expected `int`, got `bool`"),
        ({"kind": "suite"}, "kind: 'suite' is not among the choices: double, single"),
        ({"colour": "green"}, "colour: 'green' is not among the choices: blue, red"),
        ({"guests": [{"name": "A", "age": "3"}]}, "guests[0].age: Expected `int`, got `str`"),
        ({"wifi": True}, "the call takes no wifi"),
    ],
)
def test_what_does_not_fit_is_told_with_its_parameter_and_the_choices(change: dict[str, Any], told: str):
    with pytest.raises(ArgumentError) as caught:
        tool_of(book).bind(GOOD | change)
    assert str(caught.value) == told


def test_a_missing_argument_is_named():
    with pytest.raises(ArgumentError, match=r"^the call lacks nights$"):
        tool_of(book).bind({"phone": "1", "kind": "single"})


def _no_db(member: str) -> None:
    """Has none."""


def _no_annotation(db: Any, member) -> None:
    """Has none."""


def _silent(db: Any, member: str) -> None:
    pass


def _star(db: Any, *members: str) -> None:
    """Has many."""


def _strange(db: Any, made: object | ModuleType) -> None:
    """Takes what JSON has not."""


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_no_db, "its first parameter is not db"),
        (_no_annotation, "member has no annotation"),
        (_silent, "no docstring"),
        (_star, "members is no single named parameter"),
        (_strange, "no JSON schema|not supported"),
    ],
)
def test_a_function_without_a_derivable_interface_is_named(function: Any, problem: str):
    with pytest.raises(DomainError, match=problem):
        tool_of(function)


def test_public_functions_of_a_module_are_tools_and_flags_come_from_outside():
    module = ModuleType("made")
    source = 'def one(db, n: int):\n    """One."""\n\ndef _two(db): ...\n\nfrom json import dumps\nX = 3\n'
    exec(source, module.__dict__)
    tools = read_tools(module, {"one": {"slow": True}})
    assert [(tool.name, tool.spec.slow, tool.spec.blocks_answer) for tool in tools.values()] == [
        ("one", True, True)
    ]
    with pytest.raises(
        DomainError, match=r"absent: domain\.toml says how it behaves, but there is no such tool"
    ):
        read_tools(module, {"absent": {"slow": True}})


def test_a_chinese_docstring_is_read_like_any():
    assert read_docstring("查询航班。\n\n参数：\n    day：日期\n\n返回：\n    x: y") == (
        "查询航班。",
        {"day": "日期"},
    )
