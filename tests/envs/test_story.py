from __future__ import annotations

from antiphon.envs.story import fits, transcript
from antiphon.trace import Step
from tests.envs.stories import agent, did, partner, story


def test_only_successful_calls_with_the_arguments_count():
    told = story(
        did("lend", error="no", book="B1"), did("lend", book="B2"), did("lend", book="B1", role="user")
    )
    assert [at for at, _ in told.calls("lend")] == [1]
    assert [*told.calls("lend", {"book": "B1"})] == []


def test_arguments_fit_by_value_and_by_folded_words():
    assert fits({"title": "EMMA", "n": 2}, {"title": "emma ", "n": 2.0, "more": 1})
    assert not fits({"n": 2}, {"n": "2"})
    assert not fits({"x": 1}, {})
    assert fits(None, {})


def test_a_transcript_shows_calls_with_arguments_results_and_changes():
    lent = Step(
        0, "assistant",
        call={"id": "c", "name": "lend", "arguments": {"book": "B1"}},
        result={"value": {"loan": "L101"}},
        changes={"/loans/L101": {"to": {}}},
    )  # fmt: skip
    assert transcript(story(partner("Emma?"), lent, agent("Done."))) == (
        "Today is 2026-08-12.\n"
        "[1] Customer: Emma?\n"
        '[2] Agent calls lend {"book":"B1"}\n'
        '    result: {"loan":"L101"}\n'
        "    database changed at: /loans/L101\n"
        "[3] Agent: Done."
    )
