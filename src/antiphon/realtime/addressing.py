"""Whom speech is for: signs in the words and in the talk so far, each with its weight, summed.

A sign above zero says that the words are for somebody else, one below that they are for the agent. A sum of `ENOUGH`
and more decides; the reason names every sign that was seen, so that each decision can be argued with. Weights are
set by hand and are the same for both languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from antiphon.realtime import cues, lexicon, surroundings
from antiphon.realtime.among_people import AMONG_PEOPLE
from antiphon.realtime.hands import about_agent, bodily
from antiphon.realtime.terms import terms
from antiphon.realtime.vocatives import addressee, calls

if TYPE_CHECKING:
    from antiphon.realtime.turn_policy import Observation, TurnState

ENOUGH = 1.5
PRESENT_US = 60_000_000  # somebody who spoke within this is there still


@dataclass(frozen=True, slots=True)
class Sign:
    """One reason to believe that speech is for somebody else; below zero: for the agent."""

    what: str
    weight: float


def for_others(seen: Observation, state: TurnState) -> str | None:
    """Why this is for somebody else; None where it is for the agent, as far as the words tell."""
    text = seen.text
    if not text or calls(text, state.names):
        return None
    found = signs(seen, state)
    if sum(sign.weight for sign in found) < ENOUGH:
        return None
    return "for somebody else: " + ", ".join(f"{sign.what} {sign.weight:+g}" for sign in found)


def signs(seen: Observation, state: TurnState) -> list[Sign]:
    """Every sign in what was said, the heaviest first."""
    text = seen.text
    topic = cues.content(
        " ".join([state.agent_text, *(r.utterance.text for r in seen.recent if r.addressed)])
    )
    body = state.capabilities.get("body", False)
    found = [*_called(text), *([] if body else _of_the_body(text, topic)), *_of_people(text)]
    if any(sign.weight > 0 for sign in found):
        found += _beside(seen)
        found += _of_the_talk(text, topic, state)
    return sorted(found, key=lambda sign: -abs(sign.weight))


def _called(text: str) -> list[Sign]:
    called = addressee(text)
    if called:
        fond = called.lower() in surroundings.FOND_EN
        return [Sign(f"calls {called}", 2.5 if fond else 6.0)]
    return [Sign("talks about the agent", 3.0)] if about_agent(text) else []


# ---- for somebody else


def _of_the_body(text: str, topic: frozenset[str]) -> list[Sign]:
    """What only somebody in the room can do, has, or has seen."""
    found: list[Sign] = []
    if bodily(text):
        found.append(Sign("wants something of a body", 3.5))
    elif _doing(text):
        found.append(Sign("asks what somebody does", 2.0))
    if _YOURS_EN().search(text) or _YOURS_ZH().search(text):
        found.append(Sign("is about a thing of theirs", 2.0))
    elif things := _things(text, topic):
        found.append(Sign(f"is about {things[0]}", 1.0 if len(things) == 1 else 1.5))
        if _STATE.search(text):
            found.append(Sign("asks how things stand", 1.0))
    return found


def _of_people(text: str) -> list[Sign]:
    """How people speak who share a room, a day or a family."""
    found = [Sign(what, weight) for what, weight, pattern in AMONG_PEOPLE if pattern.search(text)]
    if addressee(text) is None and (
        surroundings.KIN_EN.intersection(cues.tokens(text)) or _RELATION_ZH.match(text)
    ):
        found.append(Sign("names a relation", 1.5))
    return found


_RELATION_ZH = re.compile(rf"(?:{'|'.join(sorted(lexicon.RELATION_ZH, key=len, reverse=True))})(?!的|们的)")

_ASKED_EN = re.compile(
    r"(?<!what )(did|have|haven't|are|aren't|were|do|don't|can|could|will|would|won't|did not) "
    r"(?:you|any of you|anybody|anyone|somebody|someone)((?: [\w']+){1,5})",
    re.IGNORECASE,
)
_DOING_ZH = re.compile(
    rf"(?:你|您|谁)[^，。？！,]{{0,5}}(?:{'|'.join(surroundings.DOING_ZH)})[^，。？！,]{{0,8}}(?:了没|了吗|没有|没|吗|呢|吧|[?？])"
    rf"|(?:{'|'.join(surroundings.DOING_ZH)})[^，。？！,]{{0,4}}(?:了没|了吗|了没有|没有[?？]|完没)"
)


def _doing(text: str) -> bool:
    """Whether somebody is asked what they did, do, or would do with their hands."""
    for auxiliary, after in _ASKED_EN.findall(text):
        near = cues.tokens(after)[:3]
        if auxiliary.lower() in _REQUESTING and not lexicon.BODILY_EN.intersection(near[:2]):
            continue
        if surroundings.DOING_EN.intersection(near) and not surroundings.TALK_EN.intersection(near):
            return True
    return bool(_DOING_ZH.search(text)) and not any(word in text for word in surroundings.TALK_ZH)


@cache
def _YOURS_EN() -> re.Pattern[str]:  # noqa: N802 - a constant, compiled when first needed
    things = "|".join(sorted(surroundings.THINGS_EN | surroundings.OWNED_EN))
    return re.compile(rf"\byour (?:[\w']+ )?(?:{things})\b", re.IGNORECASE)


@cache
def _YOURS_ZH() -> re.Pattern[str]:  # noqa: N802 - a constant, compiled when first needed
    return re.compile(
        rf"[你您](?:们|家|那|这)?的?(?:{'|'.join(surroundings.THINGS_ZH + surroundings.OWNED_ZH)})"
    )


# "Is the kettle on?", "where are my keys", 快递到了吗: nobody knows who is not in the room.
_STATE = re.compile(
    r"^\W*(?:\w+\W+){0,2}(?:(?:is|are|was|were|isn't|aren't|has|have|did|does) (?:the|my|our|those|these|his|her|their|any|there)\b|where(?:'s| is| are|'re|'d| did| have| has)|what's for|what(?:'s| is) that (?:noise|smell|sound)|who(?:'s| has| left| took| ate| put| let| moved)|whose)\b"
    r"|[了着好完到](?:吗|没有?|么)|在哪|放哪|哪儿了|哪去了|谁的|谁[拿放动关开吃在]|是谁|谁来了",
    re.IGNORECASE,
)
_REQUESTING = ("can", "could", "will", "would", "won't")
_OWNERS = frozenset(["the", "my", "our", "his", "her", "their"])
_DETERMINERS = frozenset(
    ["the", "my", "our", "his", "her", "their", "that", "this", "those", "these", "any", "more"]
)


def _things(text: str, topic: frozenset[str]) -> list[str]:
    """Things of the room: those that the agent was not talking about. In English, definite ones."""
    words = [word.removesuffix("'s") for word in cues.tokens(text)]
    found = [
        word
        for at, word in enumerate(words)
        if word in surroundings.THINGS_EN
        and word not in topic
        and (
            _DETERMINERS.intersection(words[at - 1 : at]) or _OWNERS.intersection(words[max(0, at - 2) : at])
        )
    ]
    found += [word for word in surroundings.THINGS_ZH if word in text and word not in topic]
    return found


def _beside(seen: Observation) -> list[Sign]:
    """Who is alone with a silent agent most likely speaks to it."""
    onset_us = seen.group[0].onset_us
    there = any(
        each.utterance.enrolled is False and each.utterance.onset_us >= onset_us - PRESENT_US
        for each in seen.recent
    )
    if there:
        return [Sign("somebody is there", 0.5)]
    return [] if seen.latest.overlapped else [Sign("nobody else was heard", -1.0)]


# ---- for the agent


def _of_the_talk(text: str, topic: frozenset[str], state: TurnState) -> list[Sign]:
    """What leads to the agent: its topic, its talk, or what turns against either."""
    found: list[Sign] = []
    shared = _dull(cues.content(text)) & _dull(topic)
    if shared:
        found.append(Sign(f"speaks of the topic ({min(shared)})", -1.5))
    if surroundings.TALK_EN.intersection(cues.tokens(text)) or any(
        word in text for word in surroundings.TALK_ZH
    ):
        found.append(Sign("speaks of the talk", -1.5))
    if (cues.stops(text) or cues.continues(text) or terms(text, state.names)) and not _SEVERAL.search(text):
        found.append(Sign("rules the floor", -2.5))
    if cues.holds(text) and not _SOON.search(text):
        found.append(Sign("asks for a moment", -1.5))
    if _ASSISTS.search(text):
        found.append(Sign("asks it of an assistant", -1.5))
    turns = bool(_TURNS.match(text))
    if turns:
        found.append(Sign("turns against it", -0.75))
    if cues.asks(text):
        found.append(Sign("asks", -0.5))
    elif not turns and not found:
        itself = bool(_ITSELF.match(text))
        found.append(Sign("tells of the speaker", 0.25) if itself else Sign("tells something else", 0.75))
    return found


_TURNS = re.compile(
    r"\W*(?:no(?! (?:worries|problem|rush|hurry|thanks|thank|need))|but|wait|actually|hmm|sorry|hold on|hang on|not|stop|what about|how about)\b|不是|不对|可是|但是|等等|等一下|打断|那(?:要是|如果)|先别",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\bboth of you\b|\byou (?:two|guys|kids)\b|你们|你俩", re.IGNORECASE)
# "With you in a jiffy": a moment that the speaker needs to come.
_SOON = re.compile(r"\b(?:with you|wait for (?:me|us)|be (?:right )?(?:there|back|down|over)|coming)\b|[过下上回][来去]|就[来去到]|久等", re.IGNORECASE)  # fmt: skip
# What people ask of an assistant that looks things up, writes, reckons and reminds.
_ASSISTS = re.compile(
    r"^\W*(?:(?:please|okay|ok|and|now|then|so|can you|could you|would you|will you|just|also|no|wait|actually)\W+)*(?:look up|search|translate|calculate|convert|compare|recommend|suggest|summari[sz]e|explain|describe|list|spell|define|remind me|book|play|schedule|tell me|email|navigate|repeat|rephrase|give me (?:an?|the|some|more|another|only|just))\b"
    r"|(?:帮我|请你?|麻烦你?|给我|能不能|可以|你)(?:再|先|也|重新|另外)?(?:查|搜|算|翻译|推荐|比较|总结|解释|介绍|讲|说|提醒|订|播放|播|列|写|找|设|导航|告诉|念)"
)
# What people tell an agent of themselves.
_ITSELF = re.compile(r"\W*(?:i|we)(?:'m| am|'ve| have| don't| can't| only| need| want| prefer| like| also| live)\b|我(?:是|有|带着|不|没|只|想|要|喜欢|住|怕|也)", re.IGNORECASE)  # fmt: skip
_FUNCTION_ZH = frozenset("的了是我你您他她它们这那在有和就都也不要吗呢吧啊把给跟很会能可以一个下上什么怎样还没到去来说做好点时候多少几哪里为对")  # fmt: skip


def _dull(content: frozenset[str]) -> frozenset[str]:
    """Content without pairs of Han characters that are half grammar."""
    return frozenset(word for word in content if not _FUNCTION_ZH.intersection(word))
