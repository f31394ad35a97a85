"""Reads VocalBench-zh from the user's folder, and refuses one that is not the published set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from antiphon.bench.suites.published import SHAPES, link_versions, read_subset, texts_folder
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS, PAPER, SUBSETS, expand
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from antiphon.bench.items import Item

SOURCE = "github.com/SJTU-OmniAgent/VocalBench-zh"


def load(folder: Path, subsets: Collection[str] | None = None) -> list[Item]:
    """The items of the published set, in the order of its tables and files.

    `folder` holds the JSON files, or `json/` with them, and `audio/` where the sound was fetched.
    `subsets` are names of files or groups (knowledge, code_switching); None means the 11,115 items that
    the paper counts. Raises ConfigError for a wrong folder or name, DataError for a wrong file.
    """
    names = expand(subsets)
    texts = texts_folder(folder)
    missing = [name for name in names if not (texts / f"{name}.json").is_file()]
    if missing:
        raise ConfigError(
            f"{texts} has no {missing[0]}.json; give the folder of VocalBench-zh's JSON files, from {SOURCE}"
        )
    items = [item for name in names for item in _subset(folder, texts, name)]
    if not any(name in names for name in ("robust", "robust_clean")):
        return items
    if "single_round" not in names and not (texts / "single_round.json").is_file():
        return link_versions(items, [])
    return link_versions(items, _subset(folder, texts, "single_round"))


def _subset(folder: Path, texts: Path, name: str) -> list[Item]:
    path = texts / f"{name}.json"
    items = read_subset(path, name, SHAPES[name], audio=folder / "audio")
    subset = SUBSETS[name]
    if len(items) != subset.count:
        raise _differs(path, f"{len(items)} items", str(subset.count))
    if subset.categories:
        _compare(path, "Category", Counter(item.category for item in items), subset.categories)
    if name == "robust":
        found = Counter(f"{item.category} {item.extra['Level']}" for item in items)
        wanted = {f"{kind} {level}": 100 for kind, levels in CONDITIONS.items() for level in levels}
        _compare(path, "Level", found, wanted)
    return items


def _compare(path: Path, field: str, found: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    for value in sorted({*found, *wanted}):
        if found.get(value, 0) != wanted.get(value, 0):
            raise _differs(
                path, f"{found.get(value, 0)} items of {value!r}", str(wanted.get(value, 0)), field
            )


def _differs(path: Path, found: str, wanted: str, field: str | None = None) -> DataError:
    return DataError(
        path,
        f"has {found} where the published set has {wanted} ({PAPER}); fetch it again from {SOURCE}, "
        "or run changed items as a suite folder of your own",
        field=field,
    )
