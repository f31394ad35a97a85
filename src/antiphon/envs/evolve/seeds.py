"""Seeds as a code agent is given them: MCP servers by name, each with a folder of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.envs.importers.mcp import McpServer, read_seeds
from antiphon.errors import ConfigError, DataError, unknown
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from pathlib import Path

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def chosen(path: Path, names: Sequence[str] = ()) -> tuple[list[McpServer], list[DataError]]:
    """The servers in a file or folder, only those of `names` if there are any, and what is wrong with the others. Two
    of one name get numbers. Raises ConfigError where there is none, or none of that name."""
    found, problems = read_seeds(path)
    if not found:
        why = f": {problems[0]}" if problems else ""
        raise ConfigError(
            f"{path} holds no MCP server{why}; give answers to tools/list as JSON, or a folder of them"
        )
    numbered: dict[str, McpServer] = {}
    for seed in found:
        taken = {folder_of_seed(each) for each in numbered.values()}
        name, number = seed.name, 1
        while folder_of_seed(replace(seed, name=name)) in taken:
            number += 1
            name = f"{seed.name} {number}"
        numbered[name] = replace(seed, name=name)
    for name in names:
        if name not in numbered:
            raise unknown("server", name, numbered)
    return [seed for name, seed in numbered.items() if not names or name in names], problems


def folder_of_seed(seed: McpServer) -> str:
    """A server's name as a folder can have it."""
    plain = "".join(each if each in _LETTERS else "_" for each in seed.name.casefold())
    return "_".join(part for part in plain.split("_") if part) or "domain"


def told(seed: McpServer) -> str:
    """What the code agent is shown."""
    lines = [f"Server: {seed.name}", f"About: {seed.description}", "Tools, one JSON object a line:"]
    return "\n".join([*lines, *(dumps(tool) for tool in seed.tools)])
