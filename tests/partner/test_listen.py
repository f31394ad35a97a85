from __future__ import annotations

import pytest

from antiphon.partner.listen import listen
from antiphon.partner.script import Fact, Script
from tests.partner.people import HOLD


def names(facts: tuple[Fact, ...]) -> list[str]:
    return [fact.name for fact in facts]


@pytest.mark.parametrize(
    ("words", "asked", "wrong", "right"),
    [
        ("May I have the phone number on your account?", ["phone"], [], []),
        ("What date and fare would you like?", ["date", "fare"], [], []),
        ("Tell me your phone number, please.", ["phone"], [], []),
        ("Is it Narita or Haneda?", ["destination"], [], []),
        ("So SK2859 on August 20, flex, 990, until August 15?", [], [], ["flight", "date", "fare"]),
        ("So SK2895 on August 20?", [], ["flight"], ["date"]),
        ("So SK2859 on August 21?", [], ["date"], ["flight"]),
        ("So SK2859 on 2026-08-21?", [], ["date"], ["flight"]),
        ("The saver fare, right?", [], ["fare"], []),
        ("415-550-1235, is that right?", [], ["phone"], []),
        ("415-550-1234, is that right?", [], [], ["phone"]),
        ("The hold ends on August 15, is that all right?", [], [], []),
        ("I found SK2895 and SK2859.", [], [], ["flight"]),
        ("When I search, your account is safe.", [], [], []),
    ],
)
def test_what_is_asked_and_what_is_read_back(
    words: str, asked: list[str], wrong: list[str], right: list[str]
):
    found = listen(HOLD, words)
    assert (names(found.asked), names(found.wrong), names(found.right)) == (asked, wrong, right)


def test_another_date_is_not_wrong_where_there_are_two_flights():
    two = Script(
        "…",
        facts=(
            Fact("flight", "SK1306", "SK1306"),
            Fact("date", "2026-08-18", "8月18日", ("日期",), ("2026-08-18",)),
            Fact("the old one", "SK1316", "去羽田的那个", ("取消哪",), ("SK1316",)),
        ),
    )
    assert listen(two, "SK1316，8月19日，对吗？").wrong == ()
    one = Script("…", facts=two.facts[:2])
    assert names(listen(one, "SK1306，8月19日，对吗？").wrong) == ["date"]


@pytest.mark.parametrize(
    ("words", "done", "refused", "repeat", "anything_else"),
    [
        ("Your hold is HD482902.", True, False, False, False),
        ("Is it HD482902?", False, False, False, False),
        ("I'm sorry, I cannot do that.", False, True, False, False),
        ("Can't you call again?", False, False, False, False),
        ("Sorry, I didn't catch that.", False, False, True, False),
        ("没听清，请再说一遍。", False, False, True, False),
        ("Is there anything else?", False, False, False, True),
        ("抱歉，这个办不了。", False, True, False, False),
    ],
)
def test_what_is_stated_ends_or_refuses_and_what_is_asked_does_not(
    words: str, done: bool, refused: bool, repeat: bool, anything_else: bool
):
    found = listen(HOLD, words)
    assert (found.done, found.refused, found.repeat, found.anything_else) == (
        done, refused, repeat, anything_else,
    )  # fmt: skip


def test_nothing_said_is_silence():
    assert listen(HOLD, " \n").silent
    assert not listen(HOLD, "Hm.").silent
