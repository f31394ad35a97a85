from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from rich.console import Console

from antiphon.envs.casting import Casting
from antiphon.envs.pages import render, sections, write
from antiphon.envs.results import EnvResults, groups, load, row
from antiphon.envs.run import EnvRun, run_rollouts
from antiphon.envs.scoring import score_run
from antiphon.envs.tables import between, percent, results_table
from antiphon.envs.verdict import Verdict
from antiphon.stats import Summary

SPOKEN = "cascade:?transcriber=scripted:&chat=reference:?flaw=claims_success&synthesizer=scripted:"
TASKS = ("write_hold_flex_basic", "refuse_saver", "info_airport_zh")


def verdict(task: str, trial: int, passed: bool | None, outcome: str = "write", *tags: str) -> Verdict:
    return Verdict(
        "desk", task, trial, 0, "agent", "partner", outcome, "partner_hung_up",
        "invalid" if passed is None else "valid", passed, "strict", None if passed else "why", tags=tags,
    )  # fmt: skip


ALL = (
    verdict("a", 0, True, "write", "negation"),
    verdict("a", 1, True, "write", "negation"),
    verdict("b", 0, True, "refusal"),
    verdict("b", 1, False, "refusal"),
    verdict("c", 0, None, "refusal"),
    verdict("c", 1, True, "refusal"),
)


def test_rates_stand_over_all_by_outcome_and_by_tag_with_every_episode_counted():
    whole, write_, refusal, negation = groups(ALL, 2)
    assert [each.name for each in (whole, write_, refusal, negation)] == [
        "all",
        "write",
        "refusal",
        "negation",
    ]
    assert (whole.tasks, whole.episodes, whole.passed, whole.invalid) == (3, 6, 4, 1)
    assert whole.pass_1.value == pytest.approx((1 + 0.5 + 1) / 3)
    assert whole.pass_all is not None
    assert whole.pass_any is not None
    # c has one valid trial, so that of two nothing can be said.
    assert (whole.pass_all.value, whole.pass_all.n, whole.pass_all.invalid) == (0.5, 2, 1)
    assert (whole.pass_any.value, whole.pass_any.n) == (1.0, 2)
    assert (negation.sort, negation.tasks, negation.passed) == ("tag", 1, 2)
    assert list(groups((), 1)) == []
    assert next(groups(ALL, 1)).pass_all is None


def test_numbers_print_with_their_interval_or_say_that_there_is_none():
    def summary(value: float | None, low: float | None = None, high: float | None = None) -> Summary:
        return Summary("pass^1", "all", value, low, high, "none", 0)

    assert (percent(0.6129), percent(None)) == ("61.3", "invalid")
    assert between(summary(0.5, 0.2, 1.0)) == "20.0–100"
    assert between(summary(1.0)) == ""


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> EnvResults:
    out = tmp_path_factory.mktemp("env") / "run"
    casting = Casting(SPOKEN, synthesizer="scripted:", telephone=False)
    asyncio.run(run_rollouts(EnvRun("flight_search_desk", out, casting, TASKS, trials=2)))
    asyncio.run(score_run(out))
    return load(out)


def printed(results: EnvResults) -> str:
    console = Console(width=100, record=True, highlight=False)
    with console.capture() as captured:
        console.print(results_table(results))
    return captured.get()


def test_the_table_says_what_it_is_of_and_fits_into_100_columns(spoken: EnvResults):
    text = printed(spoken)
    lines = text.splitlines()
    assert lines[:3] == [
        "scripted system: it knows the answers, and its verdicts say nothing about a model",
        "scripted partner",
        "synthetic speech: every turn of the partner is spoken by scripted:",
    ]
    assert max(map(len, lines)) <= 100
    assert "…" not in text.split("Stops:")[0]
    assert any(line.split()[:5] == ["all", "3", "4", "of", "6"] for line in lines)
    assert any(line.split()[:5] == ["negation", "1", "2", "of", "2"] for line in lines)
    assert "Stops: 6 partner hung up" in text
    assert "2 × terminal state: /holds/HD482902 must be {" in text


def test_json_carries_the_same(spoken: EnvResults):
    found = row(spoken)
    assert (found["domain"], found["trials"], found["resampled"]) == ("flight_search_desk", 2, 0)
    assert found["stops"] == {"partner_hung_up": 6}
    assert len(found["labels"]) == 3
    whole = found["groups"][0]
    assert (whole["name"], whole["passed"], whole["invalid"], whole["pass_all"]["metric"]) == (
        "all",
        4,
        0,
        "pass^2",
    )


def test_the_page_shows_every_episode_with_dialogue_trace_changes_and_why(spoken: EnvResults):
    html = render(spoken)
    assert html.count('<tr id="item-') == 6
    assert "synthetic speech" in html
    assert "The system knows the answers and recites them." in html
    assert "agent calls search_flights" in html
    assert '<p class="said" lang="zh">' in html
    assert "heard: " in html
    assert 'href="../clips/' in html
    assert "terminal state" in html
    assert '<span class="verdict is-failed">✗ failed</span>' in html
    path = write(spoken)
    assert path == spoken.folder / "report" / "index.html"
    assert "data:audio/flac" in render(spoken, embed_audio=True)


def test_what_an_episode_says_cannot_break_out_of_the_page(spoken: EnvResults):
    evil = "<script>alert(1)</script>"
    trace = spoken.traces[0]
    steps = (replace(trace.steps[0], text=evil), *trace.steps[1:])
    other = replace(spoken, traces=(replace(trace, steps=steps, why=evil), *spoken.traces[1:]))
    html = render(other)
    assert evil not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_long_run_shows_what_failed_first(spoken: EnvResults):
    failed = next(each for each in spoken.verdicts if each.passed is False)
    passed = next(each for each in spoken.verdicts if each.passed)
    many = [replace(passed, task=f"t{n}", outcome="write") for n in range(450)]
    (part,) = sections(replace(spoken, verdicts=(*many, failed)))
    assert (len(part.views), part.left_out, part.views[0].word) == (400, 51, "failed")


def test_an_episode_without_trace_and_a_change_that_removes_are_shown(spoken: EnvResults):
    lost = verdict("gone", 0, None)
    trace = spoken.traces[0]
    gone = replace(
        trace.steps[2], call={"id": "c", "name": "drop", "arguments": {}}, result={"value": 1}, text=None
    )
    removed = replace(trace, steps=(replace(gone, changes={"/a": {"from": 1}}),))
    html = render(replace(spoken, traces=(removed,), verdicts=(*spoken.verdicts[:1], lost)))
    assert "No trace was kept." in html
    assert "<del>1</del>" in html
    assert "Lost evidence" in html
