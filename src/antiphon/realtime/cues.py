"""What words say about the floor: whether they ask, acknowledge, address somebody, hold, stop or trail off."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from antiphon.realtime import lexicon
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-][^\W{HAN}]+)*")
_HAN = re.compile(f"[{HAN}]")
_ENDS = re.compile(r"[.。!！?？]")
_CALL_EN = re.compile(
    r"^\W*(?:(?:hey|hi|oh|sorry|hello|yo|ok|okay|so|and|excuse me|um|uh|er|ah|psst)\W+)*([A-Za-z][\w'-]+)\s*[,!:?]",
    re.IGNORECASE,
)
_CALL_END_EN = re.compile(r",\s*([A-Za-z][\w'-]+)\s*[.?!]*$")
_AH_ZH = "(?:哎呀|哎哟|哎|唉|喂|诶|欸|嘿|哦|啊|嗨|咦)"
_CALL_ZH = re.compile(rf"^\W*(?:(?:{_AH_ZH}|那个|对了|你好)[，,、\s]*)*([{HAN}]{{1,5}})[，,！!：:、]")
_CALL_YOU_ZH = re.compile(
    rf"^\W*(?:{_AH_ZH}[，,\s]*)?([{HAN}]{{2,3}}?)(?:你|您|听得|看得|看见|过来|快|别|在吗|在不在|醒)"
)
_CALL_YOU_EN = re.compile(
    r"^([A-Z][a-z]+) (?:(?:can|could|do|did|are|have|would|will) you|please|your?|what|where|when|why|how)\b"
)
_CALL_END_ZH = re.compile(rf"[，,]\s*([{HAN}]{{1,4}})\s*[。？！?!.]*$")


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
_NO_QUESTION = re.compile(
    r"\bhow (?!much|many|come|long|far|often|about|old|so|do|does|did|is|are|was)\w+(?= *(?:[.!,]|$))|\bwhat an? \w+(?= *(?:[.!,]|$))"
    r"|(?:什么|谁|怎么|哪儿?|哪里)(?=[都也])|没什么|(?<=[好这那过前后来再有])几",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether it is a question by its form."""
    text = _NO_QUESTION.sub("", text)
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
    text = _PRAISE.sub("", text)
    return asks(text) or bool(_REPAIRS.search(text)) or has_word(text, lexicon.WANTING_EN, lexicon.WANTING_ZH)


_PRAISE = re.compile(r"没问题|\bnot (?:too |so )?bad\b", re.IGNORECASE)

# "I don't follow": the listener's talk has to change.
_REPAIRS = re.compile(
    r"\b(?:don't|didn't|can't|cannot|couldn't|not) (?:\w+ )?(?:follow|understand|get|hear|catch|see)|\blost me\b|\bconfus"
    r"|没(?:有)?(?:听|懂|明白|跟上|看懂)|(?:听|看)不(?:懂|清|明白)|不(?:懂|明白)",
    re.IGNORECASE,
)


def opens_with_response(text: str) -> bool:
    """Whether its first word acknowledges."""
    return bool((lexicon.RESPONSE_EN | lexicon.RESPONSE_ZH).intersection(tokens(text)[:1]))


_TELLING = {
    "明",
    "懂",
    "没",
    "原",
    "确",
    "棒",
    "理",
    "真",
    "可",
    "错",
    "意",
    "see",
    "got",
    "know",
    "sense",
    "course",
}


def responds(text: str) -> bool:
    """Whether it only acknowledges: response words with light ones around them, and nothing wanted."""
    exclaims = bool(_NO_QUESTION.search(text))
    text = _NO_QUESTION.sub("", _PRAISE.sub("good", text))
    words = tokens(text)
    if not words or len(words) > 8:
        return exclaims and not words
    known = lexicon.RESPONSE_EN | lexicon.LIGHT_EN | lexicon.RESPONSE_ZH | lexicon.LIGHT_ZH
    responses = lexicon.RESPONSE_EN | lexicon.RESPONSE_ZH | _TELLING
    return (
        all(word in known for word in words)
        and bool(responses.intersection(words))
        and not _firm_question(text)
        and not stops(text)
        and "不" not in text.replace("不错", "")
    )


def _firm_question(text: str) -> bool:
    """A question that an echo ("really?", "是吗") is not."""
    words = tokens(text)
    return bool(lexicon.ASKING_EN.intersection(words)) or (len(words) > 4 and asks(text))


def stops(text: str) -> bool:
    """Whether it tells somebody to be silent. "Enough" does where it stands for itself: "fair enough" agrees."""
    words = tokens(text)
    for before, word in pairwise(["", *words]):
        if word == "enough" and before in _ENOUGH:
            return True
        if (word in lexicon.STOPPING_EN and word != "enough") or (before, word) == ("no", "more"):
            return True
    if words[-1:] == ["all"] and len(words) < 6 and words[0].startswith("that"):
        return True
    return any(word in text for word in lexicon.STOPPING_ZH)


_ENOUGH = frozenset(
    ["", "that's", "is", "enough", "okay", "ok", "right", "had", "heard", "about", "thanks", "alright"]
)


def requests_beside_stopping(text: str) -> bool:
    """Whether it asks what, or wants something in a clause other than the one that stops."""
    return any(
        bool(lexicon.ASKING_EN.intersection(tokens(clause)))
        or any(word in clause for word in lexicon.ASKING_ZH)
        or (not stops(clause) and (wants(clause) or (len(tokens(clause)) > 2 and not responds(clause))))
        for clause in clauses(text)
    )


def holds(text: str) -> bool:
    """Whether it asks for a moment. "Wait" before a sentence of its own only leads into that."""
    words = tokens(text)
    held = [
        word
        for before, word in pairwise(["", *words])
        if word in lexicon.HOLDING_EN and _measures(before, word)
    ]
    if held and set(held) == {"wait"}:
        rest = [
            clause for clause in clauses(text) if "wait" not in tokens(clause) and not _DOING.match(clause)
        ]
        return not any(len(tokens(clause)) > 2 for clause in rest)
    thinks = "think" in words and "let" in words
    return bool(held) or thinks or any(word in text for word in lexicon.HOLDING_ZH)


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
    r"\s*(?:(?:i need to|i have to|i must|i've got to|let me|i'm \w+ing)\b|我(?![想要问需不没还]))",
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


def _goes_on(clause: str) -> bool:
    first = tokens(clause)[:5]
    if any(word in clause for word in lexicon.CONTINUING_ZH):
        return True
    for word, after in pairwise([*first, ""]):
        if word in lexicon.CONTINUING_EN and (
            word not in ("keep", "carry") or after == "on" or after.endswith("ing")
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


def calls(text: str, names: Iterable[str]) -> bool:
    """Whether one of these names is said."""
    low = text.lower()
    return any(
        (name in text) if is_han(name) else re.search(rf"\b{re.escape(name.lower())}\b", low)
        for name in names
    )


def to_listener(text: str, names: Iterable[str]) -> bool:
    """Whether it speaks to who listens: by name, or as "you"."""
    you = {"you", "your", "you're", "you'd", "yours"}
    return calls(text, names) or bool(you.intersection(tokens(text))) or "你" in text or "您" in text


def addressee(text: str) -> str | None:
    """The person a sentence calls at its beginning or end; None where it calls nobody."""
    for pattern, judge in (
        (_CALL_YOU_ZH, _is_name_zh), (_CALL_YOU_EN, _is_name_en), (_CALL_EN, _is_name_en), (_CALL_END_EN, _is_name_en), (_CALL_ZH, _is_name_zh), (_CALL_END_ZH, _is_name_zh),
    ):  # fmt: skip
        for part in _sentences(text):
            found = pattern.search(part)
            if found and judge(found[1]):
                return found[1]
    return None


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.。!！?？])\s*", text)
    return [part for part in parts if part]


_NO_NAMES = (
    lexicon.RESPONSE_EN | lexicon.LIGHT_EN | lexicon.WANTING_EN | lexicon.STOPPING_EN | lexicon.HOLDING_EN
    | lexicon.CONTINUING_EN | lexicon.AUXILIARY_EN | lexicon.ASKING_EN | lexicon.DONE_EN | lexicon.TRAILING_EN
)  # fmt: skip


def _is_name_en(word: str) -> bool:
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


def _is_name_zh(word: str) -> bool:
    if word in lexicon.OPENING_ZH:
        return False
    if word.endswith(lexicon.RELATION_ZH):
        return True
    if len(word) in (2, 3) and word[0] in "小老阿大":
        return word[1] not in "家概约会学时"
    return len(word) in (2, 3) and word[0] in lexicon.COMMON_SURNAMES_ZH and not wants(word)


def bodily(text: str) -> bool:
    """Whether it wants something of a body: to hand over, to come, to close the door."""
    return any(_bodily_en(tokens(clause)) or _BODILY_ZH.search(clause) for clause in clauses(text))


def _bodily_en(words: list[str]) -> bool:
    """An order or a request to do what needs hands, or what happens at a place."""
    while words and (words[0] in _BEFORE_ORDERS or words[0] in lexicon.AUXILIARY_EN):
        words = words[1:]
    if len(words) < 2 or words[1] == "on":  # "carry on" needs no hands
        return False
    placed = bool(lexicon.PLACE_EN.intersection(words[1:]))
    return words[0] in lexicon.BODILY_EN or (words[0] in lexicon.MOVING_EN and placed)


_BEFORE_ORDERS = frozenset(
    ["you", "please", "just", "also", "and", "so", "then", "quickly", "now", "okay", "ok", "oh", "hey"]
)
_BODILY_ZH = re.compile(
    rf"^(?:请|麻烦|拜托|帮忙|帮我|给我|你|您|快|先|来|再|就|把[{HAN}]{{1,8}}?|东西|那个)*(?:{'|'.join(lexicon.BODILY_ZH)})"
    rf"|把[{HAN}]{{1,10}}?(?:{'|'.join(lexicon.BODILY_ZH)})"
)


def about_agent(text: str) -> bool:
    """Whether it talks about the agent as a third party: such words are for somebody else."""
    words = tokens(text)
    pairs = pairwise(words)
    english = any(one in lexicon.THIRD_EN and two in lexicon.TELLING_EN for one, two in pairs)
    return english or bool(_ABOUT_ZH.search(text))


_ABOUT_ZH = re.compile(
    "它(?:在|又|刚|怎么|为什么|会|能)?(?:说|讲|回答|答|念|播)|这(?:个|台)?(?:机器|助手|软件)"
)


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
