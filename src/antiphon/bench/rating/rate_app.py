"""The rating page: one reply at a time, with its sound and the rubric's question; keys and buttons."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from antiphon.report import page
from antiphon.report.local_app import (
    body_of,
    get,
    html_response,
    json_response,
    local_app,
    post,
    sound_response,
)
from antiphon.report.players import player

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from antiphon.bench.rating.ballots import Ballot
    from antiphon.bench.rating.ratings import Box


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page sends: a value for a ballot, a skip (no value), or the wish to undo the last answer."""

    do: Literal["rate", "undo"]
    ballot: str = ""
    value: bool | int | None = None


def rate_app(box: Box, token: str) -> ASGIApp:
    """The page for one rater. Raises UnavailableError without antiphon[server]."""

    async def show(_: Request) -> Response:
        return html_response(render(box))

    async def answer(request: Request) -> Response:
        given = await body_of(request, Answer)
        if given.do == "undo":
            box.undo()
        else:
            box.rate(given.ballot, given.value)
        return json_response({"done": box.done, "of": len(box.ballots)})

    async def sound(request: Request) -> Response:
        one = box.ballots.get(request.path_params["ballot"])
        path = (
            None if one is None else (one.query if request.path_params["part"] == "question" else one.sound)
        )
        return json_response({"error": "no such sound"}, 404) if path is None else sound_response(path)

    return local_app([get("/", show), post("/answer", answer), get("/sound/{part}/{ballot}", sound)], token)


def render(box: Box) -> str:
    """The page for the next reply, or for the end of the work. It names no system and no verdict."""
    one = box.next
    own = files("antiphon.bench").joinpath("templates/rate.js").read_text("utf-8")
    values = {
        "rater": box.rater,
        "scripted": box.scripted,
        "done": box.done,
        "total": len(box.ballots),
        "ballot": one,
        "marks": _marks(one) if one is not None else [],
        "query": player("person", one.query, f"sound/question/{one.id}", "the question")
        if one and one.query
        else None,
        "reply": player("agent", one.sound, f"sound/reply/{one.id}", "the reply")
        if one and one.sound
        else None,
    }
    return page.render("antiphon.bench", "rate.html", values, own_script=own)


def _marks(one: Ballot) -> list[tuple[str, str, str]]:
    """Key, JSON value and label of each button."""
    if one.top is None:
        yes, no = one.words
        return [("y", "true", yes), ("n", "false", no)]
    return [(str(mark), str(mark), str(mark)) for mark in range(1, one.top + 1)]
