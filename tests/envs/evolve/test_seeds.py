from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.evolve.seeds import Seed, read_seeds
from antiphon.errors import ConfigError, DataError

TOOL = {"name": "find", "description": "Finds.", "inputSchema": {"type": "object", "$schema": "x"}}
PLAIN = {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}


def seeds(folder: Path, content: Any, *names: str) -> list[Seed]:
    path = folder / "desk.json"
    path.write_text(json.dumps(content), "utf-8")
    return read_seeds(path, names)


def test_every_form_of_definition_is_read(tmp_path: Path):
    assert seeds(tmp_path, [TOOL]) == [Seed("desk", "", (PLAIN,))]
    assert seeds(tmp_path, {"name": "S", "description": "D", "tools": [TOOL]}) == [Seed("S", "D", (PLAIN,))]
    live = [{"description": "D", "tools": {"a": {"tools": [TOOL]}, "b": {"tools": [TOOL]}}}]
    assert [each.name for each in seeds(tmp_path, live)] == ["a", "b"]
    toucan = {
        "labels": {"analysis": "A"},
        "metadata": {"server_name": "T", "remote_server_response": {"tools": [{"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}]}},
    }  # fmt: skip
    assert seeds(tmp_path, toucan) == [Seed("T", "A", (PLAIN,))]


def test_a_server_can_be_chosen(tmp_path: Path):
    both = {"tools": {"a": {"tools": [TOOL]}, "b": {"tools": [TOOL]}}}
    assert [each.name for each in seeds(tmp_path, both, "b")] == ["b"]
    with pytest.raises(ConfigError, match="no server 'c'; there are: a, b"):
        seeds(tmp_path, both, "c")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"name": "S"}, "lists no tools"),
        ({"tools": [{"title": "x"}]}, "a tool has no name"),
        ([3], "a server is an object"),
    ],
)
def test_what_is_no_definition_is_refused(content: Any, words: str, tmp_path: Path):
    with pytest.raises(DataError, match=words):
        seeds(tmp_path, content)


def test_two_servers_of_one_name_are_told_apart(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": "S", "tools": [TOOL]}), "utf-8")
    assert [each.name for each in read_seeds(tmp_path)] == ["S", "S (b)"]


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no MCP server"):
        read_seeds(tmp_path)


def test_names_become_folders_that_lead_nowhere_else():
    assert [Seed(name, "", ()).folder for name in ("@a/../b c", "必应", "Exa Search")] == ["a_b_c", "domain", "exa_search"]  # fmt: skip


def test_the_text_shows_each_tool_on_a_line():
    assert Seed("S", "D", (PLAIN,)).text() == (
        'Server: S\nAbout: D\nTools, one JSON object a line:\n{"name":"find","description":"Finds.","parameters":{"type":"object"}}'
    )


def test_the_real_definitions_are_read(data: Path):
    live = read_seeds(data / "mcp-seeds" / "LiveMCPBench_tools.json")
    toucan = read_seeds(data / "mcp-seeds" / "toucan60")
    assert len(live) >= 60
    assert len(toucan) == 60
    assert all(seed.tools for seed in [*live, *toucan])
