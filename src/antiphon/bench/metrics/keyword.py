"""Keyword accuracy: does the reply hold the answer? As published, and as it should be.

Published (appendix C.1): the answer is a substring of the reply; what is not goes to a judge. 131 of the
3,000 published answers have one character, and 30 stand in their own question, so a reply that merely
echoes the question can count as right. The strict form asks for the answer as words of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.text.normalise import comparable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.items import Item
    from antiphon.text.script import Language

# Spoken and written answers count as the same when fewer than this share of syllables differ (C.1).
SPEECH_LIMIT = 0.05

_BREAK = re.compile(r"[。！？；：，、…\n()（）\[\]【】]|[,.!?;:](?=\s|$)")
_QUOTE = re.compile(r"[\"“”‘’「」『』《》*]")
_SPACE = re.compile(r"\s+")
_LATIN = "a-z0-9à-ɏ"
_NUMERALS = "零〇一二三四五六七八九十百千万亿两点"
_DENIED = re.compile(r"(?:不是|并非|不叫|不在|不为|不等于|\bnot(?: in| the)?|\bisnt|n t)\s*$")
_NAMED = "(?:是|为|叫|作|做|即|选|念|读|填|字|于)"
_PARTICLE = "(?:字|呢|啊|哦|吧|呀|的|了)?"


def paper_forms(item: Item) -> list[str]:
    """The published forms of an answer: code-switching items have one in each language, and every part
    of a name with `·` in it."""
    forms = [item.answer or ""]
    if "Answer_en" in item.extra:
        forms.append(str(item.extra["Answer_en"]))
        forms += forms[0].split("·")
    return [form for form in dict.fromkeys(forms) if form]


def strict_forms(item: Item) -> list[str]:
    """Every accepted form: the answer, its twin in English, our lists, and the last part of a name."""
    forms = [item.answer or "", str(item.extra.get("Answer_en") or "")]
    forms += [str(form) for form in item.extra.get("Answers", [])]
    forms += [form.rsplit("·", 1)[1] for form in forms if "·" in form]
    return [form for form in dict.fromkeys(forms) if form.strip()]


def paper_keyword(forms: Sequence[str], reply: str) -> tuple[bool, dict[str, str]]:
    """Whether any form is a substring of the reply, as published. Raises ValueError without forms."""
    _check(forms)
    for form in forms:
        if form in reply:
            return True, {"found": form}
    return False, {"looked_for": " / ".join(forms)}


def strict_keyword(
    forms: Sequence[str], reply: str, question: str, language: Language
) -> tuple[bool, dict[str, str]]:
    """Whether the reply says any form, after normalising both, in words of its own.

    A form counts where it is no part of a longer Latin word or number, is not denied ("不是北京"), and is
    not just the question repeated. One Han character counts only where it stands alone or is named ("是手。").
    Raises ValueError without forms.
    """
    _check(forms)
    clauses = [clause for clause in _BREAK.split(reply) if clause.strip()]
    asked = _joined(comparable(question, language), language)
    for form in forms:
        wanted = _joined(comparable(form, language), language)
        if not wanted:
            continue
        if len(wanted) == 1 and not wanted.isascii():
            found = _says_character(wanted, clauses, asked, language)
        else:
            whole = [reply] if _BREAK.search(form) else clauses
            found = any(_says(wanted, _joined(comparable(c, language), language), asked) for c in whole)
        if found:
            return True, {"found": form}
    return False, {"looked_for": " / ".join(forms)}


def spoken_right(right: bool, error_rate: float | None) -> bool | None:
    """Speech-to-speech correctness of one item: right in words, and spoken as written (C.1, table 6).

    `error_rate` is the syllable (or word) error rate between the reply's words and its transcript; None
    where it was not measured, and then only a wrong reply is decided.
    """
    if not right:
        return False
    return None if error_rate is None else error_rate < SPEECH_LIMIT


def _check(forms: Sequence[str]) -> None:
    if not forms or not all(form.strip() for form in forms):
        raise ValueError("an item without an answer has no keyword")


def _joined(text: str, language: Language) -> str:
    """Lower case with single spaces; between Han characters none, so that pauses do not part them."""
    text = _SPACE.sub(" ", text.casefold()).strip()
    return text if language == "en" else re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", text)


def _says(wanted: str, clause: str, asked: str) -> bool:
    rest = _without_echo(clause, asked, len(wanted)) if wanted in asked else clause
    return any(not _DENIED.search(rest[: match.start()]) for match in _alone(wanted).finditer(rest))


def _alone(wanted: str) -> re.Pattern[str]:
    """The form with its borders: no letter may continue a Latin word, no numeral a number."""
    before = after = ""
    for kind in (_LATIN, _NUMERALS):
        inside = re.compile(f"[{kind}]")
        before += f"(?<![{kind}])" if inside.match(wanted[0]) else ""
        after += f"(?![{kind}])" if inside.match(wanted[-1]) else ""
    return re.compile(f"{before}{re.escape(wanted)}{after}")


def _without_echo(clause: str, asked: str, length: int) -> str:
    """The clause without every stretch that repeats more than `length` characters of the question."""
    kept: list[str] = []
    at = 0
    while at < len(clause):
        end = at
        while end < len(clause) and clause[at : end + 1] in asked:
            end += 1
        if end - at > length:
            kept.append("\n")
            at = end
        else:
            kept.append(clause[at])
            at += 1
    return "".join(kept)


def _says_character(wanted: str, clauses: Sequence[str], asked: str, language: Language) -> bool:
    named = re.compile(f"{_NAMED}{re.escape(wanted)}{_PARTICLE}$")
    for clause in clauses:
        pieces = [_joined(comparable(piece, language), language) for piece in _QUOTE.split(clause)]
        if wanted not in asked and wanted in (piece.removesuffix("字") for piece in pieces):
            return True
        if _says_named(named, "".join(pieces), asked):
            return True
    return False


def _says_named(named: re.Pattern[str], clause: str, asked: str) -> bool:
    match = named.search(clause)
    if match is None or _DENIED.search(clause[: match.start() + 1]):
        return False
    return match[0] not in asked
