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
        found.append(Sign("wants something of a body", 2.5))
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
    found = [Sign(what, weight) for what, weight, pattern in _PEOPLE if pattern.search(text)]
    if addressee(text) is None and (
        surroundings.KIN_EN.intersection(cues.tokens(text)) or _RELATION_ZH.match(text)
    ):
        found.append(Sign("names a relation", 1.5))
    return found


_RELATION_ZH = re.compile(rf"(?:{'|'.join(sorted(lexicon.RELATION_ZH, key=len, reverse=True))})(?!的|们的)")
_PEOPLE = tuple(
    (what, weight, re.compile(pattern, re.IGNORECASE))
    for what, weight, pattern in (
        ("speaks to several", 2.0, r"\byou (?:guys|two|all|both|lot|folks)\b|\bboth of you\b|^\W*every(?:body|one)\b,|^\W*(?:\w+\W+)?(?:can|could|will|would) (?:someone|somebody|anyone|anybody|one of you)\b|谁(?:去|来|帮|能|给)|你们|你俩|^各位|^大家"),
        ("says where the speaker will be", 1.5,
         r"\bi(?:'ll| will|'m| am|'ve| just)? ?(?:just |almost |nearly |be |still |right )*(?:coming|got home|got back|home|leaving|in the (?:kitchen|bathroom|shower|garden|car|bath|middle of)|down|there|over|out|off|ready|on my way|with you|(?:right |straight )?back)\b"
         r"|\bbe (?:right )?(?:there|down|back|over|with you)\b|\b(?:almost|nearly|just about) (?:done|ready|finished)\b"
         r"|刚到家|我(?:马上|这就|就|现在|一会儿?|等会儿?|很快|先|正)+(?:要|去|出|下|上|过|回|到|来|走|开|忙|弄|做)|(?:马上|这就)(?:来|去|好|到|下来|过去|出来)|就(?:来|去|下来|过去|出来)[了啦]?(?:$|[，。！,!])"),
        ("plans with somebody", 1.0,
         r"\b(?:we|we're|we'll|let's|shall we)\b(?: \w+){0,3} (?:go|going|leave|leaving|eat|late|meet|head|start|out|need|get|drive|ready|tonight|dinner|lunch)\b"
         r"|(?:我们|咱们|咱俩|咱)[^，。？！,]{0,6}(?:走|去|吃|出门|出发|回家|迟到|来不及|买|等)"),
        ("minds somebody's steps", 1.5,
         r"(?:^\W*|[,.!?]\s*|\b(?:and|but|just|please) )(?:don't forget|make sure|remember to|mind the|mind your|watch (?:out|your|it)|careful|hurry(?: up)?|come on|get (?:up|in|down|off|ready)|stay (?:there|here|put)|don't (?:touch|run|move|worry|let|put|leave|open|eat))\b"
         r"|别忘了?|记得|小心|当心|慢走|别碰|别动|别跑|别闹|看着点|快去|快来|快[下上过进出]来|赶紧|乖"),
        ("greets or parts", 2.0,
         r"\b(?:bye|goodbye|welcome|come on in|come in(?=\W*$|[,.!])|see you|nice to (?:see|meet) you|good night|thanks for coming|you're (?:back|home|early|late)|(?:have|take) a seat|(?:for|keep you|kept you) waiting)\b"
         r"|请进|请坐|坐吧|久等|回聊|进来|欢迎|再见|拜拜|回来[了啦]|来[了啦]|辛苦了|晚安|(?:一会儿?|待会儿?|等会儿?|明天|晚上|下午|早上|家里|那边|回头|到时候?|楼下|周.|下周)见"),
        ("speaks of a call", 3.5, r"\b(?:can't talk (?:right )?now|(?:call|ring|phone|text|message) (?:(?:you|me|him|her|them) )?(?:back|later|in an?)|on the phone|on a call|in a meeting)\b|打(?:着|个)?电话|(?:回|给)(?:你|您)?(?:个)?电话|打回去|打过去|给[你您]打|在开会|开着会"),
        ("thanks or eases somebody", 1.5, r"\b(?:thank you|thanks|cheers|ta|no (?:worries|problem|rush)|my pleasure|you're welcome|don't mention it|never mind|excuse me|pardon me)\b|不客气|没关系|没事儿?|不着急|劳驾|^您好|谢谢|多谢|借过|让一下"),
        ("speaks to who can be seen", 2.0,
         r"\byou(?:'ve)? (?:look(?! (?:up|for|at|into))|forgot|left (?:the|your|it)|dropped|spilled|broke|missed|scared|woke)\b|^\W*hey you\b|\b(?:what are you|you're) doing (?:up|here|there|in)\b|\bwait for (?:me|us)\b|\blook (?:at (?:you|this mess|the mess|what)|what you)\b|\bcan you (?:hear|see|smell) (?:the|that)\b"
         r"|[你您](?:又|是不是)?(?:忘[了带]?|弄得|弄坏|弄丢|看起来|看上去)|看[你您]|在[^，。]{1,5}等[我着]|还不睡|不方便说话|过得怎么样|上[班学]怎么样"),
        ("speaks of somebody they know", 1.0, r"\b(?:my|your|our|the) (?:mom|mum|dad|mother|father|sister|brother|wife|husband|son|daughter|boss|doctor|teacher|neighbou?rs?|kids|grandma|grandpa|aunt|uncle|plumber|landlord)\b|我(?:妈|爸|哥|姐|弟|妹|老婆|老公|同事|儿子|女儿)|^(?:医生|老师|老板|房东|邻居)|[跟和对][你您](?:怎么)?说的"),
        ("sees to the house", 1.0, r"\b(?:out of|any|some|more) (?:more )?(?:milk|bread|coffee|tea|sugar|eggs|rice|toilet paper|juice|butter|cake|wine|beer)\b|\blet (?:the|him|her|them)[^.,!?]* (?:out|in)\b|家里|咱家|楼[上下]又|再来点|还有(?:咖啡|茶|牛奶|饭|菜|酒)"),
        ("shares out the chores", 2.0, r"\bwho's (?:picking|taking|getting|cooking|driving|bringing|feeding|watching the)\b|谁(?:去接|做饭|洗碗|倒垃圾|买菜|开车)"),
        ("shows the way", 1.25, r"\bturn (?:left|right)\b|\bpull over\b|左转|右转|掉头|靠边"),
        ("speaks of a meal", 1.5, r"\bwhat's for (?:breakfast|lunch|dinner|supper|tea|dessert|pudding)\b|\b(?:breakfast|lunch|dinner|supper) (?:is |will be |'s )?(?:almost |nearly )?(?:ready|served|on the table)\b|\bhelp yourself\b|吃(?:什么|啥|点什么|了没)|(?:开|吃)饭(?:了|啦|吧)|趁热"),
        ("praises a child or sends it off", 1.5, r"\bgood (?:girl|boy|lad|dog)\b|\boff you go\b|\brun along\b|\b(?:there|here) you (?:go|are)\b|真乖|去吧|给你[，。！]|拿着"),
        ("wants somebody's doing stopped", 2.5, r"\bstop (?!(?:talking|speaking|saying|reading|explaining|going|listing|rambling|playing|telling|answering|interrupting|repeating|responding|narrating)\b)\w+ing\b|别再?(?:踢|跑|闹|碰|哭|抢|打[他她人我你]|咬|玩|摸|爬|扔|推|挤|插队|吵醒|乱动|乱跑)"),
        ("orders something", 1.5, r"^\W*(?:(?:hi|hello|just|can i get|could i have|i'll have|i'd like|and|yeah|yes|okay)\W+)*(?:an?|one|two|three|four) (?!more|moment|second|minute|bit|little|time|question)[^.?!]*\bplease\b|^\W*i'll have (?:the|an?)\b|^(?:来|要)?[一两三四](?:杯|份|个|碗|瓶|碟|张)|^来[一两三四]?[杯份碗瓶碟点]"),
        ("has somebody told", 3.0, r"\b(?:tell|ask|remind|give|show|let|help) (?:her|him|them)\b|\bsay (?:hi|hello) to\b|(?:跟|和|向|替我跟|告诉|叫|让|喊|帮|给)(?:他|她)(?:们)?(?:说|讲|问|来|等|去|打|拿|送|留|带|倒|买|看)"),
        ("asks whether a place is free", 1.5, r"\b(?:this|that) (?:seat|chair|spot|table|one) (?:taken|free)\b|(?:这|那)(?:儿|里|边)?(?:个位置|位子|座位)?有人"),
        ("points at a place", 0.5, r"\b(?:over (?:there|here)|in (?:there|here)|up there|down there|outside|upstairs|downstairs|next to|on top of|behind|at the door)\b|那边|这边|这儿|那儿|外面|里面|旁边|楼上|楼下|门口|后面|底下"),
    )
)  # fmt: skip

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
