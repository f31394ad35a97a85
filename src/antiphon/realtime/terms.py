"""What a sentence agrees on about the agent's turns, and whether a later one gives the signal or the word back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.realtime import lexicon
from antiphon.realtime.cues import asks, clauses, has_word, holds, is_han, tokens
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.realtime.agreements import AgreementKind

_QUOTED = re.compile(r"[\"“「『]([^\"”」』]{1,40})[\"”」』]|(?<!\w)['‘]([^'’]{1,40})['’](?!\w)")
_SAID_EN = re.compile(
    r"\b(?:say|says|said|hear|shout|whisper|word|phrase|signal|tell you)\s+(?:is\s+|the\s+(?:word|words|phrase)\s+)?"
    r"([A-Za-z][\w' -]{1,30}?)(?=\s*(?:[,.;!?]|$|\bbefore\b|\bthen\b|\bplease\b|\band\b|\bto you\b|\bdon't\b|\bjust\b))"
)
_SAID_ZH = re.compile(rf"(?:说|喊|讲|听到|听见|暗号是|口令是)(?:出|了|一声|一句|到|过)*([{HAN}]{{1,6}}?)(?=再|才|之前|以前|以后|之后|的时候|时|为止|前|后|你|[，,。.！!]|$)")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Terms:
    """What a person asks of the agent's turns from now on: see `agreements`."""

    kind: AgreementKind
    signals: tuple[str, ...] = ()


def terms(text: str, names: tuple[str, ...]) -> Terms | None:
    """The agreement a sentence proposes: be silent until a signal, until called, or until told otherwise."""
    text = _TAG.sub("", text.replace("刚才", "").replace("方才", ""))
    forbids = has_word(text, lexicon.FORBIDDING_EN, (*lexicon.FORBIDDING_ZH, "才"))
    bounded = has_word(text, lexicon.BOUNDING_EN, lexicon.BOUNDING_ZH)
    of_speech = has_word(text, lexicon.SPEAKING_EN, lexicon.SPEAKING_ZH)
    named = any(word in text.lower() for word in lexicon.NAMING)
    if forbids and named and (bounded or of_speech or _YOUR_NAME.search(text.lower())):
        return Terms("called", names)
    if bounded and of_speech and _MY_WORD.search(text.lower()):
        return Terms("signal", signals(text))
    if forbids and bounded and (of_speech or holds(text) or has_word(text, lexicon.DONE_EN, lexicon.DONE_ZH)):
        return None if asks(text) else Terms("signal", signals(text))
    silences = (
        has_word(text, lexicon.PROHIBITING_EN, lexicon.PROHIBITING_ZH) or "listen" in text or "听" in text
    )
    if forbids and silences and of_speech and not asks(text) and not _complains(text):
        return Terms("silence")
    return None


# "…, okay?" asks nothing.
_TAG = re.compile(
    r"[,，]\s*(?:alright|all right|okay|ok|right|please|will you|好吗|行吗|可以吗|好吧|好不好|成吗)\s*[?？.。]?$",
    re.IGNORECASE,
)

_YOUR_NAME = re.compile("your name|你的?名字|[叫喊]你")

# "Once I say …, you can …": who speaks makes the end of waiting depend on a word of theirs.
_MY_WORD = re.compile(
    r"\bi(?:'ll| will| have|'ve)? (?:say|said|tell|told|shout|give|signal)\b.*\byour?\b|\byou\b.*\b(?:until|till|before|once|when) i (?:say|tell|give)\b"
    r"|我(?:会|没有|没|一)?(?:说|喊|讲).*(?:再|才|之前|以前|时候|就可以|就轮|就该)"
)


def _complains(text: str) -> bool:
    """ "That's not what I said" speaks of speech, too, and asks for no silence."""
    low = tokens(text)
    return bool({"what", "said", "asked", "meant"}.intersection(low)) or "不是" in text


def signals(text: str) -> tuple[str, ...]:
    """The words that end an agreement: quoted ones, what is to be said, or the words for being done."""
    quoted = [(found[1] or found[2]).lower() for found in _QUOTED.finditer(text)]
    if quoted:
        return tuple(quoted)
    for pattern in (_SAID_EN, _SAID_ZH):
        for found in pattern.findall(text):
            said = found.strip().lower()
            if said and tokens(said)[0] not in _VAGUE and tokens(said)[0] not in lexicon.DONE_EN:
                return (said,)
    return (*sorted(lexicon.DONE_EN), *lexicon.DONE_ZH)


_VAGUE = frozenset(
    ["anything", "something", "nothing", "so", "a", "any", "you", "it", "that", "话", "你", "我", "什", "清"]
)


def gives(text: str, signal_words: Iterable[str], agreed: str = "") -> bool:
    """Whether the text gives a signal: one of these words, or alone, words that the agreement itself named."""
    parts = [form for clause in clauses(text) for form in (" ".join(tokens(clause)), _bare(clause))]
    for signal in signal_words:
        wanted = " ".join(tokens(signal))
        single = wanted in lexicon.DONE_EN
        for part in parts:
            edges = part.split()[:1] + part.split()[-1:]
            if wanted and (wanted in edges if single else f" {wanted} " in f" {part} "):
                return True
    named = f" {' '.join(tokens(agreed))} "
    return any(part and f" {part} " in named and not _light(part) for part in parts)


def _bare(clause: str) -> str:
    """A clause without what leads into it."""
    words = tokens(clause)
    while len(words) > 1 and words[0] in lexicon.RESPONSE_EN | lexicon.RESPONSE_ZH | {
        "and",
        "so",
        "now",
        "then",
    }:
        words = words[1:]
    return " ".join(words)


def _light(part: str) -> bool:
    """Whether a part is too common to be a signal by itself."""
    words = part.split()
    common = lexicon.RESPONSE_EN | lexicon.LIGHT_EN | lexicon.OPENING_EN | lexicon.SPEAKING_EN
    return len(words) == 1 and (words[0] in common or is_han(words[0]))


def allows(text: str) -> bool:
    """Whether it gives the word back: the agent may talk again."""
    of_speech = has_word(text, lexicon.SPEAKING_EN, (*lexicon.SPEAKING_ZH, "说", "讲"))
    forbids = bool(
        {"don't", "dont", "not", "no", "never", "unless", "until"}.intersection(tokens(text))
    ) or any(word in text for word in ("别", "不要", "不许", "不准", "直到", "之前"))
    return of_speech and has_word(text, lexicon.ALLOWING_EN, lexicon.ALLOWING_ZH) and not forbids
