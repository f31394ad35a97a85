"""What a paralinguistic instruction asks for: which sentence to repeat, how fast, in which emotion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from antiphon.bench.items import Item

Speed = Literal["twice", "half"]
Name = TypeVar("Name", bound=str)

_OPEN, _CLOSE = "“「『‘", "”」』’"
_QUOTED = re.compile(f"[{_OPEN}]([^{_OPEN}{_CLOSE}]+)[{_CLOSE}]")
_SPEEDS: tuple[tuple[Speed, re.Pattern[str]], ...] = (
    ("twice", re.compile(r"(?<!慢)[两二2]倍|快[一1]倍|\btwice\b")),
    ("half", re.compile(r"一半|慢[一两二12]倍|\bhalf\b")),
)
_FEELINGS = {
    "angry": "生气|愤怒",
    "happy": "高兴|开心|快乐",
    "neutral": "中性|中立|平静",
    "sad": "伤心|悲伤|难过",
    "surprised": "惊喜|惊讶|吃惊",
}
_MANNER = "的?(?:语气|情绪|口吻|声音)"
_MANNER_EN = r"\s+(?:emotion|tone|voice)"
_ENDS = {"zh": "。：:", "en": ".:"}


@dataclass(frozen=True, slots=True)
class Wish:
    """The sentence, and the speed and emotion where the instruction names one."""

    sentence: str
    speed: Speed | None = None
    emotion: str | None = None


def wish_of(item: Item) -> Wish | str:
    """What an instruction asks for, or why that cannot be told.

    The sentence is the item's `Target` where it has one. Else the instruction ends at its first full stop or
    colon outside quotation marks and the sentence is the rest; without a rest it is the last quotation. All
    200 published instructions in either language end at their first full stop. Speed and emotion are looked
    for in the instruction alone.
    """
    target = str(item.extra.get("Target") or "")
    instruction, rest = _parts(item.question, _ENDS["en" if item.language == "en" else "zh"])
    sentence = target or rest
    if not sentence:
        return "the instruction names no sentence to repeat; give the item a `Target`"
    if target:
        instruction = item.question.replace(target, "")
    speeds: list[Speed] = [name for name, said in _SPEEDS if said.search(instruction)]
    speed = _only(speeds)
    emotion = _only([name for name in _FEELINGS if _asks_for(name, instruction)])
    kind = str(item.extra.get("Sub-category") or "")
    for part, known in (("speed", speed), ("emotion", emotion)):
        if part in kind and known is None:
            return f"{kind!r}, but the instruction names no {part} that we know"
    return Wish(sentence, speed, emotion)


def _asks_for(emotion: str, instruction: str) -> bool:
    words = f"(?:{_FEELINGS[emotion]}){_MANNER}|\\b{emotion}{_MANNER_EN}"
    return re.search(words, instruction, re.IGNORECASE) is not None


def _only(names: list[Name]) -> Name | None:
    return names[0] if len(names) == 1 else None


def _parts(question: str, ends: str) -> tuple[str, str]:
    depth = 0
    for at, mark in enumerate(question):
        depth += (mark in _OPEN) - (mark in _CLOSE)
        if depth == 0 and mark in ends and (rest := question[at + 1 :].strip()):
            whole = _QUOTED.fullmatch(rest)
            return question[: at + 1], whole[1] if whole else rest
    quoted = list(_QUOTED.finditer(question))
    if not quoted:
        return question, ""
    return question[: quoted[-1].start()] + question[quoted[-1].end() :], quoted[-1][1]
