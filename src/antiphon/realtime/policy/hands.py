"""What needs hands, or a place in the room: an agent without a body is not asked for it."""

from __future__ import annotations

import re
from itertools import pairwise

from antiphon.realtime.policy import lexicon
from antiphon.realtime.policy.cues import clauses, tokens
from antiphon.text.script import HAN


def bodily(text: str) -> bool:
    """Whether it wants something of a body: to hand over, to come, to close the door."""
    return any(
        _bodily_en(tokens(clause)) or (_BODILY_ZH.search(clause) and not _HOW_ZH.search(clause))
        for clause in clauses(text)
    )


def _bodily_en(words: list[str]) -> bool:
    """An order or a request to do what needs hands, or what happens at a place."""
    while words and (words[0] in _BEFORE_ORDERS or words[0] in lexicon.AUXILIARY_EN):
        words = words[1:]
    if len(words) < 2 or words[1] == "on" or (words[1] == "up" and words[0] not in _UPWARD):
        return False
    if words[0] == "hold":
        return words[1] in ("the", "my", "this", "these") and not _NOT_HELD.intersection(words[2:3])
    if ("a", "table") in pairwise(words):  # of figures
        return False
    placed = bool(lexicon.PLACE_EN.intersection(words[1:]))
    return words[0] in lexicon.BODILY_EN or (words[0] in lexicon.MOVING_EN and placed)


# "Carry on" and "pull up the list" need no hands.
_UPWARD = frozenset(["roll", "lift", "zip", "tie", "fold", "mop", "sweep", "climb"])
_NOT_HELD = frozenset(["thought", "line", "floor", "phone", "reservation", "date"])
_BEFORE_ORDERS = frozenset(
    ["you", "please", "just", "also", "and", "so", "then", "quickly", "now", "okay", "ok", "oh", "hey"]
)
_HOW_ZH = re.compile("什么|怎么|为何|多久|多少|哪[种个]")  # 洗羊毛用什么: how it is done, not that it be done
_COMPOUNDS_ZH = "洗[碗衣][机粉]|洗手间|洗发|洗面奶|[开关]门时间|打印[机店]|复印[机店]|穿[越搭]|拿[铁破]|端[午口]|盛[行产]|摆脱"
_BODILY_ZH = re.compile(
    # not 洗衣机, 开门时间: compounds that need no hands
    rf"^(?:请|麻烦|拜托|帮忙|帮我|给我|你|您|快|先|来|再|就|把[{HAN}]{{1,8}}?|东西|那个|都|大家|(?:帮|给|替)[{HAN}]{{1,4}}?)*(?!{_COMPOUNDS_ZH})(?:{'|'.join(lexicon.BODILY_ZH)})"
    rf"|把[{HAN}]{{1,10}}?(?:{'|'.join(lexicon.BODILY_ZH)})"
)


def about_agent(text: str) -> bool:
    """Whether it talks about the agent as a third party: such words are for somebody else."""
    words = tokens(text)
    pairs = pairwise(words)
    english = any(one in lexicon.THIRD_EN and two in lexicon.TELLING_EN for one, two in pairs)
    english = english and not _OF_ITS_SOURCE.match(text)
    return english or bool(_ABOUT_ZH.search(text))


# "Does it say anything about pets?" asks of what the agent has read.
_OF_ITS_SOURCE = re.compile(r"\W*(?:and |so |but )?does it say\b", re.IGNORECASE)
_ABOUT_ZH = re.compile(
    "它(?:在|又|刚|怎么|为什么|会|能)?(?:说|讲|回答|答|念|播)|这(?:个|台)?(?:机器|助手|软件)"
)
