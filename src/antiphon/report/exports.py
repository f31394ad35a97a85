"""A table as text for other programs: Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "∪": r"$\cup$",
    "\N{MINUS SIGN}": r"$-$", "–": "--", "“": "``", "”": "''",
}  # fmt: skip


def markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is aligned left, the others right."""
    lines = [_bars(titles), _bars([":--", *["--:"] * (len(titles) - 1)])]
    return "\n".join([*lines, *(_bars([_marked(cell) for cell in row]) for row in rows)]) + "\n"


def _bars(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def comma_separated(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """CSV as in RFC 4180, with a newline alone at the end of each line."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([titles, *rows])
    return out.getvalue()


def latex(titles: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A `table` in LaTeX; needs the package booktabs."""
    body = [
        r"\begin{table}", rf"\caption{{{_escaped(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(titles) - 1)}}}", r"\toprule", _ended(titles), r"\midrule",
        *(_ended(row) for row in rows), r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(body) + "\n"


def _ended(cells: Sequence[str]) -> str:
    return " & ".join(map(_escaped, cells)) + r" \\"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
