"""What words say about the floor: whether they ask, acknowledge, address somebody, hold, stop or trail off."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from antiphon.realtime.policy import lexicon
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-][^\W{HAN}]+)*")
_HAN = re.compile(f"[{HAN}]")
_ENDS = re.compile(r"[.。!！?？]")


def tokens(text: str) -> list[str]:
    """Words in lower case; each Han character is one."""
    return [found.lower().replace("’", "'") for found in _TOKEN.findall(text)]


def is_han(text: str) -> bool:
    return bool(_HAN.search(text))


def has_word(text: str, english: frozenset[str], mandarin: Iterable[str]) -> bool:
    return bool(english.intersection(tokens(text))) or any(word in text for word in mandarin)


def clauses(text: str) -> list[str]:
    """What stands between punctuation marks."""
    return [part.strip() for part in re.split(r"[,，.。!！?？;；:：、…—]+", text) if part.strip()]


# "How lovely", "what a pity" and "什么都不要" have a question's words, and ask nothing.
NO_QUESTION = re.compile(
    r"\bhow (?!much|many|come|long|far|often|about|old|so|do|does|did|is|are|was)\w+(?= *(?:[.!,]|$))|\bwhat an? \w+(?= *(?:[.!,]|$))"
    r"|(?:什么|谁|怎么|哪儿?|哪里)(?=[都也])|没什么|天[哪呐]|哪里哪里|(?<=[好这那过前后来再有])几",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether it is a question by its form."""
    text = NO_QUESTION.sub("", text)
    if re.search(r"[?？]", text) or any(word in text for word in lexicon.ASKING_ZH):
        return True
    for clause in clauses(text):
        words = [
            word
            for word in tokens(clause)
            if word not in lexicon.RESPONSE_EN and word not in ("so", "and", "but")
        ]
        if words and (words[0] in lexicon.ASKING_EN or words[0].split("'")[0] in lexicon.ASKING_EN):
            return True
        if len(words) > 2 and words[0] in lexicon.AUXILIARY_EN and words[1] in lexicon.SUBJECT_EN:
            return True
    return False


def wants(text: str) -> bool:
    """Whether it asks or wants anything of the listener's talk."""
    text = PRAISE.sub("", text)
    return (
        asks(text)
        or bool(_REPAIRS.search(text))
        or bool(_MORE_ZH.search(text))
        or has_word(text, lexicon.WANTING_EN, lexicon.WANTING_ZH)
    )


PRAISE = re.compile(r"没问题|还?真?都?不知道(?=[啊呢呀，。！]*$)|\bnot (?:too |so )?bad\b", re.IGNORECASE)


def repairs(text: str) -> bool:
    """Whether it was not heard, or not understood."""
    return bool(_REPAIRS.search(text))


# 便宜点的, 大声一点: the talk, or what it is of, has to be otherwise.
_MORE_ZH = re.compile(
    r"(?<![有早晚一差])[^\s，。！？,]一?点(?:的|儿|吧|说|讲|行吗)*(?:$|[，。！？,!])|别的|用[^，。！？,]{1,4}(?:说|讲|念|回答|表示)"
)

# "I don't follow": the listener's talk has to change.
_REPAIRS = re.compile(
    r"\b(?:don't|didn't|can't|cannot|couldn't|not) (?:\w+ )?(?:follow|understand|get|hear|catch|see)|\blost me\b|\bconfus"
    r"|没(?:有)?(?:听|懂|明白|跟上|看懂)|(?:听|看)不(?:懂|清|明白)|不(?:懂|明白)",
    re.IGNORECASE,
)


def stops(text: str) -> bool:
    """Whether it tells somebody to be silent. "Enough" does where it stands for itself: "fair enough" agrees."""
    words = tokens(text)
    if _DOINGS.search(text):
        return False
    for at, (before, word) in enumerate(pairwise(["", *words]), start=1):
        if word == "enough" and before in _ENOUGH:
            return True
        if (
            word in lexicon.STOPPING_EN
            and word != "enough"
            and (word, *words[at : at + 1]) not in (_SHUT if before == "" else _SHUT | _HALTS)
        ):
            return True
        if (before, word) == ("no", "more") and (words[at:] or ["now"])[0] in _NO_MORE_EN:
            return True
    if _SUFFICES.search(" ".join(words)):
        return True
    return any(word in text for word in lexicon.STOPPING_ZH) or bool(_NO_MORE_ZH.search(text))


# What is to be stopped is not the talk: "stop kicking", 别再踢.
_DOINGS = re.compile(
    r"\b(?:stop|quit) (?!(?:talking|speaking|saying|reading|explaining|going|listing|rambling|playing|telling|answering|interrupting|repeating|responding|narrating|there)\b)\w+ing\b"
    r"|(?:车|靠边|你)停|停车|别再(?![说讲念吵答回出]|继续)|别吵醒",
    re.IGNORECASE,
)
# "That'll do", "that's plenty", "leave it there", "cut it": short, and about what was just heard.
_SUFFICES = re.compile(
    r"^(?:\w+ ){0,2}(?:that's|that is|that'll be|that will be|it's) (?:all|plenty|it|sufficient|quite enough|good enough)(?: \w+){0,6}$"
    r"|^(?:\w+ )?cancel(?: (?:that|it|this))?(?: please)?$|\bthat(?:'ll| will| should) (?:do|suffice)\b|^(?:\w+ ){0,2}(?:pack|cut|knock|leave|drop|zip|can|wrap|give|save|call) (?:it|that)(?: (?:in|out|off|there|here|up|at that|a rest|a break|a day|now|please)){0,2}$"
    r"|\b(?:no need|don't need) to (?:go on|continue|say|finish)\b|\bheard (?:enough|plenty)\b"
)
# A door is shut, a coat is zipped up; a mouth is shut up, or zipped.
_SHUT = frozenset(
    [("shut", what) for what in ("the", "that", "this", "my", "those")]
    + [("zip", what) for what in ("me", "us", "my", "the", "him", "her")]
)
# Buses stop at a place; only an order to stop begins with it.
_HALTS = frozenset(("stop", where) for where in ("at", "in", "near", "between"))
# "No more, thanks", "no more talking": not "no more sweets".
_NO_MORE_EN = frozenset(
    [
        "now",
        "please",
        "thanks",
        "thank",
        "you",
        "of",
        "for",
        "from",
        "talking",
        "speaking",
        "explaining",
        "explanations",
        "words",
        "questions",
        "details",
        "stories",
        "facts",
    ]
)
_NO_MORE_ZH = re.compile(
    r"(?<![不懂])得了(?:吧)?\W*$|不(?:说|讲|聊|听|念|用继续|必继续|用往下)(?:了|啦|下去)|(?:就|先|说|讲|聊)+到(?:这|此)|^\W*取消\W*$"
)
_ENOUGH = frozenset(
    ["", "that's", "is", "enough", "okay", "ok", "right", "had", "heard", "about", "thanks", "alright"]
)


def holds(text: str) -> bool:
    """Whether it asks for a moment. "Wait" before a sentence of its own only leads into that."""
    words = tokens(text)
    held = [
        word
        for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False)
        if word in lexicon.HOLDING_EN and _measures(before, word) and not (word == "hold" and after in _HELD)
    ]
    if held and set(held) == {"wait"}:
        rest = [
            clause for clause in clauses(text) if "wait" not in tokens(clause) and not _DOING.match(clause)
        ]
        return not any(len(tokens(clause)) > 2 for clause in rest)
    return bool(held) or bool(_MEANWHILE.search(text)) or any(word in text for word in lexicon.HOLDING_ZH)


# "Hold the ladder", "hold my bag" wait for nothing.
_HELD = frozenset(["the", "my", "this", "these", "those", "his", "her", "your", "our", "still"])

# What a person does while others wait for it: "let me find a pen", "我去拿支笔".
_MEANWHILE = re.compile(
    r"\b(?:let me|lemme|i need to|i've got to|i have to|i'll just|i'm just going to) (?:just |quickly |first )*(?:think|grab|get (?!it|this|my point)|find|fetch|look for|check (?:something|my|the)|see who|write|jot|note|take (?:this|a)|put|open|close|turn|plug|finish (?:my|this)|pull up|dig|answer the|blow|sneeze|catch my)"
    r"|\blet me\b.*\bfirst\b|(?:让|容)我先|\b(?:give|gimme|need|take)(?: me)? (?:just )?(?:two|three|five|ten|a few|a couple of|\d+) (?:sec|second|minute|min|moment)s?\b|给我(?:一|两|几|三|五|十)+(?:分钟|秒|下)|我(?:先|得)?去?(?:拿|取|找)(?:一下|下|个|张|支|本|点|我的)|我去(?:接|开|看|倒|关|上)",
    re.IGNORECASE,
)


def _measures(before: str, word: str) -> bool:
    """A second, not the second."""
    return word not in ("second", "minute", "moment", "sec") or before in (
        "a",
        "one",
        "another",
        "few",
        "two",
        "just",
        "",
    )


# What the person does meanwhile is no wish: "let me find a pen", "我找一下".
_DOING = re.compile(
    r"\s*(?:(?:i need to|i have to|i must|i've got to|let me|lemme|i'm \w+ing)\b|我(?![想要问需不没还]))",
    re.IGNORECASE,
)


def wants_beside_holding(text: str) -> bool:
    """Whether a clause other than the one that asks for a moment wants something."""
    return any(wants(clause) and not holds(clause) and not _DOING.match(clause) for clause in clauses(text))


def holds_politely(text: str) -> bool:
    """A request for a moment in the form of a question: "could you wait a minute?" """
    what = lexicon.ASKING_EN.intersection(tokens(text)) or any(
        word in text for word in lexicon.ASKING_ZH if "吗" not in word
    )
    return holds(text) and not what and len(clauses(text)) == 1


def continues(text: str) -> bool:
    """Whether it tells the agent to go on with what it was saying: in its last clause, or with nothing else wanted."""
    parts = clauses(re.sub(r"\bagain\b|请", "", text))
    going = [_goes_on(part) and not wants(part) for part in parts]
    return bool(going) and (going[-1] or (any(going) and not any(wants(part) for part in parts)))


_TALKING_EN = frozenset(
    ["going", "talking", "reading", "explaining", "telling", "listing", "speaking", "playing", "saying"]
)


def _goes_on(clause: str) -> bool:
    first = tokens(clause)[:5]
    if any(word in clause for word in lexicon.CONTINUING_ZH):
        return True
    for word, after in pairwise([*first, ""]):
        if word in lexicon.CONTINUING_EN and (
            word not in ("keep", "carry") or after == "on" or after in _TALKING_EN
        ):
            return True
        if word == "go" and after in ("on", "ahead"):
            return True
    return False


def trails(text: str) -> bool:
    """Whether more must come: it ends in a word that leads on, or in an open punctuation mark."""
    stripped = text.rstrip()
    if not stripped or re.search(r"[,，、…—:：-]$|\.\.\.$", stripped):
        return True
    if re.search(r"[?？!！.。]$", stripped):
        return False
    if _leads(stripped):
        return True
    if is_han(stripped[-1:]):
        return stripped.endswith(lexicon.TRAILING_ZH) and not stripped.endswith(("不要", "需要", "没想"))
    words = tokens(stripped)
    return bool(words) and words[-1] in lexicon.TRAILING_EN


def _leads(text: str) -> bool:
    """Whether it is one clause that needs another."""
    first = tokens(text)[:1]
    opens = bool(lexicon.LEADING_EN.intersection(first)) or text.startswith(lexicon.LEADING_ZH)
    return opens and len(clauses(text)) == 1 and len(tokens(text)) < 6


def affirms(text: str) -> bool:
    """Whether it is a plain yes: short, affirming, and denying nothing."""
    words = tokens(text)
    if not words or len(words) > 8 or asks(text):
        return False
    return has_word(text, lexicon.YES_EN, lexicon.YES_ZH) and not has_word(text, lexicon.NO_EN, lexicon.NO_ZH)


def content(text: str) -> frozenset[str]:
    """What a text is about: longer English words, and pairs of Han characters."""
    words = {word for word in tokens(text) if len(word) > 3 and not is_han(word)}
    han = "".join(_HAN.findall(text))
    pairs = {han[at : at + 2] for at in range(len(han) - 1)}
    dull = lexicon.LIGHT_EN | lexicon.OPENING_EN | lexicon.ASKING_EN | lexicon.AUXILIARY_EN
    return frozenset(word for word in words | pairs if word not in dull and word not in lexicon.OPENING_ZH)
