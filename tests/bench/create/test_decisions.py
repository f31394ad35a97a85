from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.decisions import Decision, fold, log_path, read_decisions
from antiphon.bench.create.draft import Draft, Spoken, Step
from antiphon.report.local_app import open_log
from tests.bench.create.studio import draft

if TYPE_CHECKING:
    from pathlib import Path

SPOKEN = Spoken("ab", 1.0, "v", 0, "法国的首都是哪里", True, True, 1)
READY = draft(spoken=SPOKEN)


def on(one: Draft, action, **more) -> Decision:
    return Decision(one.id, action, "2026-01-01T00:00:00+00:00", one.shown, **more)


def test_a_draft_is_in_waits_or_is_out_by_its_marks():
    none = fold([])
    assert none.status(READY) == "verified"
    assert none.status(READY.marked("voice", "unverified", "x")) == "unverified"
    assert none.status(READY.marked("voice", "unverified", "x").marked("speech", "review", "y")) == "held"
    assert none.status(draft().marked("tag", "blocked", "x")) == "held"
    assert none.status(draft()) == "held"


def test_an_acceptance_holds_for_what_was_seen_and_nothing_else():
    doubted = READY.marked("speech", "review", "x")
    decisions = fold([on(doubted, "accept")])
    assert decisions.status(doubted) == "accepted"
    other = replace(doubted, spoken=replace(SPOKEN, clip="cd"))
    assert decisions.status(other) == "held"
    assert decisions.status(replace(doubted, question="别的？")) == "held"


def test_nothing_that_cannot_be_spoken_is_accepted():
    stuck = draft().marked("translate", "blocked", "x")
    assert fold([on(stuck, "accept")]).status(stuck) == "held"


@pytest.mark.parametrize(
    ("actions", "status"),
    [
        (("accept", "reject"), "rejected"),
        (("reject", "accept"), "accepted"),
        (("accept", "regenerate"), "held"),
        (("reject", "regenerate"), "held"),
        (("accept", "edit"), "held"),
    ],
)
def test_the_last_decision_counts(actions, status):
    one = READY.marked("speech", "review", "x")
    assert fold([on(one, action) for action in actions]).status(one) == status


def test_an_edit_replaces_words_and_forgets_what_models_did():
    stuck = draft(language="en", options=("a", "b"), right=0).marked("translate", "blocked", "x")
    edit = on(stuck, "edit", question="巴黎在哪国？", answer="法国", subset="foreign_knowledge")
    done = fold([edit]).edited(stuck)
    assert (done.question, done.answer, done.subset, done.language) == (
        "巴黎在哪国？", "法国", "foreign_knowledge", "zh",
    )  # fmt: skip
    assert (done.options, done.right, done.marks, done.given) == ((), None, (), stuck.given)
    assert done.steps == (Step("review", "a person", before=stuck.given),)
    assert fold([]).edited(stuck) == stuck


def test_another_recording_counts_once_for_each_that_was_heard():
    again = on(READY, "regenerate")
    assert fold([again, again]).retaken(READY).take == 1
    second = on(replace(READY, take=1), "regenerate")
    assert fold([again, second]).retaken(READY).take == 2


def test_voices_are_decided_on_by_name():
    at = "2026-01-01T00:00:00+00:00"
    assert fold([Decision("v", "never", at), Decision("v", "clean", at)]).of_voices == {"v": "clean"}


def test_decisions_are_read_from_their_log(tmp_path: Path):
    assert read_decisions(tmp_path).of_voices == {}
    with open_log(log_path(tmp_path), Decision) as log:
        log.append(Decision("v", "full", "2026-01-01T00:00:00+00:00"))
    assert read_decisions(tmp_path).of_voices == {"v": "full"}
