"""Whom speech is for: signs in the words and in the talk so far, each with its weight, summed.

A sign above zero says that the words are for somebody else, one below that they are for the agent. A sum of `ENOUGH`
and more decides; the reason names every sign that was seen, so that each decision can be argued with. How the words
read as a whole is learned (`realtime/acts`); the other weights are set by hand and are the same for both languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from antiphon.realtime.policy import cues, lexicon, surroundings
from antiphon.realtime.policy.among_people import AMONG_PEOPLE
from antiphon.realtime.policy.for_agent import FOR_AGENT
from antiphon.realtime.policy.forms import shown
from antiphon.realtime.policy.hands import about_agent, bodily
from antiphon.realtime.policy.terms import invites
from antiphon.realtime.policy.vocatives import addressee, calls
from antiphon.realtime.policy.words import OURS, Words

if TYPE_CHECKING:
    from antiphon.realtime.turn_policy import Observation, TurnState

ENOUGH = 1.0
READ = 2.0  # what the log-odds of how the words read weigh
MOST = 4.0
PRESENT_US = 60_000_000  # somebody who spoke within this is there still


@dataclass(frozen=True, slots=True)
class Sign:
    """One reason to believe that speech is for somebody else; below zero: for the agent."""

    what: str
    weight: float


def for_others(seen: Observation, state: TurnState, words: Words = OURS) -> str | None:
    """Why this is for somebody else; None where it is for the agent, as far as the words tell."""
    text = seen.text
    if not text or calls(text, state.names):
        return None
    found = signs(seen, state, words)
    if sum(sign.weight for sign in found) < ENOUGH:
        return None
    return "for somebody else: " + ", ".join(f"{sign.what} {sign.weight:+g}" for sign in found)


def signs(seen: Observation, state: TurnState, words: Words = OURS) -> list[Sign]:
    """Every sign in what was said, the heaviest first."""
    text = seen.text
    said = " ".join([state.agent_text, *(r.utterance.text for r in seen.recent if r.addressed)])
    topic = cues.content(said)
    body = state.capabilities.get("body", False)
    found = [*_called(text), *_of_people(text)]
    if not body:
        found += [*_reads(words.for_others(text)), *_of_the_body(text, topic)]
    if _HE.search(text) and not _OTHERS.search(said):
        found.append(Sign("is about somebody not in the talk", 1.0))
    if any(sign.weight > 0 for sign in found):
        found += _beside(seen)
        found += _of_the_talk(text, topic, state, words)
    return sorted(found, key=lambda sign: -abs(sign.weight))


# "He's allergic to nuts", 她先动手的, where nobody was spoken of: who hears it knows, or sees, who that is.
_HE = re.compile(
    r"^\W*(?:(?:no|oh|yes|and|but|well|hey)\W+)?(?:(?:is|was|did|has|can) )?(?:he|she)\b|\blet (?:him|her)\b"
    r"|^\W*(?:对了，|是|哎，|让|把)?[他她](?!们?说|是谁)",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:he|she|him|her|his|hers|man|woman|who|king|queen|son|daughter)\b|[他她谁]|先生|女士", re.IGNORECASE)  # fmt: skip


def _reads(log_odds: float) -> list[Sign]:
    """How the words read to the classifier of dialogue acts."""
    weight = round(max(-MOST, min(MOST, READ * log_odds)), 2)
    if not weight:
        return []
    return [Sign("reads like talk among people" if weight > 0 else "reads like talk to an assistant", weight)]


def _called(text: str) -> list[Sign]:
    called = addressee(text)
    if called:
        fond = called.lower() in surroundings.FOND_EN
        return [Sign(f"calls {called}", 1.5 if fond else 6.0)]
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
    found = [Sign(what, weight) for what, weight in shown(text, AMONG_PEOPLE)]
    if addressee(text) is None and (_kin(text) or _RELATION_ZH.match(text)):
        found.append(Sign("names a relation", 1.5))
    return found


def _kin(text: str) -> bool:
    """Relations that are spoken to, not of: "my son" is somebody else."""
    words = cues.tokens(text)
    return any(
        word in surroundings.KIN_EN and before not in _OWNERS for before, word in pairwise(["", *words])
    )


_RELATION_ZH = re.compile(
    rf"(?!总[统之是共结经体部的要]|亲[自近]|姑且|姨妈巾)(?:{'|'.join(sorted(lexicon.RELATION_ZH, key=len, reverse=True))})(?!的|们的)"
)

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
    r"^\W*(?:\w+\W+){0,2}(?:(?:is|are|was|were|isn't|aren't|has|have|did|does) (?:the|my|our|those|these|his|her|their|any|there)\b|where(?:'s| is| are|'re|'d| did| have| has)|what's for|what(?:'s| is) that (?:noise|smell|sound)|who(?:'s| has| left| took| ate| put| let| moved)|was that (?:the|my|your)|whose)\b"
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
    bare = _NO_THINGS_ZH.sub("", text)
    found += [word for word in surroundings.THINGS_ZH if word in bare and word not in topic]
    return found


# 关门, 菜谱: words that have a thing's character and are no thing of the room.
_NO_THINGS_ZH = re.compile(
    "菜谱|菜系|几点[开关]门|[今昨明每周]天[开关]门|部门|专门|热门|门票|入门|笔记|饭店|饭馆|灯塔|茶馆|牙医|热狗|窗口|手机号|出租车(?=。|$)|包里(?=程)"
)


def _beside(seen: Observation) -> list[Sign]:
    """Who is alone with a silent agent most likely speaks to it."""
    onset_us = seen.group[0].onset_us
    there = any(
        each.utterance.enrolled is False and each.utterance.onset_us >= onset_us - PRESENT_US
        for each in seen.recent
    )
    if there:
        return [Sign("somebody is there", 0.5)]
    return [] if seen.latest.overlapped else [Sign("nobody else was heard", -5.0)]


# ---- for the agent


def _of_the_talk(text: str, topic: frozenset[str], state: TurnState, words: Words) -> list[Sign]:
    """What leads to the agent: its topic, its talk, what one asks of it, or what turns against it."""
    found = [*_of_topic(text, topic), *_of_the_floor(text, state, words)]
    found += [Sign(what, weight) for what, weight in shown(text, FOR_AGENT)]
    turns = bool(_TURNS.match(text))
    if turns:
        found.append(Sign("turns against it", -0.75))
    if cues.asks(text):
        found.append(Sign("asks", -0.5))
    elif not found:
        found.append(_told(text))
    return found


def _of_topic(text: str, topic: frozenset[str]) -> list[Sign]:
    shared = _dull(cues.content(text)) & _dull(topic)
    found = [Sign(f"speaks of the topic ({min(shared)})", -3.5)] if shared else []
    said = surroundings.TALK_EN.intersection(cues.tokens(text))
    if said or any(word in text for word in surroundings.TALK_ZH):
        found.append(Sign("speaks of the talk", -1.5))
    return found


def _of_the_floor(text: str, state: TurnState, words: Words) -> list[Sign]:
    found: list[Sign] = []
    if not _SEVERAL.search(text):
        if words.terms(text, state.names):
            found.append(Sign("proposes an agreement", -5.0))
        elif words.rules_the_floor(text):
            found.append(Sign("begins with an order of the floor", -5.0))
        elif cues.stops(text) or cues.continues(text) or invites(text):
            found.append(Sign("rules the floor", -2.5))
    if cues.holds(text) and not _SOON.search(text):
        found.append(Sign("asks for a moment", -1.5))
    return found


def _told(text: str) -> Sign:
    """What is no question and has no sign of the talk: the less it is of the speaker, the less for the agent."""
    if _OWN.search(text):
        return Sign("tells of a thing of the speaker", -0.25)
    return Sign("tells of the speaker", 0.25) if _ITSELF.match(text) else Sign("tells something else", 0.75)


_TURNS = re.compile(
    r"\W*(?:no(?! (?:more|worries|problem|rush|hurry|thanks|thank|need))|but|wait|actually|hmm|sorry|hold on|hang on|not|stop|what about|how about)\b|不是|不对|可是|但是|等等|等一下|打断|那(?:要是|如果)|先别",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bfinish your (?!sentence|thought|point|answer|story|explanation|list)|\bboth of you\b|\byou (?:two|guys|kids)\b|你们|你俩",
    re.IGNORECASE,
)
# "With you in a jiffy": a moment that the speaker needs to come.
_SOON = re.compile(r"\b(?:with you|wait for (?:me|us)|be (?:right )?(?:there|back|down|over)|coming|wait up|(?:i'll|we'll) wait)\b|我在[^，。]{1,6}等|别等我|等等我|我[去来](?!拿|取|找)|[过下上回][来去]|就[来去到]|久等", re.IGNORECASE)  # fmt: skip
# What people tell an agent of themselves.
_ITSELF = re.compile(r"\W*(?:i|we)(?:'m| am|'ve| have| don't| can't| only| need| want| prefer| like| also| live)\b|(?:[那这][儿里]?)?我(?:去过|试过|看过|是|有|带着|不|没|只|想|要|喜欢|住|怕|也)", re.IGNORECASE)  # fmt: skip
# "My laptop won't turn on": a trouble that they want help with, or a thing that they look for.
_OWN = re.compile(
    r"\W*(?:oh,? |and |so |but |well,? )?(?:my|our)\b|\bin my \w+|\W*我(?:家|的|太太|儿子|女儿|老婆|老公|厨房|卫生间|客厅)(?!你)",
    re.IGNORECASE,
)
_FUNCTION_ZH = frozenset("的了是我你您他她它们这那在有和就都也不要吗呢吧啊把给跟很会能可以一个下上什么怎样还没到去来说做好点时候多少几哪里为对")  # fmt: skip


def _dull(content: frozenset[str]) -> frozenset[str]:
    """Content without pairs of Han characters that are half grammar."""
    return frozenset(word for word in content if not _FUNCTION_ZH.intersection(word))
