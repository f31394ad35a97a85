"""How well a set was heard: utterances against lines, and words against what was said."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from antiphon.text.align import distance
from antiphon.text.script import simplify

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.realtime.simulation.simulate import Performed

_MARKS = re.compile(r"[^\w]+|_+")


def heard(sessions: Iterable[Performed]) -> dict[str, Any]:
    """Counts over all sessions. `missed` lines were in no utterance, `cut` ones in several, `joined` utterances
    hold several lines, `noise` ones none. `error_rate` is that of the last words of each line that was heard,
    in words for English and characters for Mandarin; None without any."""
    counts: Counter[str] = Counter()
    errors: dict[str, list[int]] = {"en": [0, 0], "zh": [0, 0]}
    for done in sessions:
        _count(done, counts, errors)
    names = ("lines", "utterances", "missed", "cut", "joined", "noise")
    return {name: counts[name] for name in names} | {
        "error_rate": {
            language: {"rate": round(wrong / n, 4) if n else None, "errors": wrong, "n": n}
            for language, (wrong, n) in errors.items()
        }
    }


def _count(done: Performed, counts: Counter[str], errors: dict[str, list[int]]) -> None:
    said = {line.id: line.text for line in done.session.lines if done.spans.get(line.id)}
    inside = Counter(line for lines, _ in done.heard.values() for line in lines)
    counts["lines"] += len(said)
    counts["utterances"] += len(done.heard)
    counts["missed"] += sum(not inside[line] for line in said)
    counts["cut"] += sum(inside[line] > 1 for line in said)
    counts["joined"] += sum(len(lines) > 1 for lines, _ in done.heard.values())
    counts["noise"] += sum(not lines for lines, _ in done.heard.values())
    language = "zh" if done.session.language == "zh" else "en"
    # Lines and utterances that belong together are compared as one.
    for lines, words in _together(done.heard.values()):
        reference = _tokens(" ".join(said[line] for line in lines if line in said), language)
        errors[language][0] += distance(reference, _tokens(words, language))
        errors[language][1] += len(reference)


def _together(heard: Iterable[tuple[tuple[str, ...], str]]) -> list[tuple[list[str], str]]:
    """Utterances that share a line, with their lines in order and their words joined."""
    found: list[tuple[list[str], str]] = []
    for lines, words in heard:
        if not lines:
            continue
        if found and set(found[-1][0]) & set(lines):
            before, text = found[-1]
            found[-1] = ([*before, *(line for line in lines if line not in before)], f"{text} {words}")
        else:
            found.append((list(lines), words))
    return found


def _tokens(text: str, language: str) -> list[str]:
    plain = _MARKS.sub(" ", text.replace("'", "").replace("’", "").casefold())
    return list(simplify(plain).replace(" ", "")) if language == "zh" else plain.split()
