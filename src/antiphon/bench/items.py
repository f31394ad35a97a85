"""`Item`: one question of a benchmark, in words and possibly in sound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

Speech = Literal["recorded", "synthetic"]


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of a dialogue, in words."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """One benchmark item. `audio` is the file with its sound; None: to be spoken.

    `speech` labels where the query's sound comes from; `cluster` names the source item when several
    items come from one (perturbed versions); `ability` is what its subset tests, where several subsets
    test the same; `extra` keeps the fields that only one subset has.
    """

    KIND: ClassVar[str] = "item"
    V: ClassVar[int] = 1
    id: str
    subset: str
    language: str
    question: str
    answer: str | None = None
    audio: str | None = None
    speech: Speech = "synthetic"
    category: str = ""
    source: str = ""
    history: tuple[Turn, ...] = ()
    cluster: str | None = None
    ability: str = ""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
