from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.realtime.live.playout import FRAME_BYTES, Playout

MS = 48  # bytes


def playout(ms: int, item: str = "a") -> Playout:
    found = Playout()
    found.add(item, bytes(ms * MS))
    found.play(item)
    return found


def test_sound_leaves_a_fifth_of_a_second_ahead_and_then_in_real_time():
    ahead = playout(1000)
    assert [frame.at_ms for frame in ahead.take(0)] == list(range(0, 200, 20))
    assert ahead.take(0) == []
    assert ahead.next_us(0) == 1
    assert [frame.at_ms for frame in ahead.take(20_000)] == [200]
    assert ahead.played_ms("a", 20_000) == 20
    assert ahead.sent_ms("a") == 220


def test_a_late_frame_is_heard_after_a_gap():
    slow = playout(100)
    slow.take(0)
    slow.add("a", bytes(100 * MS))
    slow.take(500_000)
    assert slow.played_ms("a", 500_000) == 100
    assert slow.played_ms("a", 550_000) == 150


def test_a_pause_sends_no_more_and_what_the_client_has_is_still_played():
    held = playout(1000)
    held.take(0)
    held.pause("a")
    assert held.take(100_000) == []
    assert held.next_us(100_000) is None
    assert (held.played_ms("a", 100_000), held.played_ms("a", 900_000)) == (100, 200)


def test_a_resumed_item_repeats_the_cut_word_and_its_places_stay_right():
    held = playout(1000)
    held.take(0)
    held.pause("a")
    held.resume("a", 140)
    frames = held.take(900_000)
    assert frames[0].at_ms == 140
    assert held.got_ms("a") == 400
    assert held.place_of("a", 200) == 140
    assert held.place_of("a", 199) == 199
    assert held.place_of("a", 250) == 190
    assert held.place_of("a", 401) is None
    assert held.place_of("never", 0) is None


def test_a_client_that_threw_its_sound_away_is_ready_at_once():
    held = playout(1000)
    held.take(0)
    held.pause("a")
    held.halted(50_000)
    held.resume("a", 40)
    assert len(held.take(50_000)) == 10


def test_frames_leave_whole_and_the_last_is_filled_up_with_silence():
    short = playout(30)
    assert [len(frame.pcm) for frame in short.take(0)] == [FRAME_BYTES]
    short.fill("a")
    assert [frame.ms for frame in short.take(0)] == [20]
    assert short.made_ms("a") == 40


def test_a_dropped_item_sends_nothing_more():
    gone = playout(1000)
    gone.take(0)
    gone.drop("a")
    gone.play("a")
    assert gone.take(10_000_000) == []


@given(st.integers(1, 900), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 700)), max_size=5))
def test_an_item_is_played_to_its_end_wherever_it_was_paused_and_resumed(made_ms, pauses):
    ahead, now_us = playout(made_ms), 0
    ahead.fill("a")
    for wait_ms, back_ms in pauses:
        for _ in range(wait_ms // 20):
            ahead.take(now_us)
            now_us += 20_000
        ahead.pause("a")
        ahead.resume("a", max(0, ahead.played_ms("a", now_us) - back_ms))
    for _ in range(100):
        ahead.take(now_us)
        now_us += 20_000
    assert ahead.played_ms("a", now_us) == ahead.sent_ms("a") == ahead.made_ms("a")
    assert ahead.next_us(now_us) is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 300), st.integers(0, 400)), min_size=1, max_size=20))
def test_no_sound_is_lost_or_doubled_however_it_is_made_and_fetched(steps: list[tuple[int, int]]):
    made = bytes(range(1, 251))
    given_, got, now_us = b"", b"", 0
    ahead = Playout()
    ahead.play("a")
    for size, wait_ms in steps:
        piece = (made * 120)[: size * MS]
        given_ += piece
        ahead.add("a", piece)
        got += b"".join(frame.pcm for frame in ahead.take(now_us))
        now_us += wait_ms * 1000
        assert ahead.played_ms("a", now_us) <= ahead.sent_ms("a") <= ahead.made_ms("a")
    ahead.fill("a")
    for _ in range(1000):
        got += b"".join(frame.pcm for frame in ahead.take(now_us))
        now_us += 20_000
    assert got.rstrip(b"\0") == given_


def test_a_client_that_comes_back_is_sent_the_rest_from_what_it_has_got():
    ahead = playout(1000)
    ahead.take(0)
    assert ahead.place_of("a", 200) == 200
    ahead.pause("a")
    ahead.lost("a", 60)  # the last three frames never arrived
    assert ahead.place_of("a", 200) is None
    ahead.restart(5_000_000, 0)
    ahead.resume("a", 100)
    frames = ahead.take(5_000_000)
    assert [frame.at_ms for frame in frames] == list(range(100, 300, 20))
    assert ahead.place_of("a", 140) == 100  # of the client's own count
    assert ahead.played_ms("a", 5_040_000) == 140
    assert ahead.ahead_ms("a") == 700


def test_sound_that_comes_late_is_waited_for():
    ahead = playout(1000)
    ahead.restart(0, 2000)
    assert ahead.take(0) == []
    assert ahead.next_us(0) == 1_800_001
    assert [frame.at_ms for frame in ahead.take(1_810_000)] == [0]
    assert ahead.played_ms("a", 2_010_000) == 10
