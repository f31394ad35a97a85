from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.evolve.seeds import chosen, folder_of_seed, told
from antiphon.envs.importers.mcp import McpServer
from antiphon.errors import ConfigError

TOOL: dict[str, Any] = {"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}


def servers(folder: Path, *names: str) -> Path:
    path = folder / "servers.json"
    path.write_text(json.dumps([{"name": name, "tools": [TOOL]} for name in names]), "utf-8")
    return path


def test_a_server_can_be_chosen(tmp_path: Path):
    path = servers(tmp_path, "a", "b")
    assert [each.name for each in chosen(path)[0]] == ["a", "b"]
    assert [each.name for each in chosen(path, ["b"])[0]] == ["b"]
    with pytest.raises(ConfigError, match="no server 'c'; there are: a, b"):
        chosen(path, ["c"])


def test_two_servers_never_share_a_folder(tmp_path: Path):
    found, _ = chosen(servers(tmp_path, "Exa", "exa!", "Exa"))
    assert [each.name for each in found] == ["Exa", "exa! 2", "Exa 3"]
    assert [folder_of_seed(each) for each in found] == ["exa", "exa_2", "exa_3"]


def test_names_become_folders_that_lead_nowhere_else():
    names = ("@a/../b c", "必应", "Exa Search")
    assert [folder_of_seed(McpServer(name, "", ())) for name in names] == ["a_b_c", "domain", "exa_search"]


def test_what_holds_no_server_is_said_to_hold_none(tmp_path: Path):
    (tmp_path / "x.json").write_text("3", "utf-8")
    with pytest.raises(ConfigError, match=r"holds no MCP server: .*x.json.*; give answers to tools/list"):
        chosen(tmp_path)


def test_the_text_shows_each_tool_on_a_line():
    assert told(McpServer("S", "D", (TOOL,))) == (
        'Server: S\nAbout: D\nTools, one JSON object a line:\n{"name":"find","description":"Finds.","inputSchema":{"type":"object"}}'
    )


def test_every_real_server_has_a_folder_of_its_own(data: Path):
    for place in ("LiveMCPBench_tools.json", "toucan60"):
        found, _ = chosen(data / "mcp-seeds" / place)
        assert len({folder_of_seed(each) for each in found}) == len(found) >= 59
