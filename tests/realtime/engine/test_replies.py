from __future__ import annotations

from antiphon.realtime.engine.playback_log import ItemLog
from antiphon.realtime.engine.replies import Due, Replies, Reply
from antiphon.realtime.events import Render, Rendered


def _reply() -> Reply:
    return Reply("answer", 3, "item", Due("turn", "why", "t"), ItemLog())


def test_clauses_go_to_the_renderer_as_they_are_complete():
    reply = _reply()
    assert reply.write("Two words. And") == [Render("item.0", 3, "item", "Two words.")]
    assert reply.write(" more") == []
    assert reply.close() == [Render("item.10", 3, "item", " And more")]
    assert reply.log.text == "Two words. And more"


def test_sound_that_comes_early_counts_in_the_order_of_the_clauses():
    reply = _reply()
    reply.write("Two words. And more. ")
    assert reply.sounded(Rendered(0, "item.10", 3, 1000, 10, last=True))
    assert reply.log.made_ms == 0
    assert reply.sounded(Rendered(0, "item.0", 3, 900, 10, last=True))
    assert (reply.log.made_ms, reply.log.marks) == (1900, [(0, 0), (900, 10), (1900, 20)])


def test_sound_of_another_generation_is_none():
    reply = _reply()
    reply.write("Two words. ")
    assert not reply.sounded(Rendered(0, "item.0", 2, 900, 10, last=True))
    assert not reply.sound


def test_a_clause_ends_where_it_ends_whatever_the_renderer_counts():
    reply = _reply()
    reply.write("Two words. ")
    reply.sounded(Rendered(0, "item.0", 3, 400, 99))
    reply.sounded(Rendered(0, "item.0", 3, 400, 0, last=True))
    assert reply.log.marks[-1][1] == 10


def test_an_answer_is_over_when_it_is_written_spoken_and_heard():
    reply = _reply()
    reply.write("Two words. ")
    reply.close()
    assert not reply.over
    reply.sounded(Rendered(0, "item.0", 3, 900, 10, last=True))
    assert not reply.over
    reply.log.played(900)
    assert (reply.over, reply.finish) == (True, "stop")


def test_results_find_the_answer_they_belong_to():
    replies = Replies()
    replies.now = _reply()
    assert replies.of("answer", 3) is replies.now
    assert replies.of("answer", 2) is None
    assert replies.of("other", 3) is None
