"""MCP servers' tool definitions as seeds of new domains: from kept files, or from a live server.

A seed is what a server says of itself: names, descriptions, schemas. It is no domain: it has no database and no rules,
and nothing of it runs. Evolution makes domains of it (section 4.1: "seeded from a large corpus of open-source tool and
MCP server definitions").
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import jsonschema
from jsonschema.validators import validator_for

from antiphon.envs.task import read_json
from antiphon.errors import ConfigError, DataError, ModelError, UnavailableError
from antiphon.jsonl import dumps, to_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antiphon.envs.changes import Json

REMEDY = "pip install 'antiphon[mcp]'"
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class SeedTool:
    """A tool as a server defines it; `parameters` is a JSON schema. A description may be missing."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seed:
    """One server's tools. `topics` are the corpus's own labels, `source` is the file or address that it came from."""

    KIND: ClassVar[str] = "seed"
    V: ClassVar[int] = 1
    name: str
    description: str
    tools: tuple[SeedTool, ...]
    topics: tuple[str, ...] = ()
    source: str = ""


def read_seeds(data: Path) -> tuple[list[Seed], list[DataError]]:
    """The seeds in a JSON file, or in every one below a folder, and every tool or file that is none.

    Read are LiveMCPBench's list of servers, Toucan's files (one server each), and plain answers to `tools/list`.
    Raises ConfigError where there is no such file or folder.
    """
    if not data.exists():
        raise ConfigError(f"no file or folder {data}; --data names MCP tool definitions")
    seeds: list[Seed] = []
    problems: list[DataError] = []
    for path in sorted(data.rglob("*.json")) if data.is_dir() else [data]:
        try:
            servers = list(_servers(read_json(path), path.stem))
        except DataError as error:
            problems.append(error)
            continue
        except (KeyError, TypeError, AttributeError) as error:
            problems.append(DataError(path, f"holds no tool definitions ({type(error).__name__}: {error})"))
            continue
        for name, description, topics, tools in servers:
            found = [_tool(each, path, name) for each in tools]
            problems += [each for each in found if isinstance(each, DataError)]
            specs = _once(each for each in found if isinstance(each, SeedTool))
            if specs:
                seeds.append(Seed(name, description, specs, topics, path.name))
            else:
                problems.append(DataError(path, "has no tool that can be used", field=name))
    return seeds, problems


Server = tuple[str, str, tuple[str, ...], list[Any]]


def _servers(content: Any, stem: str) -> Iterator[Server]:
    """Name, description, topics and tools of each server in a file."""
    if isinstance(content, list):  # LiveMCPBench
        for entry in cast("list[Json]", content):
            for each in cast("Json", entry["tools"]).values():
                yield (
                    entry["name"],
                    str(entry.get("description") or ""),
                    _topics(entry.get("category")),
                    each["tools"],
                )
    elif "metadata" in content:  # Toucan
        about, labels = content["metadata"], content.get("labels") or {}
        tools = (about.get("remote_server_response") or {}).get("tools") or []
        topics = _topics(labels.get("primary_label"), *(labels.get("secondary_labels") or ()))
        yield about["server_name"], str(labels.get("analysis") or ""), topics, tools
    else:  # an answer to tools/list, with or without its JSON-RPC envelope
        answer = content.get("result", content)
        yield str(answer.get("name") or stem), str(answer.get("description") or ""), (), answer["tools"]


def _topics(*labels: object) -> tuple[str, ...]:
    return tuple(str(each) for each in labels if each)


def _tool(entry: Any, path: Path, server: str) -> SeedTool | DataError:
    """One definition, or what is wrong with it. Who makes a domain of it writes a missing description."""
    if not isinstance(entry, dict) or not str(cast("Json", entry).get("name") or "").strip():
        return DataError(path, "a tool without a name", field=server)
    tool = cast("Json", entry)
    where = f"{server} {tool['name']}"
    schema = tool.get("inputSchema") or tool.get("input_schema") or {"type": "object", "properties": {}}
    if not isinstance(schema, dict) or cast("Json", schema).get("type") != "object":
        return DataError(path, "its input schema is not of an object", field=where)
    try:
        validator_for(schema, jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        return DataError(path, f"its input schema is none: {error.message[:200]}", field=where)
    return SeedTool(str(tool["name"]), str(tool.get("description") or "").strip(), cast("Json", schema))


def _once(tools: Iterator[SeedTool]) -> tuple[SeedTool, ...]:
    """Tools by name, the first of a name."""
    found: dict[str, SeedTool] = {}
    for tool in tools:
        found.setdefault(tool.name, tool)
    return tuple(found.values())


async def live_seed(server: str) -> Seed:
    """The tools of a running server: its address (http…), or the command that starts it and talks over its pipes.

    Raises UnavailableError without the official SDK, ModelError where the server cannot be reached or has no tools.
    """
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        raise UnavailableError("the MCP SDK is missing", REMEDY) from None
    command = shlex.split(server)
    if not command:
        raise ConfigError("an empty --server; give an address (http…) or a command")
    place = (
        server
        if server.startswith(("http://", "https://"))
        else StdioServerParameters(command=command[0], args=command[1:])
    )
    try:
        async with Client(place, read_timeout_seconds=TIMEOUT_S) as client:
            about = client.server_info
            name = about.name if about is not None else command[0]
            told = client.instructions or ""
            tools: list[SeedTool] = []
            cursor: str | None = None
            while True:
                page = await client.list_tools(cursor=cursor)
                tools += [
                    SeedTool(each.name, each.description or "", each.input_schema) for each in page.tools
                ]
                cursor = page.next_cursor
                if cursor is None:
                    break
    except Exception as error:  # the SDK raises whatever its transports raise, often in groups
        raise ModelError(f"mcp server {server!r}", _reason(error)) from error
    if not tools:
        raise ModelError(f"mcp server {server!r}", "offers no tools")
    return Seed(name, told, tuple(tools), (), server)


def _reason(error: BaseException) -> str:
    """The first thing that went wrong, inside whatever groups it came in."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{type(error).__name__}: {error}".strip(": ")


def write_seeds(seeds: list[Seed], out: Path) -> Path:
    """Keep seeds as `out/seeds.jsonl`. Raises ConfigError where there are none, or the file exists."""
    path = out / "seeds.jsonl"
    if not seeds:
        raise ConfigError("no seed can be made of these definitions")
    if path.exists():
        raise ConfigError(f"{path} exists; remove it, or name another --out")
    out.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text("".join(f"{dumps(to_row(each))}\n" for each in seeds), "utf-8")
    partial.replace(path)
    return path
