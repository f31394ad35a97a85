from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from antiphon.envs.importers.source import (
    Function,
    Parameter,
    annotation,
    module_source,
    parameters_of,
)
from antiphon.envs.tools import Tool, read_tools
from antiphon.errors import DomainError


def tools_in(source: str) -> dict[str, Tool]:
    module = ModuleType("written")
    exec(compile(source, "tools.py", "exec"), vars(module))
    return read_tools(module, {})


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string"}, "str"),
        ({"type": "float"}, "float"),
        ({"type": "string", "enum": ["a", "b'c"]}, "Literal['a', \"b'c\"]"),
        ({"type": "array", "items": {"type": "integer"}}, "list[int]"),
        ({"type": "array"}, "list[Any]"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"anyOf": [{"type": "number"}, {"type": "number"}, {"type": "boolean"}]}, "float | bool"),
        ({"type": "object", "properties": {"a": {}}}, "dict[str, Any]"),
        ({}, "Any"),
    ],
)
def test_a_schema_becomes_an_annotation(schema: dict[str, Any], written: str):
    assert annotation(schema) == written


def test_a_written_tool_has_the_interface_that_it_was_written_from():
    schema = {
        "type": "object",
        "properties": {
            "weeks": {"type": "integer", "description": "how long"},
            "book": {"type": "string", "enum": ["A", "B"], "description": "which"},
        },
        "required": ["book"],
    }
    source = module_source(
        "Tools.", (), [Function("lend", "Lend a book.", parameters_of(schema), "[book, weeks]")]
    )
    tool = tools_in(source)["lend"]
    assert tool.spec.description == "Lend a book."
    assert tool.spec.parameters["required"] == ["book"]
    assert tool.spec.parameters["properties"]["book"] == {
        "enum": ["A", "B"],
        "type": "string",
        "description": "which",
    }
    assert tool.function({}, **tool.bind({"book": "A"})) == ["A", None]


def test_words_of_a_corpus_cannot_leave_their_docstring():
    evil = 'x"""\nraise SystemExit\n\\"""'
    source = module_source(evil, (), [Function("look", evil, (Parameter("a", "str", evil),), "a")])
    assert tools_in(source)["look"].function({}, a="safe") == "safe"


@pytest.mark.parametrize("name", ["max-results", "from", "a b"])
def test_a_name_that_python_has_not_is_refused(name: str):
    parameters = parameters_of({"properties": {name: {"type": "string"}}})
    for function in (Function("look", "Look.", parameters, "1"), Function(name, "Look.", (), "1")):
        with pytest.raises(DomainError, match="is no name in Python"):
            module_source("Tools.", (), [function])
