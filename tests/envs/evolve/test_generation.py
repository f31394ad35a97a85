from __future__ import annotations

from pathlib import Path

from antiphon.envs.domain import OWN, open_domain
from antiphon.envs.evolve.generation import (
    Lineage,
    Texts,
    generation_of,
    name_of,
    training_tasks,
    write_folder,
    write_lineage,
)
from antiphon.envs.evolve.proposal import Proposal, as_json
from tests.envs.evolve.worlds import flights

DESK = flights()
HOME = OWN / "flight_search_desk"
TOOLS = (HOME / "tools.py").read_text("utf-8")


def test_a_folder_is_an_ordinary_domain_with_what_its_tasks_need(tmp_path: Path):
    kept = DESK.task("info_airport_zh")
    new = Proposal(
        as_json(kept) | {"task_id": "new", "db": "@dbs/new.json"},
        kept.task_id,
        "m",
        "b",
        DESK.dbs["busy.json"],
    )
    folder = tmp_path / "desk_g1"
    write_folder(HOME, DESK, Texts(DESK.rules, TOOLS, [kept], [new]), folder)
    made = open_domain(str(folder))
    assert made.tasks == (kept, made.task("new"))
    assert sorted(made.dbs) == ["main.json", "new.json"]  # busy.json is pointed to by none
    assert made.dbs["new.json"] == DESK.dbs["busy.json"]
    assert (made.settings, made.schema) == (DESK.settings, DESK.schema)
    write_folder(HOME, DESK, Texts("Rules.", TOOLS, [kept], []), folder, every_db=True)
    again = open_domain(str(folder))
    assert (again.rules, again.tasks, sorted(again.dbs)) == ("Rules.", (kept,), ["busy.json", "main.json"])
    assert [each.name for each in tmp_path.iterdir()] == ["desk_g1"]


def test_the_mark_of_generated_code_goes_along(tmp_path: Path):
    parent = tmp_path / "parent"
    parent.mkdir()
    (parent / "generated.json").write_text('{"by": "test"}', "utf-8")
    write_folder(parent, DESK, Texts("Rules.", TOOLS, [], []), tmp_path / "child")
    assert (tmp_path / "child" / "generated.json").read_text("utf-8") == '{"by": "test"}'


def test_lineage_says_the_generation_and_what_may_be_trained_on(tmp_path: Path):
    assert (generation_of(tmp_path), training_tasks(tmp_path)) == (0, [])
    rows = [
        Lineage("a", 3, "d_g3", "training", "frontier"),
        Lineage("b", 3, "d_g3", "kept", "no label yet"),
        Lineage("c", 3, "d_g3", "rejected", "x"),
    ]
    write_lineage(tmp_path, rows)
    assert (generation_of(tmp_path), training_tasks(tmp_path)) == (3, ["a"])


def test_a_generation_is_named_after_the_first():
    assert [name_of("desk", 1), name_of("desk_g1", 2), name_of("desk_g9", 10)] == ["desk_g1", "desk_g2", "desk_g10"]  # fmt: skip
