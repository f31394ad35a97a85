"""Weights for the tests that need real models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ModelError, UnavailableError
from antiphon.models.weights import fetch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
