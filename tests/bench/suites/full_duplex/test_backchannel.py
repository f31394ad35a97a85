from __future__ import annotations

import numpy as np
import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.backchannel import (
    as_published,
    distance,
    divergence,
    frequency,
    histogram,
    takeover,
    takes_floor,
    timing,
)
from antiphon.models.ports import TimedWord
from tests.bench.suites.full_duplex.duplex import evidence, track, words

PEOPLE = {"people": [0.5, 0.5]}


@pytest.mark.parametrize(
    ("span", "said", "takes"),
    [
        ((1.0, 1.5), words("uh huh", 1.0), False),
        ((1.0, 1.9), words("uh huh yeah", 1.0), True),  # three words in less than a second
        ((1.0, 2.2), words("mm", 1.0), True),  # over a second
        ((1.0, 4.5), (), True),  # over three seconds
        (
            (1.0, 1.5),
            words("one two three four", 0.0, 0.25),
            False,
        ),  # all have ended when the span begins
    ],
)
def test_a_stretch_takes_the_floor_by_length_or_by_words(span, said, takes):
    assert takes_floor(span, said) is takes


def test_in_the_published_script_the_last_stretch_decides_alone():
    spans = ((1.0, 3.0), (5.0, 5.4))
    said = words("mm", 5.0)
    assert as_published(spans, said) == (False, spans)
    item = evidence("icc_backchannel", PEOPLE, agent=track(said, spans))
    assert takeover("paper", item) == Value(0.0, evidence={"backchannels": 2})
    assert takeover("strict", item) == Value(1.0, evidence={"backchannels": 1})
    assert (frequency("paper", item).value, frequency("strict", item).value) == (0.2, 0.1)


def test_a_long_stretch_ends_the_published_script_s_search():
    assert as_published(((1.0, 1.4), (2.0, 6.0), (7.0, 7.4)), ()) == (True, ((1.0, 1.4),))


def test_the_script_reads_a_track_at_24_khz_as_if_it_were_at_16():
    """A murmur of 0.8 s is one of 1.2 s in the mistaken seconds, and takes the floor there."""
    item = evidence(
        "icc_backchannel", PEOPLE, agent=track(words("mm", 2.0), ((2.0, 2.8),), unresampled=((3.0, 4.2),))
    )
    assert takeover("strict", item).value == 0.0
    assert takeover("paper", item).value == 1.0


def test_a_histogram_counts_the_spans_that_touch_each_fifth_of_a_second():
    found = histogram(((0.0, 0.3), (0.25, 0.25)), 0.7)
    assert found == pytest.approx([1 / 3, 2 / 3, 0.0, 0.0], abs=1e-9)


def test_the_divergence_of_two_halves_is_by_hand_and_its_root_in_nats_is_the_published_distance():
    """Against (1/2, 1/2), all on one side: (log2(4/3) + 1/2 log2(2/3) + 1/2 log2 2) / 2."""
    by_hand = (np.log2(4 / 3) + 0.5 * np.log2(2 / 3) + 0.5) / 2
    assert divergence(np.array([1.0, 0.0]), [0.5, 0.5]) == pytest.approx(by_hand)
    assert divergence(np.array([0.5, 0.5]), [0.5, 0.5]) == 0.0
    assert divergence(np.array([1.0, 0.0]), [0.0, 1.0]) == pytest.approx(1.0)
    assert distance(1.0) == pytest.approx(0.8325546)


def test_the_distance_is_scipys():
    from scipy.spatial.distance import jensenshannon

    rng = np.random.default_rng(3)
    ours, theirs = rng.dirichlet(np.ones(7)), rng.dirichlet(np.ones(7))
    assert distance(divergence(ours, theirs.tolist())) == pytest.approx(
        jensenshannon(ours, theirs), abs=1e-12
    )


def test_a_silent_agent_is_as_far_as_can_be_for_the_script_and_not_comparable_for_us():
    silent = evidence("icc_backchannel", PEOPLE, agent=track(()))
    assert timing("paper", silent) == Value(1.0, evidence={"backchannels": 0})
    assert timing("strict", silent) == NoValue("excluded", "the agent gave no backchannel")


def test_without_peoples_distribution_there_is_no_comparison():
    item = evidence("icc_backchannel", {}, agent=track((TimedWord("mm", 1.0, 1.2),)))
    found = timing("strict", item)
    assert isinstance(found, NoValue)
    assert (found.status, "icc_gt_distribution.json" in found.reason) == ("unavailable", True)
