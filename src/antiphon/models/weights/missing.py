"""Weights that are not on this machine, and the command that brings them."""

from __future__ import annotations

from antiphon.errors import UnavailableError


class MissingWeightsError(UnavailableError):
    """A weight of the table, or a repository of a hub, that is not here; fetching `weight` mends it."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(what, f"antiphon weights fetch {name}")
        self.weight = name
