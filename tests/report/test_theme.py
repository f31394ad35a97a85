"""The stylesheet: readable colours, and no more sizes than the visual language has."""

from __future__ import annotations

import re

import pytest

from antiphon.report.page import stylesheet

GROUNDS = ("paper", "soft")
ENOUGH = 4.5


def luminance(colour: str) -> float:
    """Relative luminance of #RRGGBB (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def tokens(css: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+): (#[0-9A-Fa-f]{6})", css))


CSS = stylesheet()
SCHEMES = {
    "light": tokens(CSS.partition("@media")[0]),
    "dark": tokens(CSS.partition("prefers-color-scheme: dark")[2].partition("}")[0]),
    "print": tokens(CSS.partition("@media print")[2].partition("}")[0]),
}
WORDS = re.sub(
    r"svg(?: \.bars|\.lanes)[^}]*}", "", CSS
)  # bars are graphics, which need less contrast than text
TEXT = sorted(set(re.findall(r"(?<![-\w])(?:color|fill): var\(--(\w+)\)", WORDS)) - {"paper"})


def test_contrast_is_computed_as_wcag_says() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.478, abs=0.001)


def test_text_takes_its_colour_from_the_tokens_only() -> None:
    assert re.findall(r"(?<![-\w])(?:color|fill): (?!var\(--|inherit|none|light dark)[^;]+", CSS) == []
    assert {"ink", "mute", "error"} <= set(TEXT)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_colour_of_text_is_readable_on_every_ground(scheme: str) -> None:
    found = SCHEMES[scheme]
    poor = {
        (text, ground): round(contrast(found[text], found[ground]), 2)
        for text in TEXT
        for ground in GROUNDS
        if contrast(found[text], found[ground]) < ENOUGH
    }
    assert poor == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_voices_stand_out_as_graphics(scheme: str) -> None:
    found = SCHEMES[scheme]
    assert min(contrast(found[voice], found["paper"]) for voice in ("person", "agent", "tool")) >= 3.0


def test_only_the_four_sizes_of_type() -> None:
    assert set(re.findall(r"(?:font-size:|font:)[^;]*?(\d+)px", CSS)) == {"13", "15", "18", "24"}
