"""Lines here are neither learned from nor in a set."""

from __future__ import annotations

import numpy as np

from antiphon.realtime.acts.classifier import ACTS, ActClassifier
from antiphon.realtime.policy.terms import Terms
from antiphon.realtime.policy.words import Words


def sure_of(act: str) -> Words:
    """Words that a classifier always takes for one act."""
    bias = np.where(np.array(ACTS) == act, 9.0, 0.0).astype(np.float32)
    return Words(ActClassifier({}, np.zeros((0, len(ACTS)), np.float32), bias))


def test_a_form_decides_where_the_classifier_is_not_sure():
    unsure = Words(ActClassifier({}, np.zeros((0, len(ACTS)), np.float32), np.zeros(len(ACTS), np.float32)))
    assert unsure.acknowledges("uh-huh")
    assert unsure.stops("Stop talking, please.")
    assert unsure.terms("Don't answer until I say pear.", ("Nova",)) == Terms("signal", ("pear",))
    assert not unsure.acknowledges("Zebras, all of them.")


def test_a_sure_classifier_speaks_where_no_form_does():
    text = "zibble zabble"
    assert sure_of("acknowledge").acknowledges(text)
    assert sure_of("stop").stops(text)
    assert sure_of("wait").holds(text)
    assert sure_of("go_on").goes_on(text)
    assert sure_of("release").gives_back(text)
    assert sure_of("silence").terms(text, ("Nova",)) == Terms("silence")
    assert sure_of("called").terms(text, ("Nova",)) == Terms("called", ("Nova",))
    assert sure_of("request").terms(text, ("Nova",)) is None


def test_what_is_surely_a_request_is_no_acknowledgement_and_no_agreement():
    assert not sure_of("request").acknowledges("uh-huh")
    assert sure_of("request").terms("Don't answer until I say pear.", ("Nova",)) is None


def test_a_question_and_a_long_line_acknowledge_nothing():
    assert not sure_of("acknowledge").acknowledges("Which one is it?")
    assert not sure_of("acknowledge").acknowledges("zibble " * 20)
    assert not sure_of("stop").stops("zibble " * 20)


def test_a_question_reads_the_same_without_its_mark():
    asked = "Who painted the ceiling of that chapel"
    assert Words().for_others(f"{asked}.") == Words().for_others(f"{asked}?") < 0


def test_a_first_clause_of_few_words_may_rule_the_floor():
    assert sure_of("stop").rules_the_floor("Zib zab, they are at it again.")
    assert not sure_of("stop").rules_the_floor("Zib zab zub zob, they are at it again.")
    assert not sure_of("others").rules_the_floor("Zib zab, they are at it again.")
