from __future__ import annotations

from pathlib import Path

from antiphon.clock import VirtualClock
from antiphon.envs.episode import Episode
from antiphon.envs.recital import can_recite, recite
from antiphon.envs.task import task_of
from tests.envs.desk import LEND, open_desk


def test_a_recital_plays_the_reference_with_the_words_that_the_assertions_ask_for(tmp_path: Path):
    desk = open_desk(tmp_path)
    trace = recite(Episode(desk, desk.task("lend_emma"), VirtualClock()))
    told = [step.text or (step.call or {})["name"] for step in trace.steps]
    assert told == ["Emma, please.", "find", "Emma?", "Yes.", "lend", "L101.", "Bye."]
    assert (trace.system, trace.partner, trace.stop) == (
        "scripted:recital",
        "scripted:recital",
        "partner_hung_up",
    )


def test_words_for_a_judge_and_own_predicates_cannot_be_recited():
    assert can_recite(task_of(LEND, "x"))
    assert not can_recite(task_of(LEND | {"assertions": ["Must be kind."]}, "x"))
    assert not can_recite(task_of(LEND | {"assertions": [{"text": "x", "predicate": "own"}]}, "x"))
