"""The tools.py of an imported domain: interfaces written out, each body one call of the user's own installation."""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antiphon.envs.changes import Json
    from antiphon.errors import UnavailableError

_PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "float": "float",
    "boolean": "bool",
    "null": "None",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool, as it is written: its annotation is Python."""

    name: str
    annotation: str
    said: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class Function:
    """One tool to be written: `call` is the Python expression that its body returns."""

    name: str
    said: str
    parameters: tuple[Parameter, ...]
    call: str


def annotation(schema: Mapping[str, Any]) -> str:
    """A JSON schema as a Python annotation: what a model reads of the one, it reads of the other."""
    if "enum" in schema:
        return f"Literal[{', '.join(repr(each) for each in schema['enum'])}]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(annotation(part) for part in schema["anyOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return " | ".join(dict.fromkeys(annotation({**schema, "type": each}) for each in kinds))
    if kind == "array":
        items = cast("Json", schema.get("items") or {})
        return f"list[{annotation(items)}]"
    if kind == "object":
        return "dict[str, Any]"
    return _PLAIN.get(str(kind), "Any")


def parameters_of(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The parameters of a JSON schema, the required ones first."""
    needed = set(schema.get("required", ()))
    found: list[Parameter] = []
    for name, part in cast("Json", schema.get("properties", {})).items():
        found.append(Parameter(name, annotation(part), str(part.get("description", "")), name in needed))
    return tuple(sorted(found, key=lambda each: not each.required))


def module_source(opening: str, imports: Iterable[str], functions: Iterable[Function]) -> str:
    """The text of a tools.py. Words of a corpus stand in `repr`, in a docstring without quotes, or are checked names.

    Raises DomainError for a name that Python has not.
    """
    head = [f'"""{_quoted(opening)}"""', "", "from __future__ import annotations", ""]
    head += ["from typing import Any, Literal", "", *imports]
    return "\n".join(head) + "\n" + "".join(f"\n\n{_function(each)}" for each in functions)


def no_tools(error: UnavailableError) -> str:
    """The tools.py of a domain whose tools cannot be had here: it says what brings them."""
    return (
        '"""The tools of this domain could not be had when it was imported."""\n\n'
        "from antiphon.envs.importers.foreign import unavailable\n\n"
        f"unavailable({error.what!r}, {error.remedy!r})\n"
    )


def _function(tool: Function) -> str:
    for name in (tool.name, *(each.name for each in tool.parameters)):
        if not name.isidentifier() or keyword.iskeyword(name):
            raise DomainError(f"{tool.name}: {name!r} is no name in Python")
    lines = [f"def {tool.name}(", "    db: dict[str, Any],"]
    for each in tool.parameters:
        optional = "" if each.required else " | None = None"
        lines.append(f"    {each.name}: {each.annotation}{optional},")
    lines += [") -> Any:", f'    """{_quoted(tool.said) or tool.name}']
    if any(each.said for each in tool.parameters):
        lines += ["", "    Args:"]
        lines += [f"        {each.name}: {_quoted(each.said)}" for each in tool.parameters if each.said]
        lines.append('    """')
    else:
        lines[-1] += '"""'
    return "\n".join([*lines, f"    return {tool.call}", ""])


def _quoted(text: str) -> str:
    """Words in one line that cannot end a docstring."""
    return " ".join(text.replace("\\", "\\\\").replace('"', "'").split())
