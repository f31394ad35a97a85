"""Whom a sentence calls: the agent by its names, or a person by name or relation."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from antiphon.realtime.policy import lexicon
from antiphon.realtime.policy.cues import is_han, tokens, wants
from antiphon.realtime.policy.name_sounds import sounds_called
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

_CALL_EN = re.compile(
    r"^\W*(?:(?:hey|hi|oh|sorry|hello|yo|ok|okay|so|and|excuse me|um|uh|er|ah|psst|no|yes|yeah|well|good|right|great|fine|alright|sure|but|thanks|thank you|listen|look|wait|come on|not now|morning|good morning)\W+)*([A-Za-z][\w'-]+)\s*[,!:?]",
    re.IGNORECASE,
)
_CALL_END_EN = re.compile(r",\s*([A-Za-z][\w'-]+)\s*[.?!]*$")
# "Thanks for waiting, Beth, have a seat": between commas, and no member of a list.
_CALL_MID_EN = re.compile(r"\b[a-z']+, ([A-Za-z]+), (?!and\b|or\b|(?!I\b)[A-Z])")
# "Leila stop kicking my seat": an order right after a name.
_CALL_ORDER_EN = re.compile(
    r"^([A-Z][a-z]*[a-rt-z]) (?:stop|quit|don't|come|put|get|look|wait|sit|hurry|leave|be|watch|move|bring|hand|take|turn|close|open)\b"
)
_AH_ZH = "(?:哎呀|哎哟|哎|唉|喂|诶|欸|嘿|哦|啊|嗨|咦)"
_CALL_ZH = re.compile(rf"^\W*(?:(?:{_AH_ZH}|那个|对了|你好)[，,、\s]*)*([{HAN}]{{1,5}})[，,！!：:、]")
_CALL_YOU_ZH = re.compile(
    rf"^\W*(?:{_AH_ZH}[，,\s]*)?([{HAN}]{{2,3}}?)(?:你|您|我|咱|听得|看得|看见|过来|快|别|帮|把|在吗|在不在|醒|回来|来[了啦]|这|有)"
)
_CALL_YOU_EN = re.compile(
    r"^([A-Z][a-z]+) (?:(?:can|could|do|did|are|have|would|will) you|please|your?|what|where|when|why|how)\b"
)
# 警官早, 小李你好
_CALL_GREET_ZH = re.compile(
    rf"^\W*([{HAN}]{{2,3}}?)(?:早上好|早安|早|晚上好|下午好|好久不见|你好|您好)(?=[，。！？,.!?\s]|$)"
)
# 谢谢凯文, 久等了王经理
_CALL_AFTER_ZH = re.compile(rf"(?:谢谢|多谢|了|嗨|再见|拜拜|辛苦)([{HAN}]{{2,3}})(?=[，。！？,.!?\s]|$)")
_CALL_END_ZH = re.compile(rf"[，,]\s*([{HAN}]{{1,4}})\s*[。？！?!.]*$")


def calls(text: str, names: Iterable[str]) -> bool:
    """Whether one of these names is said, or called by a word that sounds like it."""
    low = text.lower()
    return sounds_called(text, names) or any(
        (name in text) if is_han(name) else re.search(rf"\b{re.escape(name.lower())}\b", low)
        for name in names
    )


def to_listener(text: str, names: Iterable[str]) -> bool:
    """Whether it speaks to who listens: by name, or as "you"."""
    you = {"you", "your", "you're", "you'd", "yours"}
    return calls(text, names) or bool(you.intersection(tokens(text))) or "你" in text or "您" in text


@lru_cache(maxsize=64)
def addressee(text: str) -> str | None:
    """The person a sentence calls at its beginning or end; None where it calls nobody."""
    parts = _sentences(text)
    for pattern, judge in (
        (_CALL_TITLE_EN, _is_name_en), (_CALL_AFTER_EN, _is_name_en), (_CALL_YOU_ZH, _is_name_zh), (_CALL_YOU_EN, _is_name_en), (_CALL_EN, _is_name_en), (_CALL_MID_EN, _is_name_en), (_CALL_ORDER_EN, _is_name_en), (_CALL_END_EN, _is_name_en), (_CALL_ZH, _is_name_zh), (_CALL_AFTER_ZH, _is_name_zh), (_CALL_GREET_ZH, _is_name_zh), (_CALL_END_ZH, _is_name_zh),
    ):  # fmt: skip
        for part in parts:
            found = pattern.search(part)
            if found and judge(found[1]) and not _CONTRASTS.match(part, found.end(1)):
                return found[1]
    return None


# "Rye, not spelt": a choice, and nobody of that name.
_CONTRASTS = re.compile(r"\s*[,，]\s*(?:not (?!now|yet|so|here|again|in |on |that)|不是)", re.IGNORECASE)


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.。!！?？])\s*", text)
    return [part for part in parts if part]


_NO_NAMES = (
    lexicon.RESPONSE_EN | lexicon.LIGHT_EN | lexicon.WANTING_EN | lexicon.STOPPING_EN | lexicon.HOLDING_EN
    | lexicon.CONTINUING_EN | lexicon.AUXILIARY_EN | lexicon.ASKING_EN | lexicon.DONE_EN | lexicon.TRAILING_EN
)  # fmt: skip


_TITLES_EN = "mr|mrs|ms|miss|dr|doctor|professor|prof|uncle|aunt|auntie|grandma|grandpa|officer|captain|sir"
# "Cheers Dev", "Oh hi Uncle Ray": a name after a greeting or thanks, without a comma.
_CALL_AFTER_EN = re.compile(
    rf"^\W*(?:[A-Za-z']+\W+)?(?:[Hh]i|[Hh]ey|[Hh]ello|[Cc]heers|[Tt]hanks|[Mm]orning|[Bb]ye|[Ss]orry|[Yy]o|[Nn]ight|[Oo]i|[Tt]a)\s+((?:(?i:{_TITLES_EN})\.? )?[A-Z][a-z]+)\b"
)
_CALL_TITLE_EN = re.compile(rf"(?:^|[,.!?]\s*)((?i:{_TITLES_EN})\.? [A-Z][a-z]+)\s*(?:[,.!?]|$)")


def _is_name_en(word: str) -> bool:
    if " " in word:
        return word.split()[-1].lower() not in lexicon.OPENING_EN
    if not re.search("[aeiouyAEIOUY]", word):
        return False  # "shh"
    low = word.lower().replace("’", "'")
    if low in lexicon.RELATION_EN:
        return True
    return (
        low not in _NO_NAMES
        and word[0].isupper()
        and word.isalpha()
        and low not in lexicon.OPENING_EN
        and not low.endswith(("ly", "'s", "ing"))
    )


# 大声, 小心, 老是, 大概, 小时 …
_NOT_NAMED = frozenset("家概约会学时心点是部少声事型量于费气说道路众人体致实区一的些多")


_DOUBLED_ZH = frozenset("谢等停快试讲看早少人往常慢偏仅渐刚多大小数不别走问查写读念找换跳")


def _is_name_zh(word: str) -> bool:
    if word in lexicon.OPENING_ZH:
        return False
    if word.endswith(lexicon.RELATION_ZH):
        return True
    if len(word) in (2, 3) and word[0] in "小老阿大":
        return not _NOT_NAMED.intersection(word[1:])
    if len(word) == 2 and word[0] == word[1]:  # 豆豆
        return word[0] not in lexicon.RESPONSE_ZH | lexicon.LIGHT_ZH | _DOUBLED_ZH
    if len(word) in (2, 3) and lexicon.GIVEN_ZH.issuperset(word) and word not in lexicon.NO_GIVEN_ZH:
        return True
    return len(word) in (2, 3) and word[0] in lexicon.COMMON_SURNAMES_ZH and not wants(word)
