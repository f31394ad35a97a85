"""What a GA session's client knows of its conversation, as it is written down for another server."""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.models.wire.ga.shapes import Item, Session


@dataclass(frozen=True, slots=True)
class Talk:
    """Settings and items. `turns` maps the engine's turns to items; `response` and `item` were under way; `waiting`
    are items that no answer has seen, `returned` those of them that are results of the client's calls."""

    settings: Session
    items: tuple[Item, ...]
    turns: dict[str, str]
    responses: int
    response: str | None
    item: str | None
    waiting: tuple[str, ...]
    returned: tuple[str, ...]
