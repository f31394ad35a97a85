from __future__ import annotations

from typing import Any

from antiphon.partner.live import Line, Piece
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.fdb_like import fdb_like
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.recorded import LogRow, rows_of
from antiphon.realtime.simulation.simulate import Performed, Session, Simulation
from antiphon.realtime.simulation.ticks import Heard, Ruling, Side, Tick, as_tau, said_in, ticks


def _in(t_ms: int, name: str, **fields: Any) -> LogRow:
    return t_ms * 1000, "in", name, {"t_us": t_ms * 1000, **fields}


def _out(t_ms: int, name: str, **fields: Any) -> LogRow:
    return t_ms * 1000, "out", name, fields


AGENT = [
    _out(0, "Render", id="c", item="i", text="One two, three four."),
    _in(10, "Rendered", id="c", ms=1000, chars=20),
    _out(100, "Play", item="i"),
    _in(300, "Played", item="i", ms=200),
]


def test_a_sides_words_fall_into_the_ticks_in_which_they_end():
    found = list(ticks("s", AGENT))
    # 20 characters in 1 s: "One" ends at 150 ms of the item, 250 ms of the session
    assert [(tick.agent.ms, tick.agent.text) for tick in found] == [(100, ""), (100, "One ")]
    assert found[0].edges == ("play",)


def test_a_pause_is_silence_and_a_word_that_was_cut_is_said_again():
    log = [
        *AGENT,
        _out(350, "Pause", item="i"),
        _in(351, "Played", item="i", ms=250),
        _out(900, "Resume", item="i", from_ms=200, from_char=4),
        _in(1100, "Played", item="i", ms=400),
        _in(1700, "Played", item="i", ms=1000),
        _out(1700, "Said", item="i", heard_ms=1000, heard_chars=20),
    ]
    found = list(ticks("s", log))
    assert "".join(tick.agent.text for tick in found) == "One two, three four."
    assert [tick.agent.ms for tick in found] == [100, 150, 0, 0, 100, 200, 200, 200, 100]
    assert [tick.t_ms for tick in found] == [0, 200, 400, 600, 800, 1000, 1200, 1400, 1600]


def test_what_was_not_heard_is_in_no_tick_and_gaps_come_before_sound():
    log = [
        *AGENT,
        _in(900, "Played", item="i", ms=500),
        _out(1000, "Stop", item="i", heard_ms=500, heard_chars=9),
    ]
    found = list(ticks("s", log))
    assert "".join(tick.agent.text for tick in found) == "One two, "
    # 300 ms more at 900 ms: they sounded from 600 ms on
    assert [tick.agent.ms for tick in found] == [100, 100, 0, 200, 100, 0]
    assert found[-1].edges == ("stop",)


def test_without_a_script_people_said_what_was_heard_in_the_end():
    log = [
        _in(500, "SpeechStarted", utterance="u1", onset_us=400_000, speaker=None),
        _in(700, "Words", utterance="u1", text="hell"),
        _in(1100, "SpeechStopped", utterance="u1", offset_us=800_000),
        _in(1300, "Words", utterance="u1", text="hello you"),
        _out(
            1300, "Decided", t_us=1_300_000, floor="SPEAK", answer="ANSWER", reason="a turn", utterance="u1"
        ),
        _out(1300, "StartTool", call={"name": "look_up"}),
    ]
    found = list(ticks("s", log))
    assert [tick.user for tick in found] == [
        Side(), Side(), Side(200, ""), Side(200, "hello you "), Side(), Side(), Side(),
    ]  # fmt: skip
    assert [tick.heard for tick in found] == ["", "", "", "hell", "", "", "hello you"]
    assert found[6].decided == (Ruling(1300, "SPEAK", "ANSWER", "a turn", "u1"),)
    assert found[6].tools == ("look_up",)


def test_two_voices_at_once_sound_no_longer_than_one():
    people = [Heard(0, 150_000, "a ", "Sam"), Heard(50_000, 200_000, "b ", "Ann")]
    [tick] = ticks("s", [], people)
    assert tick.user == Side(200, "a b ", "Ann")


def _performed(session: Session) -> Performed:
    return Simulation(session, policy_named("default"), Oracle(), 0).run()


def test_ticks_of_a_session_give_back_what_was_said_and_how_long():
    for session in (multi_party(0, 0).session, multi_party(1, 0).session, fdb_like(3, 0).session):
        done = _performed(session)
        found = list(ticks(session.id, rows_of(done.log), said_in(done)))
        said = "".join(tick.user.text for tick in found)
        spoken = [line.text for line in session.lines if done.spans[line.id]]
        assert said.replace(" ", "") == "".join(spoken).replace(" ", "")
        sounding_us = sum(sound.end_us - sound.start_us for sound in done.sounds)
        assert abs(sum(tick.agent.ms for tick in found) - sounding_us / 1000) <= len(found)
        assert sum(len(tick.decided) for tick in found) == sum(b'"Decided"' in line for line in done.log)


def test_an_answer_heard_to_its_end_is_in_the_ticks_word_for_word():
    answer = "It takes three hours. Trains leave at nine, ten and eleven."
    lines = (Line("a", "Sam", True, "en", (Piece("How long does it take?"),), "begin", 1_000_000),)
    done = _performed(Session("s", "en", lines, Settings(), {"": answer}))
    assert "".join(tick.agent.text for tick in ticks("s", rows_of(done.log))) == answer


def test_a_tick_has_the_names_of_tau_bench():
    tick = Tick("s", 7, 1400, Side(200, "how ", "Sam"), Side(), "how")
    assert as_tau(tick) == {
        "tick_id": 7,
        "timestamp": "1.400",
        "tick_duration_seconds": 0.2,
        "agent_chunk": {
            "role": "assistant", "content": "", "contains_speech": False, "is_audio": False, "chunk_id": 7,
            "is_final_chunk": True, "utterance_ids": None,
        },
        "user_chunk": {
            "role": "user", "content": "how ", "contains_speech": True, "is_audio": False, "chunk_id": 7,
            "is_final_chunk": True, "utterance_ids": ["Sam"],
        },
        "user_transcript": "how",
    }  # fmt: skip
