"""Reads the English VocalBench from the user's folder, and refuses one that is not the published set."""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from antiphon.bench.suites.published import items_of, link_versions, read_entries, texts_folder
from antiphon.bench.suites.vocalbench.subsets import PAPER, SOURCE, SUBSETS
from antiphon.errors import ConfigError, DataError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from antiphon.bench.items import Item


def load(folder: Path, subsets: Collection[str] | None = None) -> list[Item]:
    """The items of the published set, in the order of its files; None: the 9,400 that count.

    `folder` holds the JSON files, or `json/` with them, and `audio/`. Raises ConfigError for a wrong folder
    or name, DataError for a wrong file.
    """
    for name in subsets or ():
        if name not in SUBSETS:
            raise unknown("subset", name, SUBSETS, "vocalbench has no other")
    names = [name for name, subset in SUBSETS.items() if (name in subsets if subsets else subset.counted)]
    texts = texts_folder(folder)
    found = {name: _subset(folder, texts / f"{name}.json", name) for name in names}
    items = [item for name in names for item in found[name]]
    if not {"robust", "robust_clean"}.intersection(names):
        return items
    single = texts / "single_round.json"
    originals = found.get("single_round") or (
        _subset(folder, single, "single_round") if single.is_file() else []
    )
    return link_versions(items, originals)


def _subset(folder: Path, path: Path, name: str) -> list[Item]:
    if not path.is_file():
        raise ConfigError(
            f"{path.parent} has no {path.name}; give the folder of the JSON files, from {SOURCE}"
        )
    entries = [_mended(path, index, entry) for index, entry in enumerate(read_entries(path))]
    subset = SUBSETS[name]
    items = items_of(path, entries, name, subset.shape, audio=folder / "audio")
    # Abilities are told apart as in Mandarin: the whole suite is English.
    items = [replace(item, ability=subset.shape.ability) for item in items]
    if len(items) != subset.count:
        raise _differs(path, f"{len(items)} items", subset.count)
    counts = Counter(item.category for item in items)
    for category, wanted in subset.categories.items():
        if counts[category] != wanted:
            raise _differs(path, f"{counts[category]} items of {category!r}", wanted, "Category")
    return items


def _mended(path: Path, index: int, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry as in Mandarin: lists as lists (published as text), and packet loss as a share, not percent."""
    mended = dict(entry)
    for key, read in (("Context", ast.literal_eval), ("Score", json.loads)):
        if isinstance(value := entry.get(key), str):
            try:
                mended[key] = read(value)
            except (ValueError, SyntaxError):
                raise DataError(
                    path, f"cannot be read as a list: {value[:60]!r}", field=f"[{index}].{key}"
                ) from None
    level = str(entry.get("Level", ""))
    if level.startswith("dropping_") and level.removeprefix("dropping_").isdigit():
        mended["Level"] = f"dropping_{int(level.removeprefix('dropping_')) / 100:.2f}"
    return mended


def _differs(path: Path, found: str, wanted: int, field: str | None = None) -> DataError:
    return DataError(
        path,
        f"has {found} where the published set has {wanted} ({PAPER}); fetch it again from {SOURCE}, "
        "or run changed items as a suite folder of your own",
        field=field,
    )
