"""A generation on disk: an ordinary domain folder, with `lineage.jsonl` that says where each task came from."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.envs.evolve.labels import Label
from antiphon.envs.evolve.mutate import base_name
from antiphon.envs.evolve.proposal import as_json
from antiphon.jsonl import read_records, to_row, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.evolve.proposal import Proposal
    from antiphon.envs.task import Task

# training: may be trained on. kept: in the folder, but without a label. The others are not in the folder.
Use = Literal["training", "kept", "retired", "dropped", "rejected"]
LINEAGE = "lineage.jsonl"
_CODE = ("partner_tools.py", "predicates.py", "domain.toml", "schema.json", "generated.json")


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a task of a generation came from and what it is used for, or why it is not in it."""

    KIND: ClassVar[str] = "lineage"
    V: ClassVar[int] = 1
    task: str
    generation: int
    domain: str
    use: Use
    why: str
    parent: str = ""
    mutation: str = ""
    by: str = ""
    label: Label = "unknown"
    parent_domain: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """What a generation's folder is written from, besides its parent's other files."""

    rules: str
    tools: str
    kept: Sequence[Task]
    new: Sequence[Proposal]


def generation_of(folder: Path) -> int:
    """Which generation a domain folder is; 0 for one that was written by hand."""
    path = folder / LINEAGE
    rows = read_records(path, Lineage) if path.is_file() else []
    return max((each.generation for each in rows), default=0)


def name_of(domain: str, generation: int) -> str:
    """A generation's name: that of the first, and its number."""
    return f"{base_name(domain)}_g{generation}"


def training_tasks(folder: Path) -> list[str]:
    """The tasks of a generation that may be trained on; none of a folder without lineage."""
    path = folder / LINEAGE
    if not path.is_file():
        return []
    return [each.task for each in read_records(path, Lineage) if each.use == "training"]


def write_folder(parent: Path, domain: Domain, texts: Texts, folder: Path, *, every_db: bool = False) -> None:
    """Write a domain folder as a whole: it is there complete, or as it was before. Databases that no task of it
    points to are left out, unless `every_db`."""
    made = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    for below in ("dbs", "tasks"):
        (made / below).mkdir(parents=True)
    (made / "rules.md").write_text(texts.rules, "utf-8")
    (made / "tools.py").write_text(texts.tools, "utf-8")
    for name in _CODE:
        if (parent / name).is_file():
            shutil.copyfile(parent / name, made / name)
    for name, db in _dbs(domain, texts, every_db=every_db).items():
        _write_json(made / "dbs" / name, db)
    for name, tasks in (("kept", [as_json(task) for task in texts.kept]), ("new", [each.task for each in texts.new])):  # fmt: skip
        if tasks:
            _write_json(made / "tasks" / f"{name}.json", tasks)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def _dbs(domain: Domain, texts: Texts, *, every_db: bool) -> dict[str, Any]:
    """The databases that its tasks point to; those of the last generation too where all are asked for."""
    pointed = [task.db for task in texts.kept] + [each.task["db"] for each in texts.new]
    names = {str(each).removeprefix("@dbs/") for each in pointed if isinstance(each, str)}
    own = {f"{each.task_id}.json": each.db for each in texts.new if each.db is not None}
    names |= set(domain.dbs) if every_db else set[str]()
    found: Mapping[str, Any] = {**domain.dbs, **own}
    return {name: found[name] for name in sorted(names) if name in found}


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")


def write_lineage(folder: Path, rows: Iterable[Lineage]) -> None:
    """Keep the lineage beside the tasks."""
    write_rows(folder / LINEAGE, (to_row(each) for each in rows))
