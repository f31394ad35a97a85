from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import antiphon


def test_definitions_become_a_file_of_seeds(tmp_path: Path):
    tools = [
        {"name": "lend", "inputSchema": {"type": "object"}},
        {"name": "no", "inputSchema": {"type": "array"}},
    ]
    (tmp_path / "desk.json").write_text(json.dumps({"tools": tools}))
    done = antiphon("envs", "import", "mcp", "--data", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            f"left out: {tmp_path / 'desk.json'} desk no: its input schema is not of an object",
            f"{tmp_path / 'out' / 'seeds.json'}: seeds 1, tools 1",
        ],
    )
    again = antiphon(
        "envs",
        "import",
        "mcp",
        "--data",
        str(tmp_path / "desk.json"),
        "--out",
        str(tmp_path / "two"),
        "--json",
    )
    assert (again.json["seeds"], again.json["tools"], len(again.json["problems"])) == (1, 1, 1)


def test_a_corpus_without_its_tools_is_written_and_says_so(tmp_path: Path):
    folder = tmp_path / "data" / "telecom"
    folder.mkdir(parents=True)
    for name in ("main_policy.md", "tech_support_manual.md"):
        (folder / name).write_text("The current time is 2025-02-25 12:08:00 EST.")
    for name in ("db.toml", "user_db.toml"):
        (folder / name).write_text("[device]\non = true\n")
    told = {"reason_for_call": "No data.", "task_instructions": "Be brief."}
    task = {
        "id": "1",
        "user_scenario": {"instructions": told},
        "evaluation_criteria": {"reward_basis": ["ENV_ASSERTION"]},
    }
    (folder / "tasks.json").write_text(json.dumps([task]))
    done = antiphon(
        "envs", "import", "tau2", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")
    )
    first, second, last = done.out.splitlines()
    assert (done.code, first) == (0, "tau2_telecom: tasks 1 (unlabelled 1)")
    assert second.startswith("  replay unavailable: telecom's tools are classes of tau2 itself")
    assert last == f"  next: antiphon envs check {tmp_path / 'out' / 'tau2_telecom'}"
    checked = antiphon("envs", "check", str(tmp_path / "out" / "tau2_telecom"))
    assert (checked.code, checked.out.splitlines()[-1]) == (1, "tau2_telecom: tasks 1, defects 1")


def test_what_is_missing_is_said_in_one_line(tmp_path: Path):
    out = ("--out", str(tmp_path / "out"))
    assert "say where tau2 lies, with --data" in antiphon("envs", "import", "tau2", *out).complaint
    assert (
        "either files (--data) or a live server (--server)"
        in antiphon("envs", "import", "mcp", *out).complaint
    )
    assert antiphon("envs", "import", "bank", *out).code == 2
