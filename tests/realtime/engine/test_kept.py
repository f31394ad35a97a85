from __future__ import annotations

import json

import msgspec

from antiphon.messages import Message, ToolCall, ToolResult, ToolSpec
from antiphon.realtime import events as e
from antiphon.realtime.engine.kept import Kept, kept, restore
from antiphon.realtime.settings import Settings
from tests.realtime.conversing import LONG, MS, Talk


def again(talk: Talk, settings: Settings | None = None) -> Talk:
    """Another engine that read what this one wrote."""
    written = msgspec.json.encode(kept(talk.engine))
    other = Talk(settings)
    restore(other.engine, msgspec.json.decode(written, type=Kept))
    return other


def test_an_answer_goes_on_at_its_word_and_the_history_is_what_was_heard():
    talk = Talk()
    item = talk.speaking()  # 1 s of 100 ms a character: "One two three" is cut in its third word
    other = again(talk)
    assert other.history() == talk.history() == [("user", "What is it?"), ("assistant", "One two ")]
    other.step(0, e.CameBack(0))
    assert "".join(each.text for each in other.of(e.Render)) == LONG[len("One two ") :]
    other.renders(10)
    (play,) = other.of(e.Play)
    assert play.item != item
    rest_ms = 100 * len(LONG[len("One two ") :])
    other.plays(20, play.item, rest_ms)
    assert other.history()[-1] == ("assistant", LONG[len("One two ") :])
    assert [(said.item, said.finish) for said in other.of(e.Said)] == [(play.item, "stop")]
    assert other.of(e.StartAnswer) == []


def test_an_answer_that_was_not_written_to_its_end_is_owed_anew():
    talk = Talk()
    known = talk.says(100, "first", "What is it?")
    talk.waits(known + 500)
    start = talk.of(e.StartAnswer)[-1]
    talk.step(2000, e.AnswerText(2000 * MS, start.id, start.generation, "It is, well, "))
    other = again(talk)
    other.step(0, e.CameBack(0))
    (anew,) = other.of(e.StartAnswer)
    assert [(each.role, each.text) for each in anew.messages] == [("user", "What is it?")]
    assert anew.item != start.item


def test_what_is_owed_and_what_was_agreed_hold():
    talk = Talk()
    known = talk.says(100, "first", "Don't say anything until I say banana.")
    talk.waits(known + 3000)
    assert talk.engine.agreements.now is not None
    talk.step(6000, e.Background(6000 * MS, "job-1", "The file is ready."))
    other = again(talk)
    assert other.engine.agreements.now == talk.engine.agreements.now
    other.step(0, e.CameBack(0))
    assert other.of(e.StartAnswer) == []
    known = other.says(100, "then", "Banana.")
    other.waits(known + 3000)
    assert "[job-1] The file is ready." in [text for _, text in other.history()]
    assert len(other.of(e.StartAnswer)) == 1


def test_a_call_that_the_client_runs_returns_to_the_other_engine():
    settings = Settings(tools=(ToolSpec("hours", "", {}),))
    talk = Talk(settings)
    talk.step(100, e.Typed(100 * MS, "When do you open?"))
    start = talk.of(e.StartAnswer)[-1]
    call = ToolCall("c1", "hours", {"day": "Sunday"})
    talk.step(
        200,
        e.AnswerTool(200 * MS, start.id, start.generation, call),
        e.AnswerDone(200 * MS, start.id, start.generation),
    )
    (run,) = talk.of(e.StartTool)
    other = again(talk, settings)
    other.step(0, e.CameBack(0))
    assert other.of(e.StartAnswer) == []
    other.step(100, e.ToolReturned(100 * MS, run.id, run.generation, ToolResult("c1", {"opens": 9})))
    (anew,) = other.of(e.StartAnswer)
    assert anew.messages[-2:] == (
        Message("assistant", (call,)),
        Message("tool", (ToolResult("c1", {"opens": 9}),)),
    )
    gone = again(talk)
    assert gone.engine.messages()[-1] == Message(
        "tool", (ToolResult("c1", error="nobody runs this tool any more"),)
    )


def test_names_are_not_given_twice_and_words_that_nobody_knew_are_no_turn():
    talk = Talk()
    talk.step(100, e.Typed(100 * MS, "Hello"))
    before = {each.item for each in talk.of(e.Committed)}
    other = again(talk)
    other.step(0, e.Typed(0, "Hello again"))
    assert not before & {each.item for each in other.of(e.Committed)}
    state = json.loads(msgspec.json.encode(kept(talk.engine)))
    state["entries"][0]["pieces"][0]["text"] = ""
    engine = Talk().engine
    restore(engine, msgspec.convert(state, Kept))
    assert engine.messages() == ()
    assert engine.step(0, [e.CameBack(0)]) == []
