"""Tools as Python methods: for libraries that read a tool's interface from a function's signature and docstring."""

from __future__ import annotations

import inspect
import keyword
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antiphon.messages import ToolSpec

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def method_of(spec: ToolSpec, run: Callable[[Any, str, dict[str, Any]], Any]) -> Callable[..., Any]:
    """A method with the interface of a tool. `run(self, tool, arguments)` gets what was given, and nothing else.

    Raises ConfigError for a tool or parameter whose name no method can have.
    """
    for name in (spec.name, *spec.parameters["properties"]):
        if not name.isidentifier() or keyword.iskeyword(name) or name == "self":
            raise ConfigError(f"{spec.name}: {name!r} cannot be the name of a method or parameter in Python")

    def method(self: Any, **arguments: Any) -> Any:
        return run(self, spec.name, arguments)

    parameters = _parameters(spec)
    method.__name__ = method.__qualname__ = spec.name
    method.__doc__ = docstring(spec)
    method.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": str}
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([own, *parameters], return_annotation=str)
    method.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]  read by inspect.signature
    return method


def docstring(spec: ToolSpec) -> str:
    """Description and parameters in the style that transformers reads; a parameter without words has its name."""
    lines = [spec.description]
    properties: Mapping[str, Any] = spec.parameters["properties"]
    if properties:
        lines += ["", "Args:"]
        lines += [
            f"    {name}: {_one_line(part.get('description') or name)}" for name, part in properties.items()
        ]
    return "\n".join(lines)


def refuse_names(taken: Sequence[str], specs: Sequence[ToolSpec], who: str) -> None:
    """Raise ConfigError where a domain's tool has a name that a bridge needs for itself."""
    for spec in specs:
        if spec.name in taken:
            raise ConfigError(f"{who} needs the name {spec.name!r} for itself; rename the domain's tool")


def _parameters(spec: ToolSpec) -> list[inspect.Parameter]:
    required = spec.parameters["required"]
    found: list[inspect.Parameter] = []
    for name, part in spec.parameters["properties"].items():
        kind, default = type_of(part), inspect.Parameter.empty
        if name not in required:
            default = part.get("default")
            if default is None:
                kind = Optional[kind]  # noqa: UP045  a type made here, not an annotation
        found.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        )
    return found


def type_of(schema: Mapping[str, Any]) -> Any:
    """The Python type that a JSON schema of a parameter says: scalars, choices, lists, unions; objects are dict."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return Union[tuple(map(type_of, schema["anyOf"]))]  # noqa: UP007  a type made here, not an annotation
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        return Union[tuple(_TYPES[each] for each in kind)]  # noqa: UP007  as above
    if kind == "array" and "items" in schema:
        return list[type_of(schema["items"])]
    return _TYPES[kind]


def _one_line(text: str) -> str:
    return " ".join(text.split())
