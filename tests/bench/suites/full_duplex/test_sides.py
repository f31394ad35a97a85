from __future__ import annotations

from antiphon.bench.suite import NoValue
from antiphon.bench.suites.full_duplex.sides import clipped, said, spans_of, untimed, words_of
from tests.bench.suites.full_duplex.duplex import evidence, track, words


def test_paper_cuts_the_agent_s_track_and_nobody_else_s():
    item = evidence(
        "user_interruption",
        {},
        query_s=1.0,
        user=track(words("a b c", 0.5, 0.5)),
        agent=track(words("a b c", 0.5, 0.5)),
    )
    assert [said(words_of("paper", item, side)) for side in ("user", "agent")] == ["a b c", "a"]
    assert spans_of("paper", item, "agent") == ((0.5, 1.0),)
    assert len(spans_of("strict", item, "agent")) == 3


def test_a_span_is_cut_at_the_end():
    assert clipped(((0.0, 2.0), (3.0, 4.0)), 1.0) == ((0.0, 1.0),)
    assert clipped(((0.0, 2.0),), None) == ((0.0, 2.0),)


def test_a_track_without_a_detector_is_our_fault():
    assert spans_of("strict", evidence("user_interruption", {}), "agent") == NoValue(
        "invalid", "no voices were looked for on the track of agent"
    )


def test_times_count_for_one_session_at_a_time():
    assert untimed(evidence("user_interruption", {})) is None
    assert untimed(evidence("user_interruption", {}, in_flight=2)) == NoValue(
        "excluded", "2 sessions ran at once; times count only for one"
    )
