from __future__ import annotations

from antiphon.realtime import events as e
from tests.realtime.conversing import MS, Talk


def test_who_leaves_finds_the_answer_at_the_word_where_it_was_left():
    talk = Talk()
    item = talk.speaking()  # 1000 ms of it are heard: "One two th"
    assert talk.step(3000, e.Left(3000 * MS)) == [e.Pause(item)]
    assert talk.step(60_000) == []
    assert talk.history()[-1] == ("assistant", "One two ")
    assert talk.step(61_000, e.CameBack(61_000 * MS)) == [e.Resume(item, 800, 8)]


def test_what_was_sent_and_never_arrived_was_not_heard():
    talk = Talk()
    item = talk.speaking()
    talk.step(3000, e.Left(3000 * MS))
    assert talk.step(4000, e.CameBack(4000 * MS, item, 450)) == [e.Resume(item, 400, 4)]
    assert talk.history()[-1] == ("assistant", "One ")


def test_a_connection_taken_over_unnoticed_goes_on_at_once():
    talk = Talk()
    item = talk.speaking()
    assert talk.step(3000, e.Left(3000 * MS), e.CameBack(3000 * MS, item, 900)) == [
        e.Pause(item),
        e.Resume(item, 800, 8),
    ]


def test_an_answer_waits_for_its_listener():
    talk = Talk()
    known = talk.says(100, "u", "What is it?")
    talk.waits(known + 500)
    start = talk.writes(2000)
    item = start.item
    talk.step(2001, e.Cancelled(2001 * MS))
    talk.step(2002, e.Left(2002 * MS))
    talk.step(2003, e.Typed(2003 * MS, "And the other one?"))
    talk.step(2004, e.Background(2004 * MS, "job", "It is done."))
    assert [each.item for each in talk.of(e.StartAnswer)] == [item]
    talk.step(9000, e.CameBack(9000 * MS))
    assert talk.of(e.StartAnswer)[-1].messages[-1].text == "[job] It is done."
    assert len(talk.of(e.StartAnswer)) == 2


def test_speech_that_is_no_interruption_does_not_make_an_absent_listener_hear():
    talk = Talk()
    item = talk.speaking()
    talk.starts(3000, "mm")
    talk.step(3100, e.Left(3100 * MS))
    talk.step(3200, e.SpeechStopped(3200 * MS, "mm", 3150 * MS))
    talk.step(3300, e.Words(3300 * MS, "mm", "uh-huh", 3150 * MS, final=True))
    assert "RESUME" in [floor for floor, _, _ in talk.decisions()]
    assert talk.of(e.Resume) == []
    assert talk.step(5000, e.CameBack(5000 * MS)) == [e.Resume(item, 800, 8)]


def test_who_comes_back_while_somebody_speaks_over_the_answer_hears_it_after_the_ruling():
    talk = Talk()
    item = talk.speaking()
    talk.step(3000, e.Left(3000 * MS))
    talk.starts(3400, "mm")
    assert talk.step(3410, e.CameBack(3410 * MS)) == []
    talk.step(3500, e.SpeechStopped(3500 * MS, "mm", 3450 * MS))
    effects = talk.step(3600, e.Words(3600 * MS, "mm", "uh-huh", 3450 * MS, final=True))
    assert e.Resume(item, 800, 8) in effects
