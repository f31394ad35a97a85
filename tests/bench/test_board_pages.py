from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from antiphon.bench.board_pages import render, write
from antiphon.bench.leaderboard import board
from tests.bench.bench_boards import judged

if TYPE_CHECKING:
    from pathlib import Path

RUN = judged("safety", "refusal_rate", [1.0, 0.0] * 200, judge="openai:other")
PAGE = render(board("vocalbench-zh", [RUN]), "vocalbench-zh")


class _Tags(HTMLParser):
    """Every opening tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def _tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(page)
    return parser.seen


def test_the_page_needs_no_network() -> None:
    loaded = [
        (tag, name)
        for tag, attributes in _tags(PAGE)
        for name in ("src", "href", "action")
        if (attributes.get(name) or "").startswith(("http:", "https:", "//")) and tag != "a"
    ]
    assert loaded == []
    assert "url(" not in PAGE


def test_every_table_is_there_with_every_row() -> None:
    rows = [attributes for tag, attributes in _tags(PAGE) if tag == "tr" and "data-numbers" in attributes]
    by_table: dict[str | None, list[str | None]] = {}
    for row in rows:
        by_table.setdefault(row["data-subset"], []).append(row["data-status"])
    assert list(by_table) == ["2", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"]
    assert by_table["14"] == ["published"] * 13 + ["measured"]
    assert by_table["5"] == ["published"] * 15
    assert f">{len(rows)} rows</output>" in PAGE


def test_rows_sort_by_keys_that_the_heads_and_the_list_name() -> None:
    tags = _tags(PAGE)
    heads = {attributes["data-sort"] for tag, attributes in tags if tag == "button"}
    listed = {
        (attributes.get("value") or "").partition(":")[0] for tag, attributes in tags if tag == "option"
    }
    used = {
        key
        for _, attributes in tags
        if attributes.get("data-numbers")
        for key in json.loads(str(attributes["data-numbers"]))
    }
    assert used <= heads <= listed


def test_the_column_that_ranks_stands_first() -> None:
    first = re.search(r'id="table-2".*?data-sort="([^"]+)"', PAGE, re.DOTALL)
    assert first is not None
    assert first[1] == "t2-overall"


def test_a_misprint_leads_to_its_note_and_stands_at_the_top() -> None:
    assert 'href="#note-2-1"' in PAGE
    assert 'id="note-2-1"' in PAGE
    assert "Qwen3-Omni is printed with Overall 78.439, but its own columns give 78.385." in PAGE
    links = {attributes["href"] for tag, attributes in _tags(PAGE) if tag == "a" and "href" in attributes}
    ids = {f"#{attributes['id']}" for _, attributes in _tags(PAGE) if "id" in attributes}
    assert {link for link in links if str(link).startswith("#")} <= ids


def test_the_stamp_says_what_differs_and_what_does_not() -> None:
    text = unescape(re.sub(r"<[^>]+>", "", PAGE))
    assert "differs: openai:other (paper: Qwen2.5-Max (in the code: qwen-max-2025-01-25))" in text
    assert "same: whisper-large-v3 transformers" in text
    assert "No Overall: knowledge: not measured; reasoning: not measured" in text
    assert "measured, not ranked" in text


def test_a_page_of_published_rows_alone_has_no_stamp() -> None:
    page = render(board("vocalbench-zh", []), "vocalbench-zh")
    assert 'id="stamps"' not in page
    assert "15 published systems · " in page


def test_a_page_of_runs_alone_has_no_picture_without_an_overall() -> None:
    page = render(board("vocalbench-zh", [RUN], published=False), "vocalbench-zh")
    assert "<svg role" not in page
    assert "1 run · " in page


def test_names_are_escaped() -> None:
    run = judged("safety", "refusal_rate", [1.0] * 400, system_uri='x:<img src="a">')
    page = render(board("vocalbench-zh", [run]), "vocalbench-zh")
    assert "<img" not in page
    assert "x:&lt;img src=&#34;a&#34;&gt;" in page


def test_the_page_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    path = write(board("vocalbench-zh", [RUN]), "vocalbench-zh", tmp_path / "new" / "board.html")
    assert path.read_text("utf-8") == PAGE
    assert len(PAGE) < 1_000_000
