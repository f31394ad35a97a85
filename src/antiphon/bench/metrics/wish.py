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
    ("twice", re.compile("(?<!慢)[两二2]倍|快[一1]倍")),
    ("half", re.compile("一半|慢[一两二12]倍")),
)
_FEELINGS = {
    "angry": "生气|愤怒",
    "happy": "高兴|开心|快乐",
    "neutral": "中性|中立|平静",
    "sad": "伤心|悲伤|难过",
    "surprised": "惊喜|惊讶|吃惊",
}
_MANNER = "的?(?:语气|情绪|口吻|声音)"


@dataclass(frozen=True, slots=True)
class Wish:
    """The sentence, and the speed and emotion where the instruction names one."""

    sentence: str
    speed: Speed | None = None
    emotion: str | None = None


def wish_of(item: Item) -> Wish | str:
    """What an instruction asks for, or why that cannot be told.

    The sentence is the item's `Target` where it has one. Else the instruction ends at its first 。or ：outside
    quotation marks and the sentence is the rest; without a rest it is the last quotation. All 200 published
    instructions end at their first 。. Speed and emotion are looked for in the instruction alone.
    """
    target = str(item.extra.get("Target") or "")
    instruction, rest = _parts(item.question)
    sentence = target or rest
    if not sentence:
        return "the instruction names no sentence to repeat; give the item a `Target`"
    if target:
        instruction = item.question.replace(target, "")
    speeds: list[Speed] = [name for name, said in _SPEEDS if said.search(instruction)]
    speed = _only(speeds)
    emotion = _only(
        [name for name, said in _FEELINGS.items() if re.search(f"(?:{said}){_MANNER}", instruction)]
    )
    kind = str(item.extra.get("Sub-category") or "")
    for part, known in (("speed", speed), ("emotion", emotion)):
        if part in kind and known is None:
            return f"{kind!r}, but the instruction names no {part} that we know"
    return Wish(sentence, speed, emotion)


def _only(names: list[Name]) -> Name | None:
    return names[0] if len(names) == 1 else None


def _parts(question: str) -> tuple[str, str]:
    depth = 0
    for at, mark in enumerate(question):
        depth += (mark in _OPEN) - (mark in _CLOSE)
        if depth == 0 and mark in "。：:" and (rest := question[at + 1 :].strip()):
            whole = _QUOTED.fullmatch(rest)
            return question[: at + 1], whole[1] if whole else rest
    quoted = list(_QUOTED.finditer(question))
    if not quoted:
        return question, ""
    return question[: quoted[-1].start()] + question[quoted[-1].end() :], quoted[-1][1]
