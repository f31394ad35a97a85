"""`Seed`: MCP tool definitions from which a code agent makes a domain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.task import read_json
from antiphon.errors import ConfigError, DataError, unknown
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class Seed:
    """A server with its tools, each `{"name", "description", "parameters"}`."""

    name: str
    description: str
    tools: tuple[Json, ...]

    @property
    def folder(self) -> str:
        """Its name as a folder can have it."""
        plain = "".join(each if each in _LETTERS else "_" for each in self.name.casefold())
        return "_".join(part for part in plain.split("_") if part) or "domain"

    def text(self) -> str:
        """What the code agent is shown."""
        lines = [f"Server: {self.name}", f"About: {self.description}", "Tools, one JSON object a line:"]
        return "\n".join([*lines, *(dumps(tool) for tool in self.tools)])


def read_seeds(path: Path, names: Sequence[str] = ()) -> list[Seed]:
    """The servers in a file or in the .json files of a folder; only those of `names`, if there are any.

    Read are lists of tools (`tools/list` of MCP), Toucan's server files, and LiveMCPBench's list. Raises DataError for
    a file that is none of them, ConfigError for a name that no server has, and when there is no server.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found: dict[str, Seed] = {}
    for file in files:
        for seed in _seeds(file):
            name = seed.name if seed.name not in found else f"{seed.name} ({file.stem})"
            found[name] = replace(seed, name=name)
    if not found:
        raise ConfigError(f"{path} holds no MCP server; give a .json file, or a folder of them")
    for name in names:
        if name not in found:
            raise unknown("server", name, found)
    return [seed for name, seed in found.items() if not names or name in names]


def _seeds(file: Path) -> Iterator[Seed]:
    content = read_json(file)
    entries: list[Any] = cast("list[Any]", content) if isinstance(content, list) else [content]
    if entries and all(isinstance(each, dict) and "inputSchema" in each for each in entries):
        entries = [{"tools": entries}]
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise DataError(file, "a server is an object", field=f"[{at}]")
        yield from _of_entry(cast("Json", entry), file, f"[{at}]")


def _of_entry(entry: Json, file: Path, field: str) -> Iterator[Seed]:
    metadata = cast("Json", entry.get("metadata") or {})
    if isinstance(answer := metadata.get("remote_server_response"), dict):  # Toucan
        about = str(cast("Json", entry.get("labels") or {}).get("analysis") or "")
        name = str(metadata.get("server_name") or file.stem)
        yield Seed(name, about, _tools(cast("Json", answer).get("tools"), file, field))
    elif isinstance(entry.get("tools"), dict):  # LiveMCPBench: tools by server
        for name, server in cast("Json", entry["tools"]).items():
            yield Seed(name, str(entry.get("description") or ""), _tools(server.get("tools"), file, field))
    else:
        name = str(entry.get("name") or file.stem)
        yield Seed(name, str(entry.get("description") or ""), _tools(entry.get("tools"), file, field))


def _tools(found: Any, file: Path, field: str) -> tuple[Json, ...]:
    if not isinstance(found, list) or not found:
        raise DataError(
            file, "lists no tools; expected MCP definitions with name and inputSchema", field=field
        )
    tools: list[Json] = []
    for tool in cast("list[Any]", found):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise DataError(file, "a tool has no name", field=f"{field}.tools")
        schema = cast("Json", tool.get("inputSchema") or tool.get("input_schema") or {})
        plain = {key: value for key, value in schema.items() if key != "$schema"}
        tools.append(
            {"name": tool["name"], "description": str(tool.get("description") or ""), "parameters": plain}
        )
    return tuple(tools)
