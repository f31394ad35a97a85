"""Lines here are neither learned from nor in a set."""

from __future__ import annotations

import numpy as np
import pytest

from antiphon.realtime.acts.classifier import ACTS, ActClassifier
from antiphon.realtime.acts.stored import ours


@pytest.mark.parametrize(
    ("act", "text"),
    [
        ("request", "Which of these trains has a dining car?"),
        ("request", "Actually, make that for six people."),
        ("others", "Mind your fingers in the drawer!"),
        ("others", "Did you lock the shed?"),
        ("acknowledge", "oh, that's lovely"),
        ("stop", "Alright, that's enough, stop."),
        ("go_on", "Okay, go on with the rest."),
        ("wait", "Hang on a moment, please."),
        ("silence", "Please keep quiet and just listen for a while."),
        ("signal", "Don't say anything until I say umbrella."),
        ("called", "Only answer if I say your name."),
        ("request", "哪一班车有餐车？"),
        ("request", "改成六个人的吧。"),
        ("others", "抽屉别夹到手！"),
        ("others", "仓库门你锁了没？"),
        ("acknowledge", "哦，这样啊"),
        ("stop", "行了，别说了，停。"),
        ("wait", "等我一下啊。"),
        ("called", "叫你名字你再说话。"),
        ("signal", "等我说雨伞你再开口。"),
    ],
)
def test_lines_it_has_not_seen_are_told(act: str, text: str):
    odds = ours().odds(text)
    assert max(odds, key=odds.__getitem__) == act


def test_odds_are_a_distribution_over_all_acts():
    odds = ours().odds("Could you check the door?")
    assert tuple(odds) == ACTS
    assert sum(odds.values()) == pytest.approx(1.0)


def test_log_odds_follow_the_odds():
    text = "Hand me the other spanner."
    share = ours().odds(text)["others"]
    assert ours().log_odds("others", text) == pytest.approx(np.log(share / (1 - share)), abs=1e-3)


def test_no_words_say_nothing():
    assert ours().log_odds("others", "…") == 0.0
    assert set(ours().odds("")) == set(ACTS)
    assert len(set(ours().odds("").values())) == 1


def test_runs_that_are_not_known_are_passed_over():
    none = ActClassifier({}, np.zeros((0, len(ACTS)), np.float32), np.zeros(len(ACTS), np.float32))
    assert none.log_odds("others", "whatever this is") == pytest.approx(np.log(1 / 9))
