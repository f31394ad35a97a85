from __future__ import annotations

from antiphon.partner.live import PATIENCE_US, AgentSound, Cue, Line, LivePartner, Piece, spoken

S = 1_000_000


def _line(name: str, cue: Cue, delay_us: int = S) -> Line:
    return Line(name, "Sam", True, "en", (Piece("hello"),), cue, delay_us)


def test_words_take_the_time_people_need():
    [stretch] = spoken(Line("l", "Sam", True, "zh", (Piece("你好，吗？"),), "begin", 0))
    assert [(word.text, word.end_us) for word in stretch.words] == [
        ("你", 222_000),
        ("好，", 444_000),
        ("吗？", 666_000),
    ]
    assert spoken(Line("l", "Sam", True, "zh", (Piece("你好"),), "begin", 0), rate=2.0)[0].end_us == 222_000


def test_a_pause_within_a_line_makes_two_stretches():
    first, second = spoken(Line("l", "Sam", True, "zh", (Piece("你", S), Piece("好")), "begin", 0))
    assert (first.end_us, second.start_us) == (222_000, 222_000 + S)


def test_a_reply_waits_for_the_agent_to_end_or_for_patience():
    partner = LivePartner((_line("a", "begin"), _line("b", "reply")))
    assert partner.begins_us(AgentSound()) == S
    partner.said(2 * S)
    assert partner.begins_us(AgentSound()) == 2 * S + PATIENCE_US + S
    assert partner.begins_us(AgentSound(3 * S, None, sounding=True)) is None
    assert partner.begins_us(AgentSound(3 * S, 5 * S)) == 6 * S


def test_a_line_over_the_agent_needs_the_agent_to_sound():
    partner = LivePartner((_line("a", "over"),))
    assert partner.begins_us(AgentSound()) is None
    assert partner.begins_us(AgentSound(3 * S, None, sounding=True)) == 4 * S
    assert partner.gives_up_us() == 2 * PATIENCE_US
    partner.skip()
    assert partner.line is None
    assert partner.begins_us(AgentSound()) is None


def test_the_next_line_follows_whatever_the_agent_does():
    partner = LivePartner((_line("a", "begin"), _line("b", "next")))
    partner.said(2 * S)
    assert partner.begins_us(AgentSound(1, None, sounding=True)) == 3 * S
