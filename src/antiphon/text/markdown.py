"""The words of a Markdown text without its marks."""

from __future__ import annotations

import re

# In this order; each line names a mark that nobody speaks and what remains of it.
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE), ""),  # fences; the code between them stays
    (re.compile(r"!\[([^\]]*)\]\([^)\s]*\)"), r"\1"),  # image: its description
    (re.compile(r"\[([^\]]+)\]\([^)\s]*\)"), r"\1"),  # link: its text
    (re.compile(r"</?[A-Za-z][^<>]*>"), " "),  # HTML tags
    (
        re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$", re.MULTILINE),
        "",
    ),  # below a table's head
    (re.compile(r"^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE), ""),  # lines across the page
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),  # headings
    (re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE), ""),  # quotations
    (re.compile(r"^[ \t]*[-*+•][ \t]+", re.MULTILINE), ""),  # bullets
    (re.compile(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1"), r"\2"),  # *emphasis*; "5 * 3" keeps its star
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),  # _emphasis_; snake_case stays
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    (re.compile(r"`+([^`\n]+)`+"), r"\1"),
    (re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE), r"\1"),  # table rows; their inner bars stay
)


def plain(text: str) -> str:
    """The text without Markdown and HTML marks; line breaks and the numbers of lists stay."""
    for pattern, rest in _MARKS:
        text = pattern.sub(rest, text)
    return text.strip()
