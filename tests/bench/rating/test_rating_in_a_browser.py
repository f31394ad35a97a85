"""The rating page in a real browser: keys rate, skip and undo, and nothing is wider than the screen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.rating.ballots import ballots
from antiphon.bench.rating.rate_app import rate_app
from antiphon.bench.rating.ratings import open_box, ratings_of
from antiphon.clock import RealClock
from antiphon.report.local_app import serve
from tests.bench.bench_runs import perform, script
from tests.bench.test_page_in_a_browser import PROGRAM, WIDER, Browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antiphon.bench.folder import RunFolder

pytest.importorskip("starlette", reason="needs antiphon[server]")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)")

BALLOT = "document.querySelector('.rating').dataset.ballot"


@pytest.fixture
def run(tmp_path: Path, own_cache: Path) -> RunFolder:
    system = script(tmp_path / "s.jsonl", {"match": "*", "text": "我不知道。", "audio": {"tone_s": 1}})
    return perform(tmp_path / "run", system)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    one = Browser(tmp_path / "profile")
    yield one
    one.close()


@pytest.fixture
def address(run: RunFolder) -> Iterator[str]:
    """A served page for one rater, stopped at the end."""
    todo = ballots([run], ["refusal_rate", "score"], 3, 0)
    told: list[str] = []
    stops = []
    ready = threading.Event()
    with open_box([run], todo, "ann", RealClock()) as box:

        def app_of(stop):
            stops.append(stop)
            return rate_app(box, "secret")

        def announce(where: str) -> None:
            told.append(f"{where}/secret/")
            ready.set()

        thread = threading.Thread(target=serve, args=(app_of,), kwargs={"port": 0, "announce": announce})
        thread.start()
        assert ready.wait(10)
        yield told[0]
        stops[0]()
        thread.join(10)


def press(browser: Browser, key: str) -> str:
    """Press a key, wait for the next reply's page, and give back its ballot."""
    before = browser.ask(BALLOT)
    browser.press(key)
    for _ in range(5000):
        try:
            now = browser.ask(f"document.querySelector('#told') && {BALLOT}")
        except AssertionError:  # the page is just being loaded again
            continue
        if now not in (None, before):
            return now
    raise AssertionError(f"{key} brought no other reply")


def test_keys_rate_skip_and_undo(browser: Browser, run: RunFolder, address: str) -> None:
    browser.visit(address)
    first = browser.ask(BALLOT)
    keys = {"refusal_rate": "y", "score": "4"}
    metric = browser.ask("document.querySelector('.ask .who').textContent").replace(" ", "_")
    second = press(browser, keys[metric])
    (rated,) = ratings_of(run)["ann"]
    assert (rated.metric, rated.value) == (metric, True if metric == "refusal_rate" else 4.0)
    third = press(browser, "s")
    assert len({first, second, third}) == 3
    assert press(browser, "u") == second
    assert press(browser, "u") == first
    assert ratings_of(run)["ann"] == []
    assert {url.rsplit("/", 1)[0] for url in browser.requests} == {address.rstrip("/")}


def test_nothing_is_wider_than_a_narrow_screen(browser: Browser, address: str) -> None:
    browser.narrow()
    browser.visit(address)
    assert browser.ask(WIDER) == []
