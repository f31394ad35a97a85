"""The open replica of Semantic Control: the person rules the agent's turns in words, about three points a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.realtime.sets.phrases import OURS
from antiphon.realtime.sets.script import Script

if TYPE_CHECKING:
    from antiphon.realtime.sets.phrases import Book
    from antiphon.realtime.sets.script import Scripted


def semantic_control(number: int, seed: int, book: Book = OURS) -> Scripted:
    """Session `number` of the set. After an agreement the agent may say a word or not: that is no point."""
    script = Script(f"semantic-control-{number}", number, seed, book)
    scenes = (_signal, _stop_and_go_on, _called, _moment, _silence)
    scenes[number // 2 % len(scenes)](script)
    return script.done()


def _pause(script: Script) -> int:
    return script.uniform(2.6, 3.6)


def _ask(script: Script, first: bool) -> str:
    topic = script.draw("topics")
    line = script.say(
        topic["ask"], "begin" if first else "next", script.uniform(0.6, 1.5) + 2_000_000 * (not first)
    )
    script.answers[line] = topic["answer"]
    return line


def _signal(script: Script) -> None:
    agreed = script.draw("signal_agreements")
    signal: str = agreed["signal"]
    script.say(agreed["text"].replace("{signal}", signal), "begin", script.uniform(0.6, 1.5))
    for _ in range(2):
        line = script.say(script.draw("fragments"), "next", _pause(script))
        script.judge(line, "wait for a signal", "ignore")
    text = script.draw("signal_lines").replace("{Signal}", signal[:1].upper() + signal[1:])
    line = script.say(text.replace("{signal}", signal), "next", _pause(script))
    script.judge(line, "the signal", "respond")


def _stop_and_go_on(script: Script) -> None:
    script.judge(_ask(script, first=True), "question", "respond")
    line = script.say(script.draw("stops"), "over", script.uniform(1.5, 3.0))
    script.judge(line, "stop", "quiet")
    line = script.say(script.draw("continues"), "next", _pause(script))
    script.judge(line, "go on", "resume")


def _called(script: Script) -> None:
    script.say(script.draw("called_agreements"), "begin", script.uniform(0.6, 1.5))
    line = script.say(script.draw("unnamed"), "next", _pause(script))
    script.judge(line, "not called", "ignore")
    line = script.say(script.draw("named"), "next", _pause(script))
    script.judge(line, "called", "respond")
    line = script.say(script.draw("unnamed"), "reply", _pause(script))
    script.judge(line, "not called", "ignore")


def _moment(script: Script) -> None:
    script.judge(_ask(script, first=True), "question", "respond")
    line = script.say(script.draw("moments"), "over", script.uniform(1.5, 3.0))
    script.judge(line, "a moment", "quiet")
    line = _ask(script, first=False)
    script.judge(line, "question", "respond")


def _silence(script: Script) -> None:
    script.say(script.draw("silence_agreements"), "begin", script.uniform(0.6, 1.5))
    for _ in range(2):
        line = script.say(script.draw("fragments"), "next", _pause(script))
        script.judge(line, "asked for silence", "ignore")
    line = script.say(script.draw("releases"), "next", _pause(script))
    script.judge(line, "given the word", "respond")
