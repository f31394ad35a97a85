from __future__ import annotations

from dataclasses import replace

from antiphon.envs.pages import render, sections, write
from antiphon.envs.results import EnvResults
from tests.envs.test_results import verdict


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
