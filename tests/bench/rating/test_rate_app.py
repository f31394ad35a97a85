from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from antiphon.bench.rating.ballots import ballots
from antiphon.bench.rating.rate_app import rate_app, render
from antiphon.bench.rating.ratings import Box, open_box, ratings_of
from antiphon.clock import VirtualClock
from tests.bench.bench_runs import perform, script

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.bench.folder import RunFolder

pytest.importorskip("starlette", reason="needs antiphon[server]")


@pytest.fixture
def run(tmp_path: Path, own_cache: Path) -> RunFolder:
    """A kept run of a system whose name must not be seen."""
    system = script(
        tmp_path / "secretive.jsonl", {"match": "*", "text": "我不知道。", "audio": {"tone_s": 1}}
    )
    return perform(tmp_path / "run", system)


@asynccontextmanager
async def visiting(box: Box) -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(rate_app(box, "secret"))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8123/secret/") as client:
        yield client


async def test_a_reply_is_heard_rated_and_undone(run: RunFolder) -> None:
    todo = ballots([run], ["refusal_rate", "score"], None, 0)
    with open_box([run], todo, "ann", VirtualClock()) as box:
        async with visiting(box) as client:
            page = (await client.get("")).text
            assert todo[0].question in page
            assert "我不知道。" in page
            sound = await client.get(f"sound/reply/{todo[0].id}")
            assert (sound.status_code, sound.content[:4]) == (200, b"fLaC")
            assert (await client.get(f"sound/question/{todo[0].id}")).content[:4] == b"fLaC"
            value = True if todo[0].top is None else 4
            done = await client.post("answer", json={"do": "rate", "ballot": todo[0].id, "value": value})
            assert done.json() == {"done": 1, "of": len(todo)}
            assert [one.value for one in ratings_of(run)["ann"]] == [value]
            assert todo[1].question in (await client.get("")).text
            skipped = await client.post("answer", json={"do": "rate", "ballot": todo[1].id, "value": None})
            assert skipped.json()["done"] == 2
            for _ in range(2):
                undone = await client.post("answer", json={"do": "undo"})
            assert undone.json()["done"] == 0
    assert ratings_of(run)["ann"] == []


async def test_what_does_not_fit_is_refused(run: RunFolder) -> None:
    todo = ballots([run], ["refusal_rate"], None, 0)
    with open_box([run], todo, "ann", VirtualClock()) as box:
        async with visiting(box) as client:
            refused = await client.post("answer", json={"do": "rate", "ballot": todo[0].id, "value": 3})
            assert (refused.status_code, refused.json()) == (400, {"error": "3 is neither yes nor no"})
            assert (await client.post("answer", json={"do": "destroy"})).status_code == 400
            assert (await client.get("sound/reply/../../run.json")).status_code == 404
            assert (await client.get("sound/reply/nobody")).status_code == 404
            stranger = await client.post(
                "answer", json={"do": "undo"}, headers={"origin": "http://evil.example"}
            )
            assert stranger.status_code == 403
        assert box.done == 0


def test_the_page_is_blind(run: RunFolder) -> None:
    todo = ballots([run], (), None, 0)
    with open_box([run], todo, "ann", VirtualClock()) as box:
        for ballot in todo:
            page = render(box)
            body = page[page.index("<body>") :]
            assert not any(name in body for name in ("secretive", "scripted:", str(run.path), "verdict:"))
            box.rate(ballot.id, None)
        assert "<strong>Scripted</strong>" in render(box)
        assert f"All {len(todo)} replies are rated or skipped." in render(box)
