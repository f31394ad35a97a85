from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.importers.mcp import McpServer, live_seed, read_seeds, write_seeds
from antiphon.errors import ConfigError, ModelError

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"book": {"type": "string"}}}
LEND = {"name": "lend", "description": "Lend a book.", "inputSchema": SCHEMA}

SERVER = '''
from mcp.server import MCPServer

server = MCPServer("desk", instructions="A lending desk.")


@server.tool()
def lend(book: str) -> str:
    """Lend a book."""
    return book


server.run("stdio")
'''


def seeds_in(tmp_path: Path, content: Any) -> tuple[list[McpServer], list[str]]:
    (tmp_path / "file.json").write_text(json.dumps(content), "utf-8")
    seeds, problems = read_seeds(tmp_path)
    return seeds, [str(each).removeprefix(f"{tmp_path}/") for each in problems]


@pytest.mark.parametrize(
    ("content", "seed"),
    [
        (
            [{"name": "Desk", "description": "Books.", "category": "Loans", "tools": {"desk": {"tools": [LEND]}}}],
            McpServer("Desk", "Books.", (LEND,), ("Loans",), "file.json"),
        ),
        (
            {
                "labels": {"analysis": "Lends.", "primary_label": "Loans", "secondary_labels": ["Books"]},
                "metadata": {
                    "server_name": "Desk",
                    "remote_server_response": {"tools": [{"name": "lend", "description": "Lend a book.", "input_schema": SCHEMA}]},
                },
            },
            McpServer("Desk", "Lends.", (LEND,), ("Loans", "Books"), "file.json"),
        ),
        ({"result": {"tools": [LEND]}}, McpServer("file", "", (LEND,), (), "file.json")),
        ([LEND], McpServer("file", "", (LEND,), (), "file.json")),
        ({"tools": [LEND, LEND]}, McpServer("file", "", (LEND,), (), "file.json")),
    ],
)  # fmt: skip
def test_every_layout_of_definitions_gives_a_seed(tmp_path: Path, content: Any, seed: McpServer):
    assert seeds_in(tmp_path, content) == ([seed], [])


def test_what_cannot_be_used_is_named_and_the_rest_is_kept(tmp_path: Path):
    wrong = {"name": "land", "inputSchema": {"type": "object", "properties": {"at": {"type": "place"}}}}
    seeds, problems = seeds_in(
        tmp_path,
        {"tools": [LEND, {"description": "?"}, wrong, {"name": "no", "inputSchema": {"type": "array"}}]},
    )
    assert [each.tools for each in seeds] == [(LEND,)]
    assert [each.split(": ")[0] for each in problems] == [
        "file.json file",
        "file.json file land",
        "file.json file no",
    ]


def test_a_file_without_definitions_does_not_stop_the_others(tmp_path: Path):
    (tmp_path / "torn.json").write_text("{")
    (tmp_path / "words.json").write_text('{"words": []}')
    (tmp_path / "empty.json").write_text('{"tools": []}')
    seeds, problems = seeds_in(tmp_path, {"tools": [LEND]})
    assert [each.tools for each in seeds] == [(LEND,)]
    assert [each.split(": ", 1)[1] for each in problems] == [
        "has no tool that can be used",
        "not JSON: Expecting property name enclosed in double quotes",
        "holds no tool definitions (KeyError: 'tools')",
    ]
    with pytest.raises(ConfigError, match="no file or folder"):
        read_seeds(tmp_path / "nowhere")


def test_seeds_are_kept_as_they_are_read_and_never_written_over(tmp_path: Path):
    seed = McpServer("Desk", "Books.", (LEND,), ("Loans",), "seeds.json")
    path = write_seeds([seed], tmp_path / "out")
    assert read_seeds(path) == ([seed], [])
    with pytest.raises(ConfigError, match="exists"):
        write_seeds([seed], tmp_path / "out")
    with pytest.raises(ConfigError, match="no seed can be made"):
        write_seeds([], tmp_path / "other")


async def test_a_live_server_tells_its_tools(tmp_path: Path):
    pytest.importorskip("mcp")
    (tmp_path / "server.py").write_text(SERVER)
    command = f"{sys.executable} {tmp_path / 'server.py'}"
    seed = await live_seed(command)
    assert (seed.name, seed.description, seed.source) == ("desk", "A lending desk.", sys.executable)
    (tool,) = seed.tools
    assert (tool["name"], tool["description"], tool["inputSchema"]["required"]) == (
        "lend",
        "Lend a book.",
        ["book"],
    )


async def test_a_server_that_is_not_there_is_one_line(tmp_path: Path):
    pytest.importorskip("mcp")
    with pytest.raises(ModelError, match=r"mcp server no-such-command: FileNotFoundError"):
        await live_seed("no-such-command x")
    with pytest.raises(ModelError, match=r"^mcp server http://127.0.0.1:9/mcp: ConnectError"):
        await live_seed("http://127.0.0.1:9/mcp?key=secret")
    with pytest.raises(ConfigError, match="is no command"):
        await live_seed("desk 'x")
    with pytest.raises(ConfigError, match="an empty --server"):
        await live_seed(" ")


def test_1000_definitions_of_129_servers_are_seeds(data: Path):
    seeds, problems = read_seeds(data / "mcp-seeds")
    assert (len(seeds), sum(len(each.tools) for each in seeds), len(problems)) == (129, 1000, 2)
