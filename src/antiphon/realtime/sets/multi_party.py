"""The open replica of Multi-party Interaction: seven judgeable points a session, two people and the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.realtime.sets.phrases import OURS
from antiphon.realtime.sets.script import Script

if TYPE_CHECKING:
    from antiphon.realtime.sets.phrases import Book
    from antiphon.realtime.sets.script import Scripted


def multi_party(number: int, seed: int, book: Book = OURS) -> Scripted:
    """Session `number` of the set: questions to the agent, talk with a visitor, visitors' own talk, noises of
    agreement. The order of the scenes is drawn."""
    script = Script(f"multi-party-{number}", number, seed, book)
    scenes = [_backchannel, _background] if script.chance(0.5) else [_aside_over, _background]
    _ask(script, first=True)
    for scene in scenes:
        scene(script)
    (_visit if script.chance(0.5) else _errand)(script)
    _back(script)
    return script.done()


def _ask(script: Script, *, first: bool = False) -> None:
    topic = script.draw("topics")
    cue = "begin" if first else "reply"
    line = script.say(topic["ask"], cue, script.uniform(0.6, 1.5))
    script.answers[line] = topic["answer"]
    script.judge(line, "question", "respond")


def _backchannel(script: Script) -> None:
    line = script.say(script.draw("backchannels"), "over", script.uniform(1.2, 2.2))
    script.judge(line, "backchannel", "ignore")


def _background(script: Script) -> None:
    line = script.say(script.draw("background"), "over", script.uniform(0.8, 1.8), other=True)
    script.judge(line, "background", "ignore")


def _aside_over(script: Script) -> None:
    line = script.say(script.draw("asides"), "over", script.uniform(1.2, 2.2))
    script.judge(line, "talking to others", "ignore")


def _errand(script: Script) -> None:
    """The person says something to the visitor, who replies; the person closes."""
    line = script.say(script.draw("asides"), "reply", script.uniform(1.0, 2.0))
    script.judge(line, "talking to others", "ignore")
    line = script.say(script.draw("other_replies"), "next", script.uniform(0.4, 1.0), other=True)
    script.judge(line, "others talking", "ignore")
    line = script.say(script.draw("closings"), "next", script.uniform(0.4, 1.0))
    script.judge(line, "talking to others", "ignore")


def _visit(script: Script) -> None:
    """The visitor asks the person, who answers; the visitor says one more thing."""
    line = script.say(script.draw("visitor_asks"), "reply", script.uniform(1.0, 2.0), other=True)
    script.judge(line, "others talking", "ignore")
    line = script.say(script.draw("visitor_answers"), "next", script.uniform(0.4, 1.0))
    script.judge(line, "talking to others", "ignore")
    line = script.say(script.draw("other_replies"), "next", script.uniform(0.4, 1.0), other=True)
    script.judge(line, "others talking", "ignore")


def _back(script: Script) -> None:
    """The person turns to the agent again."""
    topic = script.draw("topics")
    line = script.say(topic["ask"], "next", script.uniform(3.2, 5.0))
    script.answers[line] = topic["answer"]
    script.judge(line, "question", "respond")
