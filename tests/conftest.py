"""What all tests share: the options, where real data lies, and weights for the tests of real models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ModelError, UnavailableError
from antiphon.models.weights import fetch

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
BY_OPTION = ("slow", "people")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption(
        "--people",
        action="store_true",
        help="also run the tests on recorded people: apt-get install asterisk-core-sounds-en-wav "
        "asterisk-core-sounds-en pocketsphinx-testdata",
    )
    parser.addoption(
        "--conform",
        action="append",
        default=[],
        metavar="CLIENT",
        help="also run the conversations of tests/conformance with this client; make conform-CLIENT does it all",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for name in BY_OPTION:
        if config.getoption(f"--{name}"):
            continue
        skip = pytest.mark.skip(reason=f"runs with --{name}")
        for item in items:
            if item.get_closest_marker(name):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real benchmark data; the test is skipped where there is none."""
    folder = Path(os.environ.get("ANTIPHON_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data in {folder}; set ANTIPHON_DATA to their folder")
    return folder


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test, so that nothing of this machine's shows in it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ANTIPHON_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def weights() -> Callable[..., list[Path]]:
    """Call it with names: their folders, fetched where missing; the test is skipped, with the reason,
    where they cannot be had. Wrong bytes (DataError) fail the test: that is never normal."""
    refused: dict[str, str] = {}

    def have(*names: str) -> list[Path]:
        folders: list[Path] = []
        for name in names:
            if name not in refused:
                try:
                    folders.append(fetch.ensure(name))
                    continue
                except (UnavailableError, ModelError) as error:
                    refused[name] = str(error)
            pytest.skip(refused[name])
        return folders

    return have
