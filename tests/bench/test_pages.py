from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.pages import render, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results

VOID = {"meta", "col", "br", "input", "link"}


class Reader(HTMLParser):
    """Checks that elements nest, and keeps what a test asks about."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.languages: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self._lang: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [found[name] or "" for name in ("href", "src", "action", "data") if name in found]
        self.ids += [found["id"] or ""] if "id" in found else []
        assert not [name for name in found if name.startswith("on")], f"{tag} has a handler"
        if tag not in VOID:
            self.open.append(tag)
            self._lang.append(found.get("lang") or (self._lang[-1] if self._lang else ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._lang.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)
            self.languages.append((self._lang[-1], data))


@pytest.fixture
def results(fake_run: Callable[..., Any]) -> Results:
    return fake_run(sounds=False).results()


def test_the_page_nests_and_every_inner_link_has_its_target(results: Results) -> None:
    page = Reader(render(results))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_the_page_needs_no_network(fake_run: Callable[..., Any]) -> None:
    html = render(fake_run().results())
    assert [link for link in Reader(html).links if not link.startswith(("#", "../clips/"))] == []
    assert re.findall(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", html) == []


def test_a_script_in_a_reply_is_text(results: Results) -> None:
    html = render(results)
    assert "<script>alert" not in html
    assert "<script>alert('eight')</script> A spider has six legs & two \"arms\"." in Reader(html).texts
    evil = replace(
        results,
        manifest=replace(results.manifest, system='"><img src=x onerror=alert(1)>', warnings=("<b>",)),
    )
    assert "<img" not in render(evil)


def test_mandarin_is_marked_as_such_and_english_is_not(results: Results) -> None:
    pairs = Reader(render(results)).languages
    assert ("zh", "《红楼梦》的作者是谁？") in pairs
    assert ("en", "Who painted the Mona Lisa?") in pairs
    bare = [text for lang, text in pairs if lang != "zh" and re.search("[\u4e00-\u9fff]{4}", text)]
    assert bare == []


def test_a_scripted_run_says_so_and_a_real_one_does_not(fake_run: Callable[..., Any]) -> None:
    assert '<div class="scripted"' in render(
        fake_run(sounds=False, system="scripted:replies.jsonl").results()
    )
    assert '<div class="scripted"' not in render(fake_run(sounds=False).results())


def test_the_order_is_line_table_picture_failures_items_method(results: Results) -> None:
    html = render(results)
    places = [html.index(f'id="{name}"') for name in ("table", "picture", "fails", "items", "how")]
    assert places == sorted(places)
    assert "on starter, 1 August 2026, 14:02 UTC" in html


def test_missing_sounds_are_named_and_embedded_ones_travel_inside(
    fake_run: Callable[..., Any], results: Results
) -> None:
    assert "the sound is missing: ../clips/" in render(results)
    inside = render(fake_run().results(), embed_audio=True)
    assert "../clips/" not in inside
    assert inside.count("data:audio/flac;base64,") > 40


def test_two_hundred_items_weigh_less_than_three_megabytes(fake_run: Callable[..., Any]) -> None:
    path = write(fake_run(count=200).results())
    assert path.parts[-2:] == ("report", "index.html")
    assert path.stat().st_size < 3_000_000


def test_a_very_long_run_shows_its_worst_items_and_says_what_it_left_out(
    fake_run: Callable[..., Any],
) -> None:
    html = render(fake_run(count=720, sounds=False).results())
    english = [
        json.loads(unescape(row))
        for row in re.findall(r'data-subset="english"[^>]*data-numbers="([^"]*)"', html)
    ]
    assert html.count("<tr id=") == 11 * 54
    assert len(english) == 54
    assert min(row["worst"] for row in english) > 0
    assert "54 items, synthetic, the worst of 120; all are in scores.jsonl" in html


def test_an_empty_run_still_has_a_page(results: Results) -> None:
    empty = replace(results, items=(), takes={}, failures={}, heard={}, scores=(), summaries=())
    assert "No item has a percentage below its best." in render(empty)
