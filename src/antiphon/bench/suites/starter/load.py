"""The starter suite: 62 items over the ten abilities, and twelve in English, written for Antiphon.

Their texts stand in `json/`, in the published format; nothing is taken from another data set. Queries
have no audio: they are spoken by a synthesizer. The ratings under `Score` in `emotion.json` (how fitting
an angry, happy, neutral, sad or surprised voice would be) are the authors' own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suites.published import SHAPES, link_versions, read_subset
from antiphon.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Collection

    from antiphon.bench.items import Item

TEXTS = Path(__file__).parent / "json"
SUBSETS = tuple(name for name in SHAPES if name != "robust_clean")


def load(subsets: Collection[str] | None = None) -> list[Item]:
    """The items in the order of the subsets; `subsets` are file names or abilities, None means all.

    Raises ConfigError for a name that is neither.
    """
    abilities = {SHAPES[name].ability for name in SUBSETS}
    for name in subsets or ():
        if name not in SUBSETS and name not in abilities:
            raise unknown("subset", name, {*SUBSETS, *abilities}, "the starter suite has no other")
    every = [item for name in SUBSETS for item in read_subset(TEXTS / f"{name}.json", name, SHAPES[name])]
    items = link_versions(every, [item for item in every if item.subset == "single_round"])
    if subsets is None:
        return items
    return [item for item in items if item.subset in subsets or SHAPES[item.subset].ability in subsets]
