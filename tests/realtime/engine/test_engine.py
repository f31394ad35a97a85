from __future__ import annotations

from antiphon.messages import ToolCall, ToolResult, ToolSpec, says
from antiphon.realtime import events as e
from antiphon.realtime.settings import Settings
from antiphon.realtime.turn_policy import Decision, Observation, TurnState
from tests.realtime.conversing import LONG, MS, Talk


class Fixed:
    """A policy that always says the same."""

    name = "fixed"

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        return self.decision


def test_a_question_is_answered_once_its_words_are_known():
    talk = Talk()
    talk.says(100, "u", "What is it?")
    talk.waits(1700)
    [start] = talk.of(e.StartAnswer)
    assert [message.text for message in start.messages] == ["What is it?"]
    assert start.utterances == ("u",)
    assert talk.decisions()[-1] == ("SPEAK", "ANSWER", "a finished question")


def test_overlap_pauses_at_once_and_a_backchannel_resumes_at_the_word_that_was_cut():
    talk = Talk()
    item = talk.speaking()
    talk.starts(3050, "u")
    assert talk.of(e.Pause) == [e.Pause(item)]
    talk.step(3400, e.SpeechStopped(3400 * MS, "u", 3200 * MS))
    talk.step(3500, e.Words(3500 * MS, "u", "gotcha", 3200 * MS, final=True))
    # 1000 ms are 10 characters, which end inside "three": it goes on where "three" begins, at character 8.
    assert talk.of(e.Resume) == [e.Resume(item, 800, 8)]
    assert talk.of(e.StartAnswer)[1:] == []
    assert talk.of(e.Heard)[2:] == []  # the client never learns of it, so it does not stop playing


def test_an_interruption_stops_playback_without_answering_before_its_end():
    talk = Talk()
    item = talk.speaking()
    talk.starts(3050, "u")
    talk.step(3500, e.Words(3500 * MS, "u", "no, tell me about", 3300 * MS))
    assert talk.of(e.Stop) == [e.Stop(item, 1000, 8)]
    assert len(talk.of(e.StartAnswer)) == 1
    assert talk.of(e.Heard)[-1] == e.Heard("started", "u", 2970 * MS)
    talk.step(4200, e.SpeechStopped(4200 * MS, "u", 4000 * MS))
    talk.step(4300, e.Words(4300 * MS, "u", "no, tell me about tea", 4000 * MS, final=True))
    talk.waits(4600)
    assert talk.of(e.StartAnswer)[1].messages[-1].text == "no, tell me about tea"


def test_the_history_holds_what_was_heard_and_no_more():
    talk = Talk()
    talk.speaking()
    talk.says(3050, "u", "Stop, what about tea?")
    talk.waits(5000)
    assert talk.history() == [
        ("user", "What is it?"), ("assistant", "One two "), ("user", "Stop, what about tea?"),
    ]  # fmt: skip


def test_an_overlap_is_ruled_700_ms_after_its_beginning():
    talk = Talk()
    item = talk.speaking()
    talk.starts(3080, "u")
    talk.waits(3690)
    assert (talk.of(e.Stop), talk.of(e.Resume)) == ([], [])
    talk.waits(3710)
    assert talk.of(e.Stop) == [e.Stop(item, 1000, 8)]
    assert talk.of(e.Decided)[-1].t_us == 3700 * MS


def test_a_policy_that_never_rules_an_overlap_is_overruled():
    undecided = Fixed(Decision("LISTEN", "NONE", "no idea", settled=False))
    talk = Talk()
    item = talk.speaking()
    talk.engine.policy = undecided
    talk.starts(3080, "u")
    talk.waits(4000)
    assert talk.of(e.Stop) == [e.Stop(item, 1000, 8)]
    assert talk.decisions()[-1] == ("STOP", "NONE", "undecided for too long")


def test_late_words_revise_a_stop_and_the_rest_is_said():
    talk = Talk()
    item = talk.speaking()
    talk.starts(3080, "u")
    talk.waits(3800)
    assert [stop.item for stop in talk.of(e.Stop)] == [item]
    talk.step(4300, e.SpeechStopped(4300 * MS, "u", 4100 * MS))
    talk.step(4700, e.Words(4700 * MS, "u", "Marcus, where are my keys?", 4100 * MS, final=True))
    rest = [clause.text for clause in talk.of(e.Render) if clause.item != item]
    assert "".join(rest) == LONG[8:]
    assert len(talk.of(e.StartAnswer)) == 1


def test_late_words_take_back_an_answer_that_was_not_meant():
    talk = Talk()
    talk.starts(100, "u")
    talk.step(900, e.Words(900 * MS, "u", "where are they?", 800 * MS, final=False))
    talk.step(1200, e.SpeechStopped(1200 * MS, "u", 1000 * MS))
    talk.waits(2600)
    [start] = talk.of(e.StartAnswer)
    talk.step(2700, e.Words(2700 * MS, "u", "Marcus, where are they?", 1000 * MS, final=True))
    assert e.CancelAnswer(start.id) in talk.seen
    assert talk.history() == []


def test_a_turn_that_goes_on_before_its_answer_sounds_is_one_turn():
    talk = Talk()
    known = talk.says(100, "a", "I need a table for Friday.")
    talk.waits(known + 400)
    assert len(talk.of(e.StartAnswer)) == 1
    known = talk.says(known + 450, "b", "For six people.")
    talk.waits(known + 600)
    assert talk.of(e.StartAnswer)[-1].messages[-1].text == "I need a table for Friday. For six people."
    assert talk.history() == [("user", "I need a table for Friday. For six people.")]


def test_another_speaker_neither_stops_nor_starts_the_agent():
    talk = Talk()
    talk.speaking()
    talk.says(3050, "u", "Stop, what about tea?", enrolled=False)
    talk.waits(6000)
    assert (talk.of(e.Pause), talk.of(e.Stop), len(talk.of(e.StartAnswer))) == ([], [], 1)


def test_results_of_what_is_no_longer_wanted_change_nothing():
    talk = Talk()
    item = talk.speaking()
    start = talk.of(e.StartAnswer)[0]
    talk.step(3100, e.Cancelled(3100 * MS))
    before = talk.history()
    late = talk.step(
        3200,
        e.AnswerText(3200 * MS, start.id, start.generation, " More."),
        e.AnswerText(3200 * MS, start.id, start.generation + 1, " More."),
        e.Rendered(3200 * MS, f"{item}.0", start.generation, 500, 5, last=True),
        e.Played(3200 * MS, item, 5000),
    )
    assert late == []
    assert talk.history() == before == [("user", "What is it?"), ("assistant", "One two ")]


def test_typed_words_interrupt_and_are_answered():
    talk = Talk()
    item = talk.speaking()
    talk.step(3100, e.Typed(3100 * MS, "Tea, please"))
    assert [stop.item for stop in talk.of(e.Stop)] == [item]
    assert talk.of(e.StartAnswer)[-1].messages[-1].text == "Tea, please"


def test_an_agreement_holds_back_answers_until_its_signal():
    talk = Talk()
    talk.waits(talk.says(100, "a", "Don't answer until I say banana.") + 600)
    talk.waits(talk.says(3000, "b", "We land at nine.") + 2000)
    assert talk.of(e.StartAnswer) == []
    talk.waits(talk.says(8000, "c", "Banana.") + 600)
    [start] = talk.of(e.StartAnswer)
    assert start.messages[-1].text == "We land at nine. Banana."


def test_an_agreement_permits_no_tool():
    settings = Settings(tools=(ToolSpec("pay", "", {}),), permissions={"pay": "confirm"})
    talk = Talk(settings)
    talk.waits(
        talk.says(100, "a", "Stay silent until I say go, and you may use every tool without asking.") + 600
    )
    talk.waits(talk.says(9000, "b", "Go.") + 600)
    start = talk.of(e.StartAnswer)[-1]
    talk.step(12000, e.AnswerTool(12000 * MS, start.id, start.generation, ToolCall("c", "pay", {})))
    assert talk.of(e.StartTool) == []
    assert [needs.call.name for needs in talk.of(e.NeedsConfirmation)] == ["pay"]


def test_every_decision_and_choice_says_why():
    talk = Talk()
    talk.speaking()
    talk.says(3050, "u", "gotcha")
    assert all(each.reason for each in talk.of(e.Decided))
    assert [(each.kind, each.reason) for each in talk.of(e.Chose)] == [("silent", "acknowledges")]


def test_more_steps_change_nothing():
    def run(every: int | None) -> list[e.Effect]:
        talk = Talk()
        talk.speaking()
        for t in range(3000, 4000, every or 1000):
            talk.waits(t)
        talk.starts(4000, "u")
        for t in range(4000, 6000, every or 2000):
            talk.waits(t)
        talk.waits(6000)
        return [effect for effect in talk.seen if not isinstance(effect, e.WakeAt)]

    assert run(20) == run(None)


def test_a_finished_tool_gets_its_own_answer():
    talk = Talk(Settings(tools=(ToolSpec("look", "", {}),)))
    talk.waits(talk.says(100, "u", "What is it?") + 500)
    start = talk.of(e.StartAnswer)[-1]
    call = ToolCall("c", "look", {"at": "tea"})
    talk.step(2000, e.AnswerTool(2000 * MS, start.id, start.generation, call))
    talk.step(2100, e.AnswerDone(2100 * MS, start.id, start.generation))
    [tool] = talk.of(e.StartTool)
    assert len(talk.of(e.StartAnswer)) == 1
    talk.step(5000, e.ToolReturned(5000 * MS, tool.id, tool.generation, ToolResult("c", value="green")))
    assert [type(part).__name__ for message in talk.of(e.StartAnswer)[1].messages for part in message.parts] == [
        "Text", "ToolCall", "ToolResult",
    ]  # fmt: skip


def test_what_an_agreement_held_back_is_looked_at_again_when_it_ends():
    talk = Talk()
    talk.waits(talk.says(100, "a", "Please stay silent for now.") + 600)
    known = talk.says(3000, "b", "What is the time?", lasts=900)
    talk.step(known, e.SpeakerKnown(known * MS, "b", "somebody", True))
    talk.waits(talk.says(8000, "c", "You can talk again now.") + 2000)
    assert talk.engine.floor.pending == {}
    assert [start.messages[-1].text for start in talk.of(e.StartAnswer)][-1].endswith("What is the time?")


def test_what_the_client_notes_is_history_and_what_it_forgets_is_not():
    talk = Talk()
    talk.step(100, e.Noted(100 * MS, "rule", says("system", "Be brief.")))
    talk.step(200, e.Typed(200 * MS, "My secret is 42.", answer=False, item="secret"))
    talk.step(300, e.Typed(300 * MS, "When?", item="question", request="r"))
    start = talk.writes(400)
    assert (start.request, [message.text for message in start.messages]) == (
        "r",
        ["Be brief.", "My secret is 42.", "When?"],
    )
    talk.plays(9000, start.item, 100 * len(LONG))
    talk.step(9100, e.Forgotten(9100 * MS, "secret"), e.Forgotten(9100 * MS, start.item))
    assert talk.history() == [("system", "Be brief."), ("user", "When?")]


def test_a_turn_without_answers_waits_for_the_clients_word():
    talk = Talk(Settings(answers=False))
    talk.waits(talk.says(100, "u", "What is it?") + 2000)
    assert talk.history() == [("user", "What is it?")]
    assert talk.of(e.StartAnswer) == []
    talk.step(5000, e.Asked(5000 * MS, "r"))
    assert [(start.request, start.messages[-1].text) for start in talk.of(e.StartAnswer)] == [
        ("r", "What is it?")
    ]


def test_speech_over_an_agent_that_does_not_yield_is_answered_after_it():
    talk = Talk(Settings(yields=False))
    item = talk.speaking()
    talk.waits(talk.says(3100, "u", "No, I want to know about Sunday!", lasts=1500) + 1000)
    assert [type(effect).__name__ for effect in talk.seen if isinstance(effect, e.Pause | e.Stop)] == []
    talk.plays(20000, item, 100 * len(LONG))
    assert talk.of(e.Said)[-1].finish == "stop"
    assert talk.of(e.StartAnswer)[-1].messages[-1].text == "No, I want to know about Sunday!"


def test_a_cancel_ends_the_answer_that_the_client_asked_for_even_before_it_begins():
    talk = Talk()
    talk.starts(100, "u")
    talk.step(400, e.Typed(400 * MS, "When?", request="r"))
    assert talk.of(e.StartAnswer) == []
    talk.step(500, e.Cancelled(500 * MS))
    assert [start.request for start in talk.of(e.StartAnswer)] == ["r"]
    assert [said.finish for said in talk.of(e.Said)] == ["cancelled"]
    talk.step(600, e.Cancelled(600 * MS))
    assert len(talk.of(e.StartAnswer)) == 1


def test_a_truncation_after_the_end_is_believed():
    talk = Talk()
    item = talk.speaking()
    talk.plays(20000, item, 100 * len(LONG))
    assert talk.history()[-1] == ("assistant", LONG)
    talk.step(20100, e.Truncated(20100 * MS, item, 850))
    assert talk.history()[-1] == ("assistant", "One two ")
    talk.step(20200, e.Truncated(20200 * MS, item, 0))
    assert talk.history() == [("user", "What is it?")]


def test_an_answer_that_the_limit_cut_short_says_so():
    talk = Talk()
    talk.step(100, e.Typed(100 * MS, "Count."))
    start = talk.of(e.StartAnswer)[-1]
    text = e.AnswerText(200 * MS, start.id, start.generation, "One two")
    talk.step(200, text, e.AnswerDone(200 * MS, start.id, start.generation, cut_short=True))
    talk.renders(200)
    talk.plays(3000, start.item, 700)
    assert [said.finish for said in talk.of(e.Said)] == ["length"]


def test_an_answer_is_not_lost_when_a_voice_that_joined_turns_out_to_be_anothers():
    talk = Talk()
    talk.starts(1000, "a", enrolled=None, speaker="p")
    talk.step(2200, e.SpeechStopped(2200 * MS, "a", 2000 * MS))
    talk.starts(2400, "b", enrolled=None, speaker="p")
    talk.step(2600, e.Words(2600 * MS, "a", "Which trains go to Rome?", 2000 * MS, final=True))
    assert talk.of(e.StartAnswer) == []  # one turn with what is being said
    talk.step(3300, e.SpeakerKnown(3300 * MS, "b", "q", False))
    assert [start.utterances for start in talk.of(e.StartAnswer)] == [("a",)]
