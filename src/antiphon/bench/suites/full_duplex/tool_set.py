"""The twelve tools of version 3.0 as we offer them: the benchmark's names and arguments, our words and results.

Every call gets the same result at once; the published mock services are not copied, so what a model says of a
result differs from theirs, and what it calls does not.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCENE = (
    "You are a helpful voice assistant, and what you write is spoken. Keep it short. Everything here is a simulation: "
    "you may use every tool without asking for permission. When the person asks for something that a tool does, call "
    "it at once, without asking back, and answer from its result, never from memory."
)
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


@lru_cache(maxsize=1)
def known() -> dict[str, dict[str, Any]]:
    """Each tool by its name: description, arguments, which of them are required, and its result."""
    return json.loads((Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))


def tools(expected: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The specs of all tools and their results by name. A tool that only the data knows is offered by the names
    of its arguments there."""
    specs = [_spec(name, tool["what"], tool["arguments"], tool["required"]) for name, tool in known().items()]
    results: dict[str, Any] = {name: tool["result"] for name, tool in known().items()}
    for call in expected:
        name = str(call["function"])
        if name not in results:
            arguments = {
                key: {"type": _TYPES.get(type(value), "string")} for key, value in call["args"].items()
            }
            specs.append(_spec(name, name.replace("_", " "), arguments, list(arguments)))
            results[name] = {"status": "ok"}
    return specs, results


def _spec(name: str, what: str, arguments: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(arguments), "required": list(required)}
    return {"name": name, "description": what, "parameters": schema}
