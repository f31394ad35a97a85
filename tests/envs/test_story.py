from __future__ import annotations

import pytest

from antiphon.envs.story import contains, fits, fold, transcript
from antiphon.trace import Step
from tests.envs.stories import agent, did, partner, story


@pytest.mark.parametrize(
    ("text", "form", "there"),
    [
        ("That is $1,980.00 in all", "1980", True),
        ("That is 1980.5", "1980", False),
        ("costs 990.0 dollars", "990", True),
        ("costs 990.", "990", True),
        ("costs 1990", "990", False),
        ("flight SK2859", "sk2859", True),
        ("flight SK28591", "SK2859", False),
        ("call 415 555-1234 now", "4155551234", True),
        ("on August 20 2859 leaves", "2859", True),
        ("August 20th", "August 20", False),
        ("航班ＳＫ１３０６，8月18日", "SK1306", True),
        ("到期日是8月15日。", "8月15日", True),
        ("the flexible one", "flex", False),
        ("No, one loan is the limit!", "one loan", True),
    ],
)
def test_a_form_is_found_as_words_of_its_own(text: str, form: str, there: bool):
    assert contains(fold(text), form) is there


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
