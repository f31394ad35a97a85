"""The leaderboard's page in a real browser: sorting, filtering, widths, and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.board_pages import write
from antiphon.bench.leaderboard import board
from tests.bench.bench_boards import judged
from tests.bench.test_page_in_a_browser import PROGRAM, WIDER, Browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)")

NAMES = "[...document.querySelectorAll('#table-7 tbody tr:not([hidden]) th.name')].map(cell => cell.firstChild.data)"
SECTIONS = "[...document.querySelectorAll('section.subset:not([hidden])')].map(part => part.id)"
COUNT = "document.querySelector('.tools output').textContent"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    one = Browser(tmp_path / "profile")
    yield one
    one.close()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    runs = [judged("safety", "refusal_rate", [1.0, 0.0] * 200, judge="openai:a-judge-with-a-long-name")]
    return write(board("vocalbench-zh", runs), "vocalbench-zh", tmp_path / "board.html")


def _choose(field: str, value: str) -> str:
    return (
        f"document.querySelector('#{field}').value = '{value}';"
        f"document.querySelector('#{field}').dispatchEvent(new Event('input'))"
    )


def test_a_head_sorts_its_table_both_ways_and_back_to_the_ranks(browser: Browser, page: Path) -> None:
    browser.open(page)
    ranked = browser.ask(NAMES)
    assert ranked[:2] == ["Qwen3-Omni", "Cascade (Qwen3-8B)"]
    click = "document.querySelector('[data-sort=t7-math]').click()"
    browser.ask(click)
    assert browser.ask(NAMES)[:3] == ["Qwen3-Omni", "Qwen2.5-Omni", "VocalNet2-8B"]
    browser.ask(click)
    assert browser.ask(NAMES)[0] == "LLaMA-Omni2-Bilingual"
    assert browser.ask(NAMES)[-1] == "openai:some-model"  # without a value it stays last
    browser.ask(click)
    assert browser.ask(NAMES) == ranked


def test_rows_are_filtered_by_table_origin_and_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.ask(_choose("status", "measured"))
    assert browser.ask(COUNT) == "11 of 185 rows"
    assert "table-5" not in browser.ask(SECTIONS)
    browser.ask(_choose("status", ""))
    browser.ask(_choose("subset", "14"))
    assert browser.ask(SECTIONS) == ["table-14"]
    browser.ask(_choose("text", "kimi"))
    assert browser.ask(COUNT) == "1 of 185 rows"


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_but_tables_is_wider_than_the_screen(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width, dark=width == 360)
    assert browser.ask(WIDER) == []


def test_every_row_of_every_table_is_seen_on_a_narrow_screen(browser: Browser, page: Path) -> None:
    browser.open(page, width=360)
    flat = "[...document.querySelectorAll('.board')].filter(one => one.scrollHeight > one.clientHeight + 1).length"
    assert browser.ask(flat) == 0


def test_the_page_asks_for_nothing_but_itself(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.requests == [page.resolve().as_uri()]


def test_a_switch_shows_a_published_system_in_every_picture(browser: Browser, page: Path) -> None:
    drawn = (
        "[...document.querySelectorAll('[data-series=\"0\"]')].map(part => getComputedStyle(part).display)"
    )
    browser.open(page)
    assert browser.ask(drawn) == ["none", "none"]  # the radar for wide screens and the one for narrow ones
    browser.ask("document.querySelector('[data-switch=\"0\"]').click()")
    assert browser.ask(drawn) == ["inline", "inline"]
