from __future__ import annotations

import csv
import io

from antiphon.report.exports import comma_separated, latex, markdown

TITLES = ("system", "UTMOS ↑")
ROWS = (("a|b*", "3.1 ±0.2"), ("R&D_1 {50%}", "–"))


def test_markdown_keeps_bars_and_stars_inside_their_cells() -> None:
    assert markdown(TITLES, ROWS).splitlines() == [
        "| system | UTMOS ↑ |",
        "| :-- | --: |",
        r"| a\|b\* | 3.1 ±0.2 |",
        "| R&D_1 {50%} | – |",
    ]


def test_csv_reads_back_as_it_was_even_with_commas_quotes_and_newlines() -> None:
    rows = [*ROWS, ('a, "b"', "c\nd")]
    assert list(csv.reader(io.StringIO(comma_separated(TITLES, rows)))) == [
        list(row) for row in (TITLES, *rows)
    ]


def test_latex_escapes_its_own_signs() -> None:
    text = latex(("system", "n_1"), ROWS, "50 % & more")
    assert r"\caption{50 \% \& more}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"system & n\_1 \\" in text
    assert r"R\&D\_1 \{50\%\} & -- \\" in text
    assert r"3.1 $\pm$0.2" in text
