from __future__ import annotations

import inspect
from typing import Any, Literal, Optional, Union

import pytest

from antiphon.envs.bridges.methods import method_of, refuse_names, type_of
from antiphon.envs.domain import open_domain
from antiphon.errors import ConfigError
from antiphon.messages import ToolSpec


def spec(name: str = "lend", **properties: Any) -> ToolSpec:
    required = [each for each, part in properties.items() if not part.pop("optional", False)]
    return ToolSpec(name, "Lend a book.", {"type": "object", "properties": properties, "required": required})


def test_a_tool_becomes_a_method_with_its_interface():
    tool = spec(
        book={"type": "string", "description": "id of\n the book"},
        weeks={"enum": [1, 2], "optional": True, "default": 1},
        note={"type": "string", "optional": True},
    )
    method = method_of(tool, lambda desk, name, arguments: (desk, name, arguments))
    assert method.__name__ == "lend"
    assert (
        method.__doc__ == "Lend a book.\n\nArgs:\n    book: id of the book\n    weeks: weeks\n    note: note"
    )
    given = inspect.signature(method).parameters
    assert [(name, each.default) for name, each in given.items()] == [
        ("self", inspect.Parameter.empty), ("book", inspect.Parameter.empty), ("weeks", 1), ("note", None),
    ]  # fmt: skip
    assert [each.annotation for each in given.values()][1:] == [str, Literal[1, 2], Optional[str]]  # noqa: UP045
    assert method("me", book="B1") == ("me", "lend", {"book": "B1"})
    assert method("me", unheard_of=1) == ("me", "lend", {"unheard_of": 1})


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "integer"}, int),
        ({"type": "array", "items": {"type": "string"}}, list[str]),
        ({"type": "array"}, list),
        ({"type": "object", "properties": {}}, dict),
        ({}, dict),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, Optional[float]),  # noqa: UP045
        ({"type": ["string", "integer"]}, Union[str, int]),  # noqa: UP007
    ],
)
def test_a_schema_has_its_python_type(schema: dict[str, Any], kind: Any):
    assert type_of(schema) == kind


@pytest.mark.parametrize("name", ["self", "class", "no-name"])
def test_a_name_that_python_cannot_have_is_refused(name: str):
    with pytest.raises(ConfigError, match=f"lend: '{name}' cannot be the name"):
        method_of(spec(**{name: {"type": "string"}}), print)


def test_a_name_that_the_bridge_needs_is_refused():
    with pytest.raises(
        ConfigError, match=r"^a bridge needs the name 'lend' for itself; rename the domain's tool$"
    ):
        refuse_names(("lend",), (spec(),), "a bridge")


def test_transformers_reads_of_our_own_tools_what_we_advertise():
    utils = pytest.importorskip("transformers.utils")
    for tool in open_domain("flight_search_desk").tools.values():
        kind = type("Desk", (), {tool.name: method_of(tool.spec, print)})
        read = utils.get_json_schema(getattr(kind(), tool.name))["function"]
        wanted = {
            name: {key: value for key, value in part.items() if key != "default"}  # it shows no defaults
            for name, part in tool.spec.parameters["properties"].items()
        }
        assert (read["name"], read["description"]) == (tool.name, tool.spec.description)
        assert read["parameters"]["properties"] == wanted
        assert read["parameters"].get("required", []) == tool.spec.parameters["required"]
