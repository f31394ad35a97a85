from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.page_figures import ability_radar, latency, pictures
from antiphon.bench.takes import Timing
from antiphon.report.strips import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.results import Results


@pytest.fixture
def results(fake_run: Callable[..., Any]) -> Results:
    return fake_run(sounds=False).results()


def test_an_unjudged_ability_is_not_replaced_by_an_error_rate(results: Results) -> None:
    assert str(pictures(results).radar).count(">2 not judged<") == 3
    assert pictures(results).caption == (
        "Axes run from 0 to 100: Accuracy, text (chinese knowledge, foreign knowledge, reasoning, multi round, "
        "code switching, english); DistillMOS from 1 to 5 as 0 to 100 (fluency); 100 − Syllable error rate "
        "(clarity). Bars along them are 95 % intervals. "
        "A dotted axis was not measured."
    )


def test_two_abilities_give_dots_and_no_radar(results: Results) -> None:
    few = replace(
        results, items=tuple(item for item in results.items if item.subset in ("english", "reasoning"))
    )
    found = pictures(few)
    assert (found.radar, len(found.dots)) == (None, 6)


def test_the_typical_reply_counts_only_undisturbed_times(results: Results) -> None:
    alone, crowded, untimed = (results.takes[item.id] for item in results.items[:3])
    timing = Timing(300_000, 900_000, 2_000_000, {"recognised": 100_000})
    alone = replace(alone, replies=(replace(alone.replies[0], timing=timing),))
    untimed = replace(untimed, replies=(replace(untimed.replies[0], timing=None),))
    takes = {take.item: take for take in (alone, replace(crowded, in_flight=4), untimed)}
    found = latency(replace(results, takes=takes))
    assert found is not None
    assert found.caption == "Median of 1 replies, one request in flight"
    assert found.strip.stages == (
        Stage("recognised", 0.1, "wait"),
        Stage("first text", 0.3, "wait"),
        Stage("first speech", 0.9, "text"),
        Stage("end", 2.0, "speech"),
    )
    assert latency(replace(results, takes={untimed.item: untimed})) is None


def test_another_run_is_drawn_where_it_shows_the_same_metric(results: Results) -> None:
    other = replace(results, scores=tuple(score for score in results.scores if score.subset != "reasoning"))
    drawn = ability_radar([results, other], ["one", "other"])
    assert drawn is not None
    lead, rival = (drawn.split(f'class="{look}"')[1].split("</g>")[0] for look in ("lead", "rival"))
    assert rival.count('class="mark"') == lead.count('class="mark"') - 1
