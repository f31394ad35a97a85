from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.envs.domain import OWN
from antiphon.envs.evolve.pool import distractors, paragraphs, writing_tools
from antiphon.envs.execute import execute
from antiphon.envs.sandbox.process import Sandbox
from antiphon.ids import rng
from tests.envs.evolve.worlds import flights

DESK = flights()
SOURCE = (OWN / "flight_search_desk" / "tools.py").read_text("utf-8")


def test_the_tools_that_write_are_those_with_which_references_write():
    assert writing_tools(DESK, DESK.tasks) == ["place_hold", "release_hold"]
    assert writing_tools(DESK, [DESK.task("info_airport_zh")]) == []


def test_a_distractor_takes_the_same_and_does_nothing(tmp_path: Path):
    found = distractors(SOURCE, DESK, DESK.tasks)
    assert list(found) == ["draft_place_hold", "draft_release_hold"]
    path = tmp_path / "tools.py"
    path.write_text(SOURCE + "".join(found.values()), "utf-8")
    with Sandbox() as sandbox:
        tools = sandbox.read(path, {})
        assert tools["draft_place_hold"].spec.parameters == tools["place_hold"].spec.parameters
        asked = {
            "phone": "4155501234",
            "flight_no": "SK2859",
            "depart_date": "2026-08-20",
            "fare_class": "flex",
        }
        done = execute(tools, DESK.dbs["main.json"], "draft_place_hold", asked)
    assert (done.value, done.changes, done.defect) == ({"draft": asked, "stored": False}, {}, None)


def test_no_distractor_takes_a_name_that_is_taken():
    source = SOURCE + "\n\ndef draft_place_hold(db):\n    pass\n"
    assert list(distractors(source, DESK, DESK.tasks)) == ["draft_release_hold"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_paragraphs_are_drawn_without_repeating(language: str):
    found = paragraphs(language, 4, rng(1))
    assert len(set(found)) == 4
    assert found == paragraphs(language, 4, rng(1))
    assert all(each.startswith("## ") for each in found)
    assert len(paragraphs(language, 99, rng(1))) == 8
