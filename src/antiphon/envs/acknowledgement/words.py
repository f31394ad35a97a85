"""What a sentence of the agent is: an acknowledgement, a courtesy, a question, or something of substance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from antiphon.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antiphon.trace import Trace

Sort = Literal["acknowledgement", "courtesy", "question", "answer"]
_SENTENCE = re.compile(r"(?:[^.!?。！？；;\n…]|\.(?=\d))+[.!?。！？；;\n…]*")
_DOING = (
    r"(?:just |quickly |now |first |also |go ahead and |have a |take a )*(?:check|look|see|search|find|pull|get|place|do|verify|confirm"
    r"|handle|process|start|make|set|book|cancel|release|change|update|fetch|review|arrange|run|try|bring|glance|submit|retrieve|proceed|upgrade|transfer|refund|add|remove|send|complete|calculate|compare|issue|modify|confirm)\b"
)
_ACKNOWLEDGES = re.compile(
    rf"\b(?:let me|i'll|i will|i'm going to|i am going to|allow me to)\s+{_DOING}"
    r"|\b(?:one|just a|give me a|wait a)\s+(?:moment|second|sec|minute|bit)\b|\bhold on\b|\bhang on\b|\bbear with me\b"
    r"|\bplease wait\b|\b(?:i'm|i am)\s+(?:now |just )?(?:checking|looking(?! forward)|searching|pulling|placing|working|getting|finding)\b"
    r"|^\W*(?:checking|looking(?! forward)|searching|working on)\b|\bright away\b|^\W*on it\b"
    r"|稍等|等一下|等一等|请稍候|稍候|稍后(?!再)|等我"
    r"|(?:我|我们)?(?:来|这就|马上|现在|先|正在|立刻)?(?:为|帮|给|替)[您你](?:查|看|找|搜|办|处理|核实|安排|操作|取|保留|预订|订)"
    r"|(?:我|我们)(?:来|这就|马上|现在|先|正在|立刻|去)?(?:查|看|找|搜|办|处理|核实|安排|操作)(?:一下|看|查)?"
    r"|(?:正在|这就|马上)(?:去|就)?(?:查|办|处理|搜|找|看|核实|操作)"
)
_NO_PROGRESS = re.compile(
    r"\b(?:i'll|i will|i) need\b|\blet me know\b|(?:^|[,;:]\s*)(?:and\s+|but\s+)?(?:if|once|after|when|as soon as)\b"
    r"|\bplease (?:confirm|provide|tell|give|share|choose)\b|如果|之后|以后|请您?告诉"
)
_COURTESY = re.compile(
    r"\W*(?:(?:hi|hello|hey|sure|sure thing|of course|certainly|okay|ok|alright|all right|got it|great|perfect|thanks"
    r"|thank you|no problem|absolutely|yes|you're welcome|good (?:morning|afternoon|evening)|understood|happy to help"
    r"|您好|你好|好的?|好呀|当然|没问题|可以的?|明白了?|了解|收到|谢谢您?|不客气|嗯|是的|行)\W*)+"
)
_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’][a-z]+)?")


@dataclass(frozen=True, slots=True)
class Landmark:
    """Where something was first said: the step, the character in its text, the words, and when the step began."""

    step: int
    offset: int
    words: str
    t_us: int


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text and where each begins."""
    for found in _SENTENCE.finditer(text):
        words = found[0].strip()
        if _UNIT.search(words):
            yield found.start() + found[0].index(words[0]), words


def sort_of(sentence: str) -> Sort:
    """What a sentence is. A question is never an acknowledgement: it waits for an answer, not for a tool."""
    words = fold(sentence).replace("’", "'")
    if words.rstrip("\"'”’ ")[-1:] in ("?", "？") or words.rstrip("。.!！ ").endswith(("吗", "呢")):
        return "question"
    if _COURTESY.fullmatch(words):
        return "courtesy"
    if _ACKNOWLEDGES.search(words) and not _NO_PROGRESS.search(words):
        return "acknowledgement"
    return "answer"


def acknowledges(text: str) -> bool:
    """Whether any sentence of a text tells that work is starting."""
    return any(sort_of(sentence) == "acknowledgement" for _, sentence in sentences(text))


def first(trace: Trace, sort: Literal["acknowledgement", "answer"]) -> Landmark | None:
    """The agent's first acknowledgement, or its first substantive answer: what is neither acknowledgement nor
    courtesy nor question. None where there is none; one turn can hold both."""
    for at, step in enumerate(trace.steps):
        if step.role != "assistant" or not step.text:
            continue
        for offset, sentence in sentences(step.text):
            if sort_of(sentence) == sort:
                return Landmark(at, offset, sentence, step.t_us)
    return None


def units(text: str) -> list[str]:
    """Han characters and other words, folded: what length is counted in."""
    return _UNIT.findall(fold(text).replace("’", "'"))
