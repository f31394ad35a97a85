from __future__ import annotations

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
