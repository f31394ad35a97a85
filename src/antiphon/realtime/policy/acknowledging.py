"""Speech that only acknowledges, and what stands beside speech about the floor."""

from __future__ import annotations

import re

from antiphon.realtime.policy import lexicon
from antiphon.realtime.policy.cues import (
    NO_QUESTION,
    PRAISE,
    asks,
    clauses,
    is_han,
    repairs,
    stops,
    tokens,
    wants,
)

_LONGEST = 10  # words of an acknowledgement; Han characters count as words


def opens_with_response(text: str) -> bool:
    """Whether its first word acknowledges."""
    return bool((lexicon.RESPONSE_EN | lexicon.RESPONSE_ZH).intersection(tokens(text)[:1]))


def responds(text: str) -> bool:
    """Whether every clause of it acknowledges, and nothing is wanted."""
    if (
        len(tokens(text)) > _LONGEST
        or stops(text)
        or (repairs(text) and "know" not in text and "不知道" not in text)
    ):
        return False
    parts = clauses(PRAISE.sub("good", text))
    return bool(parts) and all(
        (_responds_zh(part) if is_han(part) else _responds_en(part, asked="?" in text)) for part in parts
    )


# "I see what you mean" has a question's word inside.
_WITHIN = re.compile(r"\b(see|know|get|understand|hear|figure|imagine|tell) (?:what|how|why|where|who)\b", re.IGNORECASE)  # fmt: skip
# "That's wild", "how funny", "so cool", "what a story": whatever the last word is, unless it finds fault.
_ASSESSES = re.compile(
    r"^(?:(?:oh|ah|wow|well|ha|and|but|mm|okay|yeah|no) )*(?:that's|that is|that was|that sounds|it's|it is|this is|sounds|how|what an?|such an?)"
    r"(?: (?:so|really|very|pretty|quite|just|actually|kind|of|a|an|such|absolutely|totally|rather|some|one|truly|super))* ([a-z'-]+)(?: (?:thing|stuff|story|idea|point|one|news|way|to know|to hear))?$"
)
_FAULTS_EN = frozenset(
    [
        "too",
        "wrong",
        "fast",
        "slow",
        "long",
        "short",
        "loud",
        "quiet",
        "expensive",
        "boring",
        "complicated",
        "confusing",
        "unclear",
        "enough",
        "it",
        "not",
        "incorrect",
        "false",
        "untrue",
        "all",
        "plenty",
        "much",
        "many",
        "difficult",
        "hard",
        "old",
        "late",
        "early",
        "late",
        "vague",
        "no",
        "better",
        "worse",
        "cheaper",
        "that",
        "another",
        "tomorrow",
        "today",
        "me",
        "you",
        "him",
        "her",
        "mine",
        "yours",
        "who",
        "what",
        "when",
        "where",
        "why",
        "which",
        "how",
    ]
)


def _responds_en(clause: str, *, asked: bool) -> bool:
    clause = _WITHIN.sub(r"\1", NO_QUESTION.sub("", clause.lower().replace("’", "'")))
    words = tokens(clause)
    if not words:
        return True
    assessed = _ASSESSES.match(" ".join(words))
    if assessed and assessed[1] not in _FAULTS_EN:
        return True
    return (
        all(word in lexicon.RESPONSE_EN or word in lexicon.LIGHT_EN for word in words)
        and (len(words) > 1 or words[0] in lexicon.RESPONSE_EN)
        and not lexicon.ASKING_EN.intersection(words)
        and not (asked and len(words) > 4 and asks(clause))
    )


# 太…了, 真…, 挺…的, 好…啊: praise and surprise by their form, whatever stands between.
_ASSESSES_ZH = re.compile(
    r"^[哇哦嗯啊噢喔哎呀唉嗨咦哈嚯嘿那这也还就是]*(?:太|真|真是|好|挺|还挺|蛮|够|相当|确实|的确|非常|很|多|可(?![以能是不])|怪)([^你我您]{1,4}?)(?:了|啦|的|啊|呀|呢|哦|哈|嘛|吧)*$"
)
_FAULTS_ZH = ("快", "慢", "长", "短", "复杂", "贵", "吵", "大声", "小声", "乱", "难懂", "啰嗦", "专业", "抽象", "笼统", "简单", "少", "久", "轻", "远", "不", "没听", "关", "昨", "明天", "想", "听", "要", "停", "问", "别")  # fmt: skip
_ECHO_ZH = re.compile(r"^(?:哦|啊|噢)*(?:真的|是|不会|不是|这样|对|真|可不是|真的假的)(?:吗|吧|么|啊|嘛)$")


def _responds_zh(clause: str) -> bool:
    if _ECHO_ZH.match(clause) or re.match("长(?:见识|知识|姿势)", clause):
        return True
    assessed = _ASSESSES_ZH.match(clause)
    if assessed:
        return not any(word in assessed[1].replace("不错", "") for word in _FAULTS_ZH)
    words = tokens(NO_QUESTION.sub("", clause))
    known = lexicon.RESPONSE_ZH | lexicon.LIGHT_ZH | lexicon.RESPONSE_EN
    return (
        all(word in known for word in words)
        and not (wants(clause) and len(words) > 4)
        and not _AGAINST_ZH.search(clause)
    )


# 又错了 finds fault; 没错, 不错 and 不简单 do not.
_AGAINST_ZH = re.compile("不(?!错|简单)|(?<![没不])错")


def requests_beside_stopping(text: str) -> bool:
    """Whether it asks what, or wants something in a clause other than the one that stops."""
    return any(
        bool(lexicon.ASKING_EN.intersection(tokens(clause)))
        or any(word in clause for word in lexicon.ASKING_ZH)
        or (not stops(clause) and (wants(clause) or (len(tokens(clause)) > 2 and not responds(clause))))
        for clause in clauses(text)
    )
