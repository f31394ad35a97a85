from __future__ import annotations

import pytest

from antiphon.bench.suites.full_duplex.judging import (
    ask_arguments,
    ask_behaviour,
    ask_filler,
    ask_key_information,
    ask_rating,
    ask_response,
)
from tests.bench.suites.full_duplex.duplex import evidence

ITEM = evidence("tool_use", {"context": "Books?", "interrupt": "Fiction!"}, answer="Done.")
ASKS = {
    "interruption": ask_rating(ITEM, "Try these."),
    "behaviour": ask_behaviour("who said what", "uh huh", "And then"),
    "arguments": ask_arguments("a({})", "a({})", 3),
    "response": ask_response(ITEM, "It is done."),
    "filler": ask_filler("One moment."),
    "key_information": ask_key_information(ITEM, ["One", "moment.", "Friday."]),
}


@pytest.mark.parametrize("name", ASKS)
def test_a_prompt_shows_the_judge_everything_it_is_given(name: str):
    ask = ASKS[name]
    text = ask.prompt.fill(ask.fields)
    assert ask.prompt.name == name
    assert all(value in text for value in ask.fields.values())
    assert "{" not in text.replace("({})", "")


def test_numbers_have_their_ends():
    ends = {name: (ask.prompt.bottom, ask.prompt.top) for name, ask in ASKS.items() if not ask.prompt.choices}
    assert ends == {
        "interruption": (0, 5),
        "behaviour": (1, 4),
        "arguments": (0, 3),
        "key_information": (0, 3),
    }
