"""Tools: plain functions `f(db, …)` with the interface that a model sees, derived from their signatures.

The JSON schema comes from annotations (`Literal`, enums, Optional, lists, TypedDict, dataclasses) and the
docstring; the same types check the arguments of a call, so what is advertised is what is accepted.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from antiphon.errors import DomainError
from antiphon.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType, ModuleType

    from antiphon.envs.changes import Json

_SECTION = re.compile(
    r"^\s*(args|arguments|parameters|returns?|raises|yields|examples?|参数|返回|异常)\s*[:：]\s*$", re.I
)
_ARGUMENT = re.compile(r"^\s*(\w+)\s*(?:\([^)]*\))?\s*[:：]\s*(.+)$")
_AT = re.compile(r" - at `\$\.?(.*?)`$")
_FIELD = re.compile(r"Object (missing|contains unknown)(?: required)? field `(\w+)`")
_ENUM = re.compile(r"Invalid enum value (.+)$")


class ArgumentError(ValueError):
    """The arguments of a call do not fit the tool; the message is for the model."""


class CallError(Exception):
    """Raised by a tool from elsewhere that tells a failure by raising: what it wrote is undone, the model reads why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a domain. `function(db, **arguments)` returns JSON; `bind` checks and converts arguments.

    Who builds tools from elsewhere (an importer, a sandbox) gives its own function and `bind`.
    """

    spec: ToolSpec
    function: Callable[..., Any]
    bind: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    @property
    def name(self) -> str:
        return self.spec.name


def read_tools(module: ModuleType, behaviour: Mapping[str, Any]) -> dict[str, Tool]:
    """The public functions of a module as tools, by name, in the order of the file.

    `behaviour` maps a tool to the flags of `ToolSpec`. Raises DomainError naming every function that is none.
    """
    found: dict[str, Tool] = {}
    problems: list[str] = []
    for name, function in vars(module).items():
        if (
            inspect.isfunction(function)
            and not name.startswith("_")
            and function.__module__ == module.__name__
        ):
            try:
                found[name] = tool_of(function, behaviour.get(name, {}))
            except DomainError as error:
                problems.append(str(error))
    for name in behaviour.keys() - vars(module).keys():
        problems.append(f"{name}: domain.toml says how it behaves, but there is no such tool")
    if problems:
        raise DomainError("; ".join(problems))
    return found


def tool_of(function: FunctionType, behaviour: Mapping[str, bool] | None = None) -> Tool:
    """A function as a tool. Raises DomainError for one that has no derivable interface."""
    name = function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].name != "db":
        raise DomainError(f"{name}: its first parameter is not db; helpers begin with an underscore")
    documented = inspect.getdoc(function) or ""
    description, arguments = read_docstring(documented)
    if not description:
        raise DomainError(f"{name}: no docstring; a model sees nothing else of it")
    struct = _struct(name, function, parameters[1:])
    schema = _schema(name, struct, parameters[1:], arguments)
    spec = ToolSpec(name, description, schema, **(behaviour or {}))
    return Tool(spec, function, binder(struct, schema))


def _struct(name: str, function: FunctionType, parameters: list[inspect.Parameter]) -> type[Any]:
    """The arguments as a msgspec type: it checks and converts, and knows its schema."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise DomainError(f"{name}: its annotations cannot be read ({error})") from None
    fields: list[Any] = []
    for each in parameters:
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            raise DomainError(f"{name}: {each.name} is no single named parameter")
        if each.name not in hints:
            raise DomainError(f"{name}: {each.name} has no annotation")
        hint = hints[each.name]
        if each.default is each.empty:
            fields.append((each.name, hint))
        else:
            fields.append((each.name, hint | msgspec.UnsetType, msgspec.UNSET))
    try:
        return msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)
    except (TypeError, ValueError) as error:
        raise DomainError(f"{name}: {error}") from None


def _schema(
    name: str, struct: type[Any], parameters: list[inspect.Parameter], said: Mapping[str, str]
) -> Json:
    try:
        (root,), components = msgspec.json.schema_components([struct])
        whole = _inlined(root, components, ())
    except (TypeError, RecursionError) as error:
        raise DomainError(f"{name}: no JSON schema for its parameters ({error})") from None
    properties: Json = whole.get("properties", {})
    for each in parameters:
        part = properties[each.name]
        part.pop("default", None)
        if each.name in said:
            part["description"] = said[each.name]
        if each.default is not each.empty and isinstance(each.default, str | int | float):
            part["default"] = each.default
    return {
        "type": "object", "properties": properties,
        "required": whole.get("required", []), "additionalProperties": False,
    }  # fmt: skip


def _inlined(schema: Any, components: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """The schema without references and titles: models read it better, and few accept `$ref`."""
    if isinstance(schema, list):
        return [_inlined(each, components, within) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = str(schema["$ref"]).rsplit("/", 1)[-1]
        if target in within:
            raise TypeError(f"{target} contains itself")
        return _inlined(components[target], components, (*within, target))
    plain = {
        key: {name: _inlined(part, components, within) for name, part in value.items()}
        if key == "properties"
        else _inlined(value, components, within)
        for key, value in schema.items()
        if key != "title"
    }
    if "type" not in plain and all(isinstance(each, str) for each in plain.get("enum", [0])):
        plain["type"] = "string"  # msgspec leaves it out, and some endpoints ask for it
    return plain


def binder(struct: type[Any], schema: Json) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """The check of a call's arguments against a msgspec type; raises ArgumentError."""
    names = [field.name for field in msgspec.structs.fields(struct)]

    def bind(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            given = msgspec.convert(arguments, struct)
        except msgspec.ValidationError as error:
            raise ArgumentError(_wording(str(error), schema)) from None
        values = ((name, getattr(given, name)) for name in names)
        return {name: value for name, value in values if value is not msgspec.UNSET}

    return bind


def _wording(problem: str, schema: Json) -> str:
    """A validation problem as `parameter: what is wrong`, with the choices where there are some."""
    at = _AT.search(problem)
    where = at[1] if at else ""
    text = problem[: at.start()] if at else problem
    text = _FIELD.sub(lambda found: f"{'lacks' if found[1] == 'missing' else 'takes no'} {found[2]}", text)
    if (wrong := _ENUM.match(text)) is not None:
        choices = _choices(schema["properties"].get(re.split(r"[.\[]", where)[0], {}))
        text = f"{wrong[1]} is not among the choices" + (
            f": {', '.join(map(str, choices))}" if choices else ""
        )
    return f"{where}: {text}" if where else f"the call {text}"


def _choices(schema: Json) -> list[Any]:
    return [*schema.get("enum", ()), *(each for part in schema.get("anyOf", ()) for each in _choices(part))]


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """A docstring's description, and what its `Args:` section says of each parameter."""
    description: list[str] = []
    arguments: dict[str, str] = {}
    section, name = "", ""
    for line in text.splitlines():
        if (head := _SECTION.match(line)) is not None:
            section, name = head[1].lower(), ""
        elif not section:
            description.append(line.strip())
        elif section in ("args", "arguments", "parameters", "参数"):
            if (found := _ARGUMENT.match(line)) is not None:
                name = found[1]
                arguments[name] = found[2].strip()
            elif name and line.strip():
                arguments[name] += f" {line.strip()}"
    return " ".join(" ".join(description).split()), arguments
