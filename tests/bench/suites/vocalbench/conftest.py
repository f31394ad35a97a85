from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.suites.vocalbench.subsets import SUBSETS
from tests.bench.suites.vocalbench.vocalbench_files import entries

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Invented texts in the published shape and number."""
    folder = tmp_path_factory.mktemp("vocalbench")
    (folder / "json").mkdir()
    for name in SUBSETS:
        (folder / "json" / f"{name}.json").write_text(json.dumps(entries(name)), encoding="utf-8")
    return folder
