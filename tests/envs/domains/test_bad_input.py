"""Bad input to our own domains: a clear error each time, and nothing lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.cli.main import main
from antiphon.clock import VirtualClock
from antiphon.envs.check import check_folder
from antiphon.envs.domain import OWN, open_domain, own_domains
from antiphon.envs.episode import Episode
from antiphon.messages import ToolCall

DOMAINS = {name: open_domain(name) for name in own_domains()}
TOOLS = [
    (name, who, tool)
    for name, domain in DOMAINS.items()
    for who in ("assistant", "user")
    for tool in domain.side(who)
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def begin(name: str) -> Episode:
    return Episode(DOMAINS[name], DOMAINS[name].tasks[0], VirtualClock())


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(st.data())
def test_whatever_a_tool_is_called_with_it_answers_and_a_failure_changes_nothing(data: st.DataObject):
    name, who, tool = data.draw(st.sampled_from(TOOLS))
    properties: Any = DOMAINS[name].side(who)[tool].spec.parameters["properties"]
    names = st.sampled_from([*properties, "db", "nothing"])
    values = JSON | st.sampled_from(
        [choice for each in properties.values() for choice in each.get("enum", ["", -1])] or [0]
    )
    arguments = data.draw(st.dictionaries(names, values, max_size=5))
    episode = begin(name)
    before = episode.db
    result = episode.call(ToolCall("c", tool, arguments), "user" if who == "user" else "assistant")
    step = episode.steps[-1]
    assert step.defect is None
    assert step.call == {"id": "c", "name": tool, "arguments": arguments}
    if result.error is not None:
        assert result.value == {"error": result.error}
        assert "\n" not in result.error.strip()
        assert episode.db is before


@pytest.mark.parametrize("name", DOMAINS)
def test_an_unknown_tool_lists_those_there_are(name: str):
    result = begin(name).call(ToolCall("c", "launch", {}))
    assert result.error == f"no tool 'launch'; there are: {', '.join(sorted(DOMAINS[name].tools))}"


@pytest.mark.parametrize(("name", "who", "tool"), TOOLS)
def test_ten_megabytes_of_arguments_are_refused_and_not_kept(name: str, who: str, tool: str):
    episode = begin(name)
    before = episode.db
    side = "user" if who == "user" else "assistant"
    result = episode.call(ToolCall("c", tool, {"text": "x" * 10_000_000}), side)
    assert result.error == "10000011 bytes of arguments; a call takes at most 65536"
    assert episode.steps[-1].call == {"id": "c", "name": tool, "arguments": {"omitted_bytes": 10_000_011}}
    assert episode.db is before


def torn(content: bytes) -> bytes:
    return content[: len(content) // 2]


def no_text(content: bytes) -> bytes:
    return b"\xff\xfe\x00" + content


def another_type(_: bytes) -> bytes:
    return b'"words"'


def empty(_: bytes) -> bytes:
    return b""


SPOIL: dict[str, Callable[[bytes], bytes]] = {
    each.__name__: each for each in (torn, no_text, another_type, empty)
}
FILES = (
    "rules.md",
    "tools.py",
    "domain.toml",
    "schema.json",
    "dbs/*.json",
    "tasks/write.json",
    "tasks/refusal.json",
)
# Half of some rules is still rules, and words are; a string is Python, though no tool.
STILL_READ = {("rules.md", "torn"), ("rules.md", "another_type"), ("domain.toml", "empty")}


@pytest.mark.parametrize("how", SPOIL)
@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("name", DOMAINS)
def test_a_spoilt_file_is_named_in_one_line_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, pattern: str, how: str
):
    folder = tmp_path / name
    shutil.copytree(OWN / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = min(folder.glob(pattern))
    path.write_bytes(SPOIL[how](path.read_bytes()))
    with pytest.raises(SystemExit) as left:
        main(["envs", "check", str(folder)])
    *lines, summary = capsys.readouterr().out.splitlines()
    still_read = (pattern, how) in STILL_READ
    file = f"{name}/{path.relative_to(folder).as_posix()}"
    assert still_read or any(line.startswith(file) for line in lines), lines
    assert summary.endswith(f"defects {len(lines)}")
    assert left.value.code == (1 if lines else 0)
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_spoilt_file_of_tasks_hides_no_other(tmp_path: Path, name: str):
    folder = tmp_path / name
    shutil.copytree(OWN / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tasks/refusal.json").write_text("[{]", "utf-8")
    report = check_folder(str(folder))
    refusals = sum(task.expected_outcome == "refusal" for task in DOMAINS[name].tasks)
    assert report.tasks == len(DOMAINS[name].tasks) - refusals
    assert [defect.file for defect in report.defects] == ["tasks/refusal.json:1"]
    shutil.copy(OWN / name / "tasks/refusal.json", folder / "tasks/refusal.json")
    assert check_folder(str(folder)).defects == ()
