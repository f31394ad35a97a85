from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.messages import ToolCall, ToolResult
from antiphon.realtime import events as e
from antiphon.realtime.live.turn_times import STAGES, Answered, Event, Sounded, Stage, TurnTimes, Used

MS = 1000
START = e.StartAnswer("answer", 1, "item", (), ("u",), "the person's turn is over")


def spoken(times: TurnTimes) -> list[Event]:
    """A turn whose speech ended at 1000 ms, answered until 3000 ms."""
    done = times.step(1100 * MS, [e.SpeechStopped(1100 * MS, "u", 1000 * MS)], [])
    done += times.step(1300 * MS, [e.Words(1300 * MS, "u", "When?", 1000 * MS, final=True)], [START])
    done += times.step(1500 * MS, [e.AnswerText(1500 * MS, "answer", 1, "At nine.")], [])
    render = e.Render("item.0", 1, "item", "At nine.")
    done += times.step(1550 * MS, [e.AnswerDone(1550 * MS, "answer", 1)], [render])
    done += times.step(1700 * MS, [e.Rendered(1700 * MS, "item.0", 1, 900, 8, last=True)], [e.Play("item")])
    done += times.step(1710 * MS, [e.Sent(1710 * MS, "item", 200)], [])
    return done + times.step(3000 * MS, [], [e.Said("item", "At nine.", 8, 900, "stop")])


def test_the_stages_of_an_answer_add_up_to_the_whole():
    begun, answer = spoken(TurnTimes())
    assert isinstance(answer, Answered)
    assert begun == Sounded("item", {
        "detected": 100, "recognised": 300, "decided": 300, "first_token": 500, "first_clause": 550,
        "first_sound": 700, "sent": 710,
    })  # fmt: skip
    assert [(stage.name, (stage.end_us - stage.begin_us) // MS) for stage in answer.stages()] == [
        ("detected", 100), ("recognised", 200), ("decided", 0), ("first_token", 200), ("first_clause", 50),
        ("first_sound", 150), ("sent", 10), ("played", 1290),
    ]  # fmt: skip
    assert (answer.begin_us, answer.end_us, answer.heard, answer.text) == (
        1000 * MS,
        3000 * MS,
        "When?",
        "At nine.",
    )


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(STAGES), st.integers(0, 5000)), st.integers(0, 4000), st.integers(0, 3000)
)
def test_whatever_the_order_of_marks_stages_follow_each_other_without_gaps(marks, begin, lasts):
    answer = Answered("item", begin, "", "", dict(marks), end_us=begin + lasts)
    at = begin
    for stage in answer.stages():
        assert stage.begin_us == at <= stage.end_us <= answer.end_us
        at = stage.end_us
    assert [stage.name for stage in answer.stages()] == [name for name in STAGES if name in marks]


def test_words_that_came_after_the_decision_took_no_time_of_their_own():
    answer = Answered("item", 0, "", "", {"decided": 100, "recognised": 300, "first_token": 400}, end_us=500)
    assert answer.stages() == [
        Stage("recognised", 0, 300),
        Stage("decided", 300, 300),
        Stage("first_token", 300, 400),
    ]


def test_the_first_frame_of_an_answer_is_told_once_and_counts_from_the_question_where_nobody_spoke():
    times = TurnTimes()
    times.step(5000 * MS, [], [replace(START, utterances=())])
    first = times.step(
        5110 * MS, [e.Rendered(5100 * MS, "item.0", 1, 900, 8, last=True), e.Sent(5110 * MS, "item", 20)], []
    )
    assert first == [Sounded("item", {"decided": 0, "first_sound": 100, "sent": 110})]
    assert times.step(5130 * MS, [e.Sent(5130 * MS, "item", 40), e.Sent(5130 * MS, "unknown", 20)], []) == []


def test_an_answer_that_never_sounds_has_the_stages_that_were():
    times = TurnTimes()
    times.step(0, [], [START])
    (answer,) = times.step(
        700, [e.AnswerDone(700, "answer", 1, "broken")], [e.Said("item", "", 0, 0, "failed", "broken")]
    )
    assert isinstance(answer, Answered)
    assert answer.stages() == [Stage("decided", 0, 0)]
    assert (answer.finish, answer.error, answer.written_us) == ("failed", "broken", 700)


def test_a_tool_knows_the_answer_that_called_it_and_when_it_ended():
    times, call = TurnTimes(), ToolCall("c", "hours", {})
    times.step(0, [], [START])
    times.step(100, [e.AnswerTool(100, "answer", 1, call)], [e.StartTool("tool", 2, call)])
    result = ToolResult("c", 9)
    assert times.step(900, [e.ToolReturned(900, "tool", 2, result)], []) == [
        Used(call, 100, 900, result, "item")
    ]
    assert times.step(901, [e.ToolReturned(901, "tool", 2, result)], []) == []


def test_what_is_not_over_ends_with_the_session():
    times, call = TurnTimes(), ToolCall("c", "hours", {})
    times.step(0, [], [START, e.StartTool("tool", 2, call)])
    answer, used = times.rest(5)
    assert isinstance(answer, Answered)
    assert (answer.finish, answer.end_us) == ("session ended", 5)
    assert used == Used(call, 0, 5, None, None)
