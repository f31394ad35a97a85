from __future__ import annotations

import numpy as np

from antiphon.realtime.acts.classifier import ACTS
from antiphon.realtime.acts.features import features
from antiphon.realtime.acts.lines import Line
from antiphon.realtime.acts.training import held_out, learn

LINES = [
    *(Line("request", text) for text in ("What time is it?", "How far is it?", "What does it cost?", "How old is it?")),
    *(Line("others", text) for text in ("Tom, come here.", "Ann, sit down.", "Tom, your shoes.", "Ann, hurry up.")),
    *(Line(act, f"{act} {n}") for act in ACTS[2:] for n in ("a", "b", "c", "d")),
]  # fmt: skip


def nobody(text: str) -> str | None:
    return None


def name(text: str) -> str | None:
    return text.split(",")[0] if "," in text else None


def test_lines_are_told_apart_and_the_weights_are_the_same_again():
    first, again = learn(LINES, name), learn(LINES, name)
    assert np.array_equal(first.weights, again.weights)
    for line in LINES:
        odds = first.odds(line.text, name(line.text))
        assert max(odds, key=odds.__getitem__) == line.act


def test_a_name_that_was_never_heard_is_a_name():
    classifier = learn(LINES, name)
    unheard = classifier.odds("Zoltan, bring water.", "Zoltan")["others"]
    assert unheard > classifier.odds("bring water.")["others"]


def test_a_heavier_penalty_makes_lighter_weights():
    light, heavy = learn(LINES, nobody, penalty=0.01), learn(LINES, nobody, penalty=1.0)
    assert np.abs(heavy.weights).sum() < np.abs(light.weights).sum()


def test_the_loss_is_least_at_the_weights():
    """The gradient of the summed log loss, counted here line by line, balances the penalty."""
    penalty = 0.3
    found = learn(LINES, nobody, penalty=penalty)
    run = "^ what"
    at = found.rows[run]
    pull = np.zeros(len(ACTS))

    for line in LINES:
        runs = features(line.text)
        if run in runs:
            odds = np.array(list(found.odds(line.text).values()))
            pull += (odds - (np.array(ACTS) == line.act)) / np.sqrt(len(runs))
    assert np.allclose(pull, -penalty * found.weights[at], atol=2e-3)


def test_held_out_figures_count_every_line_once():
    told = held_out(LINES, name, folds=4)
    assert told["n"] == len(LINES)
    assert 0 < told["for_others_right"] <= len(LINES)
    assert sum(told["right"].values()) <= len(LINES)
