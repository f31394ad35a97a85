"""VocalBench-zh as a suite: the user's copy of the data, the paper's metrics.

Further subsets, such as recordings of people or a dialect, lie in the same folder as files of their own and
are declared in its `suite.toml` (see suites/folder.py). They run by name and count towards no table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suite import Suite
from antiphon.bench.suites.folder import declared_subsets, load_folder
from antiphon.bench.suites.hub import folder_of
from antiphon.bench.suites.shaped import shaped
from antiphon.bench.suites.vocalbench_zh.load import SOURCE, load
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.bench.suites.vocalbench_zh.subsets import GROUPS, SUBSETS, expand
from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from antiphon.bench.suite import Metrics, Selection

NAME = "vocalbench-zh"
HUB = {
    "VocalNet/VocalBench-zh": {name: name for name in SUBSETS if not name.startswith("cs_")},
    "VocalNet/CS3-Bench": {
        "cs_knowledge": "knowledge",
        "cs_knowledge_en": "knowledge_en",
        "cs_open_ended": "open_ended",
    },
}


def open_suite(chosen: Selection) -> Suite:
    """The published set in the folder (or on the hub) that the user names. Raises ConfigError without one."""
    if chosen.data is None:
        raise ConfigError(
            f"vocalbench-zh needs --data FOLDER with its JSON files, from {SOURCE}; or --data hf: to fetch it"
        )
    names = [name for name in chosen.subsets if name in SUBSETS or name in GROUPS]
    wanted = expand(names or None) if names or not chosen.subsets else []
    folder = folder_of(chosen.data, HUB, wanted)
    further = declared_subsets(folder)
    own = [name for name in chosen.subsets if name not in names]
    for name in own:
        if name not in further:
            raise unknown("subset", name, {*SUBSETS, *GROUPS, *further}, "further ones: suite.toml in --data")
    items = load(folder, wanted) if wanted else []
    if not own:
        return Suite(NAME, tuple(items), METRICS, source=NAME)
    items += load_folder(folder, own).items
    return Suite(NAME, tuple(items), metrics(str(folder.resolve())), source=f"{NAME}:{folder.resolve()}")


def metrics(folder: str = "") -> Metrics:
    """The suite's metrics; those of a run with further subsets need the folder that declares them."""
    if not folder:
        return METRICS
    if not Path(folder).is_dir():
        raise ConfigError(f"the data of this run is gone: no folder {folder!r}; bring it back to score again")
    like = declared_subsets(Path(folder))
    return {
        scoring: tuple(shaped(metric, like) for metric in offered) for scoring, offered in METRICS.items()
    }
