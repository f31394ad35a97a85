from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.page_items import lost, sections, worst

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results


@pytest.fixture
def results(fake_run: Callable[..., Any]) -> Results:
    return fake_run(sounds=False).results()


def test_the_worst_come_first_and_lost_evidence_is_not_called_bad(results: Results) -> None:
    parts = sections(results)
    ranked = worst(parts)
    assert [view.item.id for view in ranked[:2]] == ["chinese_knowledge-001", "reasoning-005"]
    assert [view.badness for view in ranked] == sorted((view.badness or 0 for view in ranked), reverse=True)
    assert [(view.item.id, view.failure) for view in lost(parts)] == [
        ("creativity-006", ""),
        ("instruction_following-013", "openai+http://host:8000/v1#model: no answer within 60 s, 3 tries"),
    ]
    assert lost(parts)[1].badness is None


def test_a_reason_shared_by_most_rows_is_said_once_and_a_rare_one_on_its_row(results: Results) -> None:
    views = {view.item.id: view for part in sections(results) for view in part.views}
    assert views["safety-014"].reasons == ()
    assert [(reason.status, reason.text) for reason in views["creativity-006"].reasons] == [
        ("invalid", "DistillMOS gave nothing: the clip is longer than 20 s")
    ]


def test_a_reused_reply_says_when_and_where_it_was_made(results: Results) -> None:
    views = {view.item.id: view for part in sections(results) for view in part.views}
    assert views["foreign_knowledge-003"].reused == (
        "reply and times of 1 August 2026, 14:02 UTC, Linux x86_64, 2 cores"
    )
    assert views["foreign_knowledge-002"].reused == ""


def test_the_judge_s_words_stand_once_where_two_metrics_rest_on_them(results: Results) -> None:
    said = {"judge": "scripted:judge", "prompt": "p@1", "answer": "切题。\n[4]"}
    rows = [
        replace(score, value=1.0, status="valid", reason=None, evidence=said)
        if score.item == "creativity-007" and score.metric in ("judged", "distillmos")
        else score
        for score in results.scores
    ]
    views = {
        view.item.id: view for part in sections(replace(results, scores=tuple(rows))) for view in part.views
    }
    assert [(fact.name, fact.value) for fact in views["creativity-007"].judged] == [
        ("Judged good 100.0 %, DistillMOS 1.00", "切题。\n[4]")
    ]
    assert views["creativity-006"].judged == ()


def test_every_item_says_its_category_and_its_speech(results: Results) -> None:
    views = {view.item.id: view for part in sections(results) for view in part.views}
    assert views["reasoning-004"].tags == ("Math", "synthetic")
    assert {part.speech for part in sections(results)} == {"synthetic"}


def test_what_was_misheard_is_counted_in_words(results: Results) -> None:
    views = {view.item.id: view for part in sections(results) for view in part.views}
    heard = views["chinese_knowledge-001"].replies[0].heard
    assert heard is not None
    assert heard.told == "2 in another tone"
