"""What a scripted partner makes of the agent's words: asked, read back right or wrong, done, refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from antiphon.text.mentions import contains, digits_together, fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.partner.script import Fact, Script

_SENTENCE = re.compile(r"(?<=[!?。！？；\n])\s*|(?<=[.;])\s+")
_QUESTION = re.compile(r"[?？]|[吗呢]|请问|请确认|\bplease confirm\b")
_REQUEST = re.compile(
    r"\b(please|could you|can you|may i|tell me|give me|provide|i need|i'll need|what is|what's|which)\b"
    r"|请|告诉|提供|麻烦|报一下|说一下|需要您|需要你|哪|多少|什么"
)
_OPEN = re.compile(
    r"\b(what|which|when|where|who|how (many|much|long)|tell me|give me|provide)\b|哪|什么|多少|几[点号个]|提供|告诉我"
)
_REPEAT = re.compile(
    r"\b(say (that|it) again|repeat (that|it)|didn't (catch|hear)|did not (catch|hear)|couldn't hear|pardon)\b"
    r"|再说一遍|没听清|没听到|重复一下"
)
_ANYTHING_ELSE = re.compile(r"\b(anything|something) else\b|其他需要|别的需要|还有什么|还需要|其它需要")
_REFUSAL = re.compile(
    r"\b(can't|cannot|can not|unable|not able|not possible|impossible|not allowed|not permitted|won't|do not offer"
    r"|don't offer|not supported)\b|无法|不能|不可以|没办法|不支持|办不了|不行|不允许"
)
_DIGITS = re.compile(r"\d+")
_SHORT_RUN = 2  # digits: a day or a month may have one or two
_IDENTIFIER = 5  # digits that alone tell what kind of number it is; fewer could be anything
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE = re.compile(r"[a-z]{3,} \d{1,2}(st|nd|rd|th)?$|^\d{1,2}(st|nd|rd|th)? [a-z]|[年月日号]|^\d{4}-")
_CODE = re.compile(r"[a-z]+ ?\d+")
_SMALL_WORDS = re.compile(r"(\b(on|for|of|at|the|leaving|departing|date|is)\b|[的是在，,:：、]|日期|\s)+$")
_SPELT = re.compile(r"(\w )+\w")  # S K 2 8 5 9: one by one, as nobody writes


@dataclass(frozen=True, slots=True)
class Heard:
    """The agent's turn as it concerns a script. `asked` are facts to tell, `wrong` facts read back wrong,
    `right` facts read back right; `question`: the agent waits for an answer, and with `open` one of its own
    kind, not yes or no; `done` and `refused` are only heard in what is stated, not in what is asked."""

    asked: tuple[Fact, ...]
    wrong: tuple[Fact, ...]
    right: tuple[Fact, ...]
    question: bool
    done: bool
    refused: bool
    open: bool
    repeat: bool
    anything_else: bool
    silent: bool


def listen(script: Script, words: str) -> Heard:
    """What the agent's words mean to a script."""
    text = fold(words)
    sentences = [each for each in _SENTENCE.split(text) if each]
    questions = [each for each in sentences if _QUESTION.search(each)]
    requests = [each for each in sentences if each in questions or _REQUEST.search(each)]
    stated = " ".join(each for each in sentences if each not in questions)
    asked: list[Fact] = []
    wrong: list[Fact] = []
    right = [fact for fact in script.facts if mentions(fact, text)]
    for fact in script.facts:
        if any(_offers(fact, each, text) for each in requests):
            asked.append(fact)
        elif questions and fact not in right and _mistaken(fact, text, script.facts, right):
            wrong.append(fact)
        elif fact not in right and any(_asks(fact, each) for each in requests):
            asked.append(fact)
    return Heard(
        tuple(asked), tuple(wrong), tuple(fact for fact in right if fact not in asked), bool(questions),
        done=any(contains(stated, each) for each in script.done),
        refused=_REFUSAL.search(stated) is not None,
        open=any(_OPEN.search(each) for each in requests),
        repeat=_REPEAT.search(text) is not None,
        anything_else=_ANYTHING_ELSE.search(text) is not None,
        silent=not text,
    )  # fmt: skip


def spellings(fact: Fact) -> tuple[str, ...]:
    """Every right way to say a fact."""
    return (fact.say, str(fact.value), *fact.forms)


def mentions(fact: Fact, folded: str) -> bool:
    """Whether folded words hold the fact."""
    return any(contains(folded, form) for form in spellings(fact))


def _asks(fact: Fact, sentence: str) -> bool:
    return any(contains(sentence, each) for each in fact.asked)


def _offers(fact: Fact, sentence: str, text: str) -> bool:
    """Whether a sentence names the fact only as one of several: "Narita or Haneda?"."""
    for each in fact.asked:
        if mentions(fact, fold(each)) and contains(sentence, each):
            return not mentions(fact, text.replace(fold(each), " "))
    return False


def _mistaken(fact: Fact, text: str, facts: Sequence[Fact], right: Sequence[Fact]) -> bool:
    """Whether a read-back holds something else where the fact belongs.

    A date may be of something else (when an offer ends), so another date is wrong only where it stands beside a
    fact that is right, in a script about one thing.
    """
    if any(contains(text, each) for each in fact.unlike):
        return True
    for shape in _shapes(spellings(fact)):
        for found in shape.pattern.finditer(digits_together(text) if shape.joined else text):
            known = any(contains(found[0], form) for other in facts for form in spellings(other))
            if not known and (shape.sure or (_one_thing(facts) and _beside(text[: found.start()], right))):
                return True
    return False


def _one_thing(facts: Sequence[Fact]) -> bool:
    """Whether no two facts are codes of one shape, such as two flights, each with a date of its own."""
    codes: list[str] = []
    for fact in facts:
        shapes = {_DIGITS.sub("0", form) for form in map(fold, spellings(fact)) if _CODE.fullmatch(form)}
        codes += [shape.replace(" ", "") for shape in sorted(shapes)[:1]]
    return len(codes) == len(set(codes))


def _beside(before: str, right: Sequence[Fact]) -> bool:
    """Whether words end with a right fact, small words and marks aside."""
    before = _SMALL_WORDS.sub("", before)
    return any(before.endswith(fold(form)) for fact in right for form in spellings(fact))


@dataclass(frozen=True, slots=True)
class _Shape:
    """A spelling with any digits. `joined`: of a long number, whose groups may be told apart; `sure`: of no date."""

    pattern: re.Pattern[str]
    joined: bool
    sure: bool


@lru_cache(maxsize=1024)
def _shapes(forms: tuple[str, ...]) -> tuple[_Shape, ...]:
    """A shape for each spelling with digits that could not be just any number."""
    shapes: dict[str, _Shape] = {}
    for form in map(fold, forms):
        joined = digits_together(form)
        number = joined.isdecimal() and not _ISO_DATE.fullmatch(form)
        if not _DIGITS.search(form) or (number and len(joined) < _IDENTIFIER) or _SPELT.fullmatch(form):
            continue
        pieces = _DIGITS.split(joined if number else form)
        runs = _DIGITS.findall(joined if number else form)
        wide = [rf"\d{{{len(run)}}}" if len(run) > _SHORT_RUN else r"\d{1,2}" for run in runs]
        pattern = "".join(re.escape(piece) + run for piece, run in zip(pieces, [*wide, ""], strict=True))
        shapes[pattern] = _Shape(
            re.compile(rf"(?<![0-9a-z]){pattern}(?![0-9]|[.,]\d)"), number, _DATE.search(form) is None
        )
    return tuple(shapes.values())
