"""What a sentence agrees on about the agent's turns, and whether a later one gives the signal or the word back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.realtime.policy import lexicon
from antiphon.realtime.policy.cues import asks, clauses, has_word, holds, is_han, repairs, stops, tokens
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.realtime.agreements import AgreementKind

_QUOTED = re.compile(r"[\"“「『]([^\"”」』]{1,40})[\"”」』]|(?<!\w)['‘]([^'’]{1,40})['’](?!\w)")
_SAID_EN = re.compile(
    r"\b(?:say|says|said|hear|shout|whisper|word|phrase|signal|tell you)\s+(?:is\s+|the\s+(?:word|words|phrase)\s+)?"
    r"([A-Za-z][\w' -]{1,30}?)(?=\s*(?:[,.;!?]|$|\bbefore\b|\buntil\b|\bthen\b|\bplease\b|\band\b|\bto you\b|\bdon't\b|\bjust\b))"
)
_SAID_ZH = re.compile(rf"(?:说|喊|讲|(?:念|读|报|数)到|听到|听见|暗号是|口令是)(?:出|了|一声|一句|到|过)*([{HAN}]{{1,6}}?)(?=再|才|之前|以前|以后|之后|的时候|时|为止|前|后|你|[，,。.！!]|$)")  # fmt: skip


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
    if (
        (forbids or _ONLY_THEN_ZH.search(text))
        and named
        and (bounded or of_speech or _YOUR_NAME.search(text.lower()))
    ):
        return Terms("called", names)
    if named and _NOT_FOR_YOU.search(text.lower()):
        return Terms("called", names)
    if _CUES.search(text) and not asks(text):
        return Terms("signal", signals(text))
    if _UNTIL.search(text) and (forbids or stops(text)) and not asks(text):
        return Terms("signal", signals(text))
    if (bounded or _ONCE_ZH.search(text)) and of_speech and _MY_WORD.search(text.lower()):
        return Terms("signal", signals(text))
    if forbids and bounded and (of_speech or holds(text) or has_word(text, lexicon.DONE_EN, lexicon.DONE_ZH)):
        return None if asks(text) else Terms("signal", signals(text))
    silences = (
        has_word(text, lexicon.PROHIBITING_EN, lexicon.PROHIBITING_ZH) or "listen" in text or "听" in text
    )
    if forbids and silences and of_speech and not asks(text) and not _complains(text):
        return Terms("silence")
    if _MUTES.search(text) and not asks(text):
        return Terms("silence")
    return None


# "If I don't say your name, I'm not talking to you": what is not for the agent needs no answer.
_NOT_FOR_YOU = re.compile(
    r"\b(?:not|isn't|aren't|never)\b[^,.]*\b(?:for|to|with|at|meant for) you\b|\b(?:somebody|someone|anyone) else\b"
    r"|(?:不是|没|没有)(?:在)?(?:跟|对|和|同|说给|讲给)你|与你无关|跟你没关系|(?:跟|和|对)别人"
)
# "Let me finish, then answer", "reply after I've said …", 听到…你再开口: when the turn of the agent comes.
_CUES = re.compile(
    r"\blet me (?:finish|get (?:through|to the end)|tell|say|read|explain)\b.*\b(?:then|before) you\b"
    r"|\b(?:reply|respond|answer|speak|talk|comment)(?:ing)? (?:only |just )?(?:after|once|when) (?:i|you hear)\b(?! (?:ask|call))|\byour (?:cue|signal)\b"
    r"|(?:让|等|听)我[^，。]{0,8}(?:讲|说|念|读)(?:完|到)[^。]{0,4}再|(?:听到|听见|等到?)[^，。]{1,12}再(?:开口|说话|回|答|讲话|出声|发言|接话)",
    re.IGNORECASE,
)

# 什么都别说, "let me think out loud": no word of the speech of the agent, and yet about nothing else.
_MUTES = re.compile(
    r"\b(?:let me|i'm|i am|i want to|i need to|i'd like to|i'm going to|just) (?:just )?(?:(?:think(?:ing)?|talk(?:ing)?|practi[sc](?:e|ing)|rehears(?:e|ing))(?: \w+){0,3} (?:out loud|aloud|myself)|(?:talk|vent|rant|ramble)(?:ing)?(?: \w+){0,3} for a (?:bit|while|moment|minute))\b"
    r"|\bkeep (?:your|any) (?:thoughts|comments|opinions|advice|answers) to yourself\b|\brather you (?:said nothing|didn't (?:say|answer|talk|reply|comment)|(?:kept|stayed) (?:quiet|silent))\b"
    r"|(?:别|不要|不许|先不|不用|不必|甭|勿)(?!跟[^我]|和[^我]|对[^我]|告诉)[^，。！？,]{0,3}(?:说|讲|插|打断|回|答|接|评|吭|吱|言语|出声|发表|提意见|给意见|给建议)|(?:让|听)我(?:一个人)?(?:说|讲|唠叨|吐槽|发泄|念)(?:就行|就好|一会儿?|完)",
    re.IGNORECASE,
)
_ONLY_THEN_ZH = re.compile("再(?:说话|说$|讲话|回答|回应|开口|出声|回复|接话|发言|答)")
_ONCE_ZH = re.compile("没(?:有)?听[到见]我|我(?:一|没|没有|不)(?:说|喊|讲|念)")
_UNTIL = re.compile(
    r"\b(?:until|till|unless|before) (?:i|you hear me) (?:say|tell|give|shout|signal|call|yell|ask|let|want)\b|(?:直到|除非|等到?)我(?:说|喊|讲|念|叫你|问你|让你|请你|允许)",
    re.IGNORECASE,
)

# "…, okay?" asks nothing.
_TAG = re.compile(
    r"[,，]\s*(?:alright|all right|okay|ok|right|please|will you|好吗|行吗|可以吗|好吧|好不好|成吗)\s*[?？.。]?$",
    re.IGNORECASE,
)

_YOUR_NAME = re.compile("your name|你的?名字|[叫喊]你")

# "Once I say …, you can …": who speaks makes the end of waiting depend on a word of theirs.
_MY_WORD = re.compile(
    r"\bi(?:'ll| will| have|'ve)? (?:say|said|tell|told|shout|give|signal)\b.*\byour?\b|\byou\b.*\b(?:until|till|before|once|when) i (?:say|tell|give)\b"
    r"|我(?:会|没有|没|一|不)?(?:说|喊|讲|念).*(?:再|才|之前|以前|时候|就可以|就轮|就该|别|不要|不许|不准)"
)


def _complains(text: str) -> bool:
    """ "That's not what I said" speaks of speech, too, and asks for no silence."""
    low = tokens(text)
    if _TELLS.search(text):
        return True
    return bool({"what", "said", "asked", "meant"}.intersection(low)) or "不是" in text or repairs(text)


# "You're not answering my question", "I'm talking about the city": what is or was, not what shall be.
_TELLS = re.compile(
    r"\byou(?:'re| are| were| did|'ve| have| do|)(?:n't| not| never| keep) (?:really |even |actually )?(?:answer|listen|respond|interrupt|hear)|\bi(?:'m| am| was) (?:talking|speaking|asking) about\b",
    re.IGNORECASE,
)


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
    [
        "anything",
        "something",
        "nothing",
        "so",
        "a",
        "any",
        "you",
        "it",
        "that",
        "的",
        "话",
        "你",
        "我",
        "什",
        "清",
    ]
)


def gives(text: str, signal_words: Iterable[str], agreed: str = "") -> bool:
    """Whether the text gives a signal: one of these words, or alone, words that the agreement itself named."""
    parts = [form for clause in clauses(text) for form in (" ".join(tokens(clause)), _bare(clause))]
    for signal in signal_words:
        wanted = " ".join(tokens(signal))
        single = wanted in lexicon.DONE_EN
        for part in parts:
            if signal in lexicon.DONE_ZH and len(part.split()) > 5 and not part.startswith("我"):
                continue
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


# "Over to you", "hit me", 说说你的看法: asked for what it has to say.
_VIEW = re.compile(
    r"\b(?:talk|speak|answer|respond|reply) to me\b|\bhit me\b|\bfire away\b|\bgo ahead\b|\bfloor is yours\b|\bover to you\b|\byour turn\b|\b(?:your|any) (?:thoughts|take|opinion|view|verdict|advice|feedback|reaction|comments?)\b"
    r"|\b(?:do|would|did) you (?:think|say|reckon|make of|suggest)\b|\b(?:tell|give) me (?:what|how|your)\b|\bwhat (?:have you|you've) got\b"
    r"|(?<!没)(?<!不)(?:该|轮到)你(?!出牌|洗|做|打|去|倒|接|买)|[你您]的?(?:看法|想法|意见|建议)|[你您](?:怎么|咋)(?:看|想|说|觉得)|[你您](?:觉得|来说|说说|讲讲|评评)|(?:说说|讲讲|谈谈)[你您]",
    re.IGNORECASE,
)


def invites(text: str) -> bool:
    """Whether the agent is asked for its view: who was silent for the person's sake may talk again."""
    return bool(_VIEW.search(text)) and not _FORBIDS.search(text)


_FORBIDS = re.compile(
    r"\b(?:don't|dont|not|no|never|unless|until)\b|别|不要|不许|不准|直到|之前", re.IGNORECASE
)


def allows(text: str) -> bool:
    """Whether it gives the word back: the agent may talk again."""
    of_speech = has_word(text, lexicon.SPEAKING_EN, (*lexicon.SPEAKING_ZH, "说", "讲"))
    forbids = bool(
        {"don't", "dont", "not", "no", "never", "unless", "until"}.intersection(tokens(text))
    ) or any(word in text for word in ("别", "不要", "不许", "不准", "直到", "之前"))
    return of_speech and has_word(text, lexicon.ALLOWING_EN, lexicon.ALLOWING_ZH) and not forbids
