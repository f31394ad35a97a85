from __future__ import annotations

from pathlib import Path

from antiphon.envs.probe import probe
from tests.envs.desk import TOOLS, open_desk


def test_sound_tools_pass(tmp_path: Path):
    assert [*probe(open_desk(tmp_path))] == []


def test_a_tool_that_no_reference_calls_is_tried_too(tmp_path: Path):
    unused = '''

def count(db: dict[str, Any], kind: Literal["books", "films"], shelf: int | None = None) -> dict[str, Any]:
    """Count."""
    return {"n": len(db[kind])}
'''
    found = [*probe(open_desk(tmp_path, tools_py=TOOLS + unused))]
    assert [defect.line for defect in found] == [
        "tools.py count: with {'kind': 'films'}: raised KeyError: 'films'"
    ]
