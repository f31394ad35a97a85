"""MCP servers' tool definitions as seeds of new domains: from kept files, or from a live server.

A seed is what a server says of itself: names, descriptions, schemas. It is no domain: it has no database and no rules,
and nothing of it runs. A code agent makes domains of it (section 4.1: "seeded from a large corpus of open-source tool
and MCP server definitions").
"""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

import jsonschema
from jsonschema.validators import validator_for

from antiphon.envs.task import read_json
from antiphon.errors import ConfigError, DataError, ModelError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from antiphon.envs.changes import Json

REMEDY = "pip install 'antiphon[mcp]'"
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server's definitions. Tools are `{"name", "description", "inputSchema"}`, as MCP writes them; a description
    may be empty. `topics` are the corpus's own labels, `source` is the file or address that it came from."""

    name: str
    description: str
    tools: tuple[Json, ...]
    topics: tuple[str, ...] = ()
    source: str = ""


def read_seeds(data: Path) -> tuple[list[McpServer], list[DataError]]:
    """The seeds in a JSON file, or in every one below a folder, and every tool or file that is none.

    Read are LiveMCPBench's list of servers, Toucan's files (one server each), and plain answers to `tools/list`.
    Raises ConfigError where there is no such file or folder.
    """
    if not data.exists():
        raise ConfigError(
            f"no file or folder {data}; give MCP tool definitions: a JSON file, or a folder of them"
        )
    seeds: list[McpServer] = []
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
        for name, description, topics, defined in servers:
            found = [_tool(each, path, name) for each in defined]
            problems += [each for each in found if isinstance(each, DataError)]
            tools = _once(each for each in found if not isinstance(each, DataError))
            if tools:
                seeds.append(McpServer(name, description, tools, topics, path.name))
            else:
                problems.append(DataError(path, "has no tool that can be used", field=name))
    return seeds, problems


_Defined = tuple[str, str, tuple[str, ...], list[Any]]


def _servers(content: Any, stem: str) -> Iterator[_Defined]:
    """Name, description, topics and definitions of each server in a file."""
    if isinstance(content, list):
        entries = cast("list[Json]", content)
        if all("tools" not in each for each in entries):  # the tools themselves
            entries = [{"tools": entries}]
        for entry in entries:
            yield from _of_entry(entry, stem)
    elif "metadata" in content:  # Toucan
        about, labels = content["metadata"], content.get("labels") or {}
        tools = (about.get("remote_server_response") or {}).get("tools") or []
        topics = _topics(labels.get("primary_label"), *(labels.get("secondary_labels") or ()))
        yield about["server_name"], str(labels.get("analysis") or ""), topics, tools
    else:  # an answer to tools/list, with or without its JSON-RPC envelope
        yield from _of_entry(content.get("result", content), stem)


def _of_entry(entry: Json, stem: str) -> Iterator[_Defined]:
    """One server; LiveMCPBench lists its tools by the name that they are served under."""
    name, about = str(entry.get("name") or stem), str(entry.get("description") or "")
    topics = tuple(entry.get("topics") or _topics(entry.get("category")))
    served = entry["tools"]
    for tools in [each["tools"] for each in served.values()] if isinstance(served, dict) else [served]:
        yield name, about, topics, tools


def _topics(*labels: object) -> tuple[str, ...]:
    return tuple(str(each) for each in labels if each)


def _tool(entry: Any, path: Path, server: str) -> Json | DataError:
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
    return _defined(tool["name"], tool.get("description"), schema)


def _defined(name: Any, description: Any, schema: Any) -> Json:
    return {"name": str(name), "description": str(description or "").strip(), "inputSchema": schema}


def _once(tools: Iterable[Json]) -> tuple[Json, ...]:
    """Tools by name, the first of a name."""
    found: dict[str, Json] = {}
    for tool in tools:
        found.setdefault(tool["name"], tool)
    return tuple(found.values())


async def live_seed(server: str) -> McpServer:
    """The tools of a running server: its address (http…), or the command that starts it and talks over its pipes.

    Raises UnavailableError without the official SDK, ModelError where the server cannot be reached or has no tools.
    """
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        raise UnavailableError("the MCP SDK is missing", REMEDY) from None
    command = _words(server)
    remote = server.startswith(("http://", "https://"))
    # Its key, if it has one, stays out of files and messages.
    shown = server.partition("?")[0] if remote else command[0]
    place = server if remote else StdioServerParameters(command=command[0], args=command[1:])
    try:
        async with Client(place, read_timeout_seconds=TIMEOUT_S) as client:
            name = client.server_info.name if client.server_info is not None else shown
            told = client.instructions or ""
            tools: list[Json] = []
            cursor, seen = None, set[str]()
            while True:
                page = await client.list_tools(cursor=cursor)
                tools += [_defined(each.name, each.description, each.input_schema) for each in page.tools]
                cursor = page.next_cursor
                if cursor is None or cursor in seen:
                    break
                seen.add(cursor)
    except Exception as error:  # the SDK raises whatever its transports raise, often in groups
        raise ModelError(f"mcp server {shown}", _reason(error)) from error
    if not tools:
        raise ModelError(f"mcp server {shown}", "offers no tools")
    return McpServer(name, told, _once(tools), (), shown)


def _words(server: str) -> list[str]:
    try:
        words = shlex.split(server)
    except ValueError as error:
        raise ConfigError(f"--server {server!r} is no command ({error})") from None
    if not words:
        raise ConfigError("an empty --server; give an address (http…) or a command")
    return words


def _reason(error: BaseException) -> str:
    """The first thing that went wrong, inside whatever groups it came in."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{type(error).__name__}: {error}".strip(": ")


def write_seeds(seeds: list[McpServer], out: Path) -> Path:
    """Keep seeds as `out/seeds.json`, a list of servers. Raises ConfigError where there are none, or it exists."""
    path = out / "seeds.json"
    if not seeds:
        raise ConfigError("no seed can be made of these definitions")
    if path.exists():
        raise ConfigError(f"{path} exists; remove it, or name another --out")
    out.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(
        json.dumps([asdict(each) for each in seeds], ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    partial.replace(path)
    return path
