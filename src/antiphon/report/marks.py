"""A transcript beside what should have been said, its errors marked by shape and colour."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

from antiphon.text.align import align
from antiphon.text.script import HAN, simplify
from antiphon.text.syllables import tonal

if TYPE_CHECKING:
    from collections.abc import Iterator

_HAN = re.compile(f"[{HAN}]")
_TOKEN = re.compile(rf"[{HAN}]|[^\s{HAN}]+")

Kind = Literal["same", "swap", "tone", "miss", "extra"]
_TONES = str.maketrans("12345", "¹²³⁴⁵")


@dataclass(frozen=True, slots=True)
class Token:
    """A Han character or a word: as written, as compared, and the blanks and marks around it."""

    text: str
    key: str
    after: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring steps of one kind: the reference's words and the heard ones.

    Of kind "tone" are Han characters of one syllable in two tones; each carries its tone as a small figure.
    `count` is how many steps were joined.
    """

    kind: Kind
    reference: str
    heard: str
    after: str
    count: int = field(default=1, compare=False)


def tokens(text: str) -> list[Token]:
    """Han characters one by one, other words by blanks; punctuation is shown but never compared.

    A Han character is compared by its tonal syllable, as the syllable error rate does: writing 他 for 她
    is no error of the ear. Other words are compared without case.
    """
    found = _written(text)
    han = [index for index, token in enumerate(found) if _HAN.match(token.text)]
    for index, syllable in zip(han, _syllables("".join(found[index].text for index in han)), strict=True):
        found[index] = replace(found[index], key=syllable)
    return found


def _written(text: str) -> list[Token]:
    found: list[Token] = []
    place = 0
    for piece in _TOKEN.finditer(text):
        core = _bare(piece.group())
        if not core:
            continue
        start = piece.start() + piece.group().index(core)
        between = text[place:start]
        if found:
            found[-1] = replace(found[-1], after=between)
        found.append(Token(core, core.casefold(), "", "" if found else between))
        place = start + len(core)
    return [*found[:-1], replace(found[-1], after=text[place:])] if found else []


def _syllables(han: str) -> list[str]:
    if not han:
        return []
    simple = simplify(han)
    return tonal(simple if len(simple) == len(han) else han)


def _bare(word: str) -> str:
    kept = [index for index, sign in enumerate(word) if unicodedata.category(sign)[0] in "LNM"]
    return word[kept[0] : kept[-1] + 1] if kept else ""


def runs(reference: str, heard: str) -> list[Run]:
    """The heard text as runs of equal, swapped, missing and extra words."""
    said, got = tokens(reference), tokens(heard)
    found: list[Run] = []
    for kind, one, other in map(_toned, _steps(said, got)):
        run = Run(
            kind,
            one.text if one and kind != "same" else "",
            other.before + other.text if other else "",
            other.after if other else _blank(one),
        )
        if found and found[-1].kind == kind:
            run = _joined(found.pop(), run)
        found.append(run)
    return found


_Step = tuple[Kind, Token | None, Token | None]


def _toned(step: _Step) -> _Step:
    """A swap of two characters that differ in nothing but the tone, named as such."""
    kind, one, other = step
    if kind != "swap" or one is None or other is None:
        return step
    if not (_HAN.match(one.text) and _HAN.match(other.text)) or _flat(one.key) != _flat(other.key):
        return step
    return "tone", _with_tone(one), _with_tone(other)


def _flat(syllable: str) -> str:
    """A syllable without its tone; the neutral tone is written without a digit."""
    return syllable.rstrip("12345")


def _with_tone(token: Token) -> Token:
    tone = token.key[-1] if token.key[-1] in "1234" else "5"
    return replace(token, text=token.text + tone.translate(_TONES))


def _steps(said: list[Token], got: list[Token]) -> Iterator[_Step]:
    left, right = iter(said), iter(got)
    for step in align([token.key for token in said], [token.key for token in got]).steps:
        if step.reference is None:
            yield "extra", None, next(right)
        elif step.hypothesis is None:
            yield "miss", next(left), None
        else:
            yield "same" if step.reference == step.hypothesis else "swap", next(left), next(right)


def _blank(missing: Token | None) -> str:
    """What stands after a word that was not heard: a blank, where its writing has blanks."""
    return "" if missing is None or _HAN.match(missing.text) else " "


def _joined(a: Run, b: Run) -> Run:
    gap = a.after
    reference = a.reference + _glue(a.reference, b.reference) + b.reference
    return Run(
        a.kind, reference if a.kind != "same" else "", a.heard + gap * bool(b.heard) + b.heard, b.after,
        a.count + b.count,
    )  # fmt: skip


def _glue(left: str, right: str) -> str:
    together = not left or not right or (_HAN.match(left.rstrip("¹²³⁴⁵")[-1:]) and _HAN.match(right[0]))
    return "" if together else " "


def same(found: list[Run]) -> bool:
    """Whether everything was heard as it was said."""
    return all(run.kind == "same" for run in found)


_WORDS: tuple[tuple[Kind, str], ...] = (
    ("swap", "heard as another"), ("tone", "in another tone"), ("miss", "not heard"), ("extra", "not said"),
)  # fmt: skip


def told(found: list[Run]) -> str:
    """The errors in words, for those who do not see the marks: "2 not heard, 1 in another tone"."""
    counts = [(sum(run.count for run in found if run.kind == kind), words) for kind, words in _WORDS]
    return ", ".join(f"{many} {words}" for many, words in counts if many)


def marked(found: list[Run]) -> Markup:
    """Runs as HTML: missing words struck through, extra ones dotted below with a plus, swaps in a
    box, swaps of nothing but the tone in a dashed one."""
    shapes = {
        "miss": Markup('<del class="miss">{reference}</del>'),
        "extra": Markup('<ins class="extra">{heard}</ins>'),
    }
    html = Markup()
    for run in found:
        if run.kind == "same":
            html += Markup("{}").format(run.heard)
        elif run.kind in ("swap", "tone"):
            long = " long" if len(run.heard) > 24 else ""
            html += Markup('<span class="{}{}"><del>{}</del><ins>{}</ins></span>').format(
                run.kind, long, run.reference, run.heard
            )
        else:
            html += shapes[run.kind].format(reference=run.reference, heard=run.heard)
        html += Markup("{}").format(run.after)
    return html
