from __future__ import annotations

import pytest

from antiphon.envs.acknowledgement.evaluate import Limits, Report, TurnReport, alike, evaluate
from antiphon.envs.acknowledgement.rules import rules_of
from antiphon.messages import ToolSpec
from antiphon.trace import Step, Trace
from tests.envs.stories import agent, did, partner

SPECS = {
    "search_flights": ToolSpec("search_flights", "", {"properties": {"depart_date": {}}}, slow=True),
    "place_hold": ToolSpec("place_hold", "", {}),
}
DEEDS = {"place_hold"}
ASK = {"en": "Is there a flight on Friday?", "zh": "周五有航班吗？"}
SEARCH = did("search_flights")


def report(rule: str, *steps: Step, limits: Limits | None = None) -> Report:
    trace = Trace("t", 0, 0, "s", "p", steps, "partner_hung_up", {})
    return evaluate(trace, rules_of(rule, tuple(SPECS)), SPECS, DEEDS, limits)


def one(rule: str, text: str, language: str = "en") -> TurnReport:
    """The report on a single tool-call turn with these words before its call."""
    words = (agent(text),) if text else ()
    return report(rule, partner(ASK[language]), *words, SEARCH).turns[0]


GOOD = {"en": "Sure, let me check Friday for you.", "zh": "好的，我帮您查一下周五的航班。"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_place_is_right_where_one_is_required_and_said_or_disallowed_and_not(language: str):
    said = one("always acknowledge", GOOD[language], language)
    assert (said.wrong, said.value) == ({}, 1.0)
    silent = one("never acknowledge", "", language)
    assert (silent.wrong, silent.value) == ({}, 1.0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_place_is_wrong_where_one_is_missing_or_unwanted(language: str):
    silent = one("always acknowledge", "", language)
    assert (set(silent.wrong), silent.value) == ({"place"}, 0.0)
    said = one("never acknowledge", GOOD[language], language)
    assert (set(said.wrong), said.value) == ({"place"}, 0.0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_it_is_optional_both_are_right(language: str):
    assert one("acknowledge if you like", "", language).value == 1.0
    assert one("acknowledge if you like", GOOD[language], language).value == 1.0


@pytest.mark.parametrize(
    ("language", "late"), [("en", "Let me check. It leaves at nine."), ("zh", "我查一下。九点起飞。")]
)
def test_an_acknowledgement_after_the_call_is_in_the_wrong_place(language: str, late: str):
    found = report("acknowledge if you like", partner(ASK[language]), SEARCH, agent(late))
    assert found.turns[0].wrong == {"place": f"said after the call: {late!r}"}
    assert found.value == 0.0
    answer = {"en": "It leaves at nine.", "zh": "九点起飞。"}[language]
    assert report("acknowledge if you like", partner(ASK[language]), SEARCH, agent(answer)).value == 1.0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_acknowledgement_that_no_call_follows_is_a_stray(language: str):
    found = report("always acknowledge", partner(ASK[language]), agent(GOOD[language]), partner("?"))
    assert found.strays == {1: GOOD[language]}
    assert (found.turns, found.value) == ((), 0.0)


LONG = {
    "en": "Let me check that for you and see what I can find among all of our many flights on Friday",
    "zh": "我帮您查一下周五从旧金山飞往东京成田机场的所有航班以及它们各自的票价和余票情况",
}


@pytest.mark.parametrize(
    ("language", "why"), [("en", "20 words; at most 15"), ("zh", "39 characters; at most 25")]
)
def test_length(language: str, why: str):
    assert one("always acknowledge", LONG[language], language).wrong == {"length": why}
    assert one("always acknowledge", LONG[language], language).value == 0.75
    assert "length" not in one("always acknowledge", GOOD[language], language).wrong


def test_the_limit_itself_is_allowed():
    text = "Let me check now."
    asks = (partner(ASK["en"]), agent(text), SEARCH)
    assert report("always acknowledge", *asks, limits=Limits(words=4)).value == 1.0
    assert report("always acknowledge", *asks, limits=Limits(words=3)).value == 0.75


OTHER = {"en": "One moment while the fares come up.", "zh": "请稍等，票价马上出来。"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_repetition(language: str):
    asks = (partner(ASK[language]), agent(GOOD[language]), SEARCH)
    again = report("always acknowledge", *asks, agent(GOOD[language]), SEARCH)
    assert [set(turn.wrong) for turn in again.turns] == [set(), {"repetition"}]
    varied = report("always acknowledge", *asks, agent(OTHER[language]), SEARCH)
    assert [turn.wrong for turn in varied.turns] == [{}, {}]


def test_nearly_the_same_filler_is_a_repetition():
    assert alike("Let me check that for you.", "Let me just check that for you!")
    assert not alike("Let me check that.", "One moment please.")
    assert not alike("", "")


@pytest.mark.parametrize(
    ("language", "why"),
    [("en", "in zh, and the partner speaks en"), ("zh", "in en, and the partner speaks zh")],
)
def test_language(language: str, why: str):
    other = {"en": "zh", "zh": "en"}[language]
    assert one("always acknowledge", GOOD[other], language).wrong == {"language": why}
    assert "language" not in one("always acknowledge", GOOD[language], language).wrong


@pytest.mark.parametrize(
    ("language", "text", "detail"),
    [
        ("en", "Let me check with search_flights.", "search_flights"),
        ("en", "One moment, I'll look at the depart_date.", "depart_date"),
        ("en", "Let me check the database.", "database"),
        ("zh", "我查一下search_flights。", "search_flights"),
        ("zh", "我来查一下数据库。", "数据库"),
        ("zh", "稍等，正在为您查，要用到接口。", "接口"),
    ],
)
def test_implementation_detail(language: str, text: str, detail: str):
    assert one("always acknowledge", text, language).wrong == {"detail": f"speaks of {detail!r}"}
    assert "detail" not in one("always acknowledge", GOOD[language], language).wrong


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Let me check. I've placed the hold for you."),
        ("en", "One moment, I guarantee the fare."),
        ("en", "Let me check, it will definitely work."),
        ("zh", "请稍等，已经为您办理保留。"),
        ("zh", "我查一下，保证有票。"),
        ("zh", "我马上为您查，一定能订到。"),
    ],
)
def test_a_premature_promise(language: str, text: str):
    found = one("always acknowledge", text, language)
    assert set(found.wrong) == {"promise"}
    assert found.value == 0.0


@pytest.mark.parametrize("text", ["Let me check whether that works.", "我看一下能不能办。"])
def test_work_that_is_starting_is_no_promise(text: str):
    assert "promise" not in one("always acknowledge", text, "zh" if text[0] == "我" else "en").wrong


def test_what_is_done_already_may_be_said_before_the_next_call():
    wrote = Step(
        0, "assistant", call={"id": "c", "name": "place_hold", "arguments": {}}, result={"value": {}},
        changes={"/holds/1": {"to": {}}},
    )  # fmt: skip
    found = report(
        "always acknowledge",
        partner("Hold it."),
        agent("Let me do that."),
        wrote,
        agent("I've placed the hold, and let me check the rest."),
        SEARCH,
    )
    assert [turn.wrong for turn in found.turns] == [{}, {}]


def test_only_the_first_call_in_a_whole_dialogue():
    found = report(
        "acknowledge only the first call", partner(ASK["en"]), agent(GOOD["en"]), SEARCH, did("place_hold"),
        agent("It leaves at nine."), partner("And back?"), agent("One moment please."), SEARCH, agent("At noon."),
    )  # fmt: skip
    assert [turn.label for turn in found.turns] == ["required", "disallowed", "disallowed"]
    assert [turn.value for turn in found.turns] == [1.0, 1.0, 0.0]
    assert found.value == pytest.approx(2 / 3)
    assert found.first_acknowledgement is not None
    assert found.first_answer is not None
    assert (found.first_acknowledgement.step, found.first_answer.step) == (1, 4)


def test_a_dialogue_without_calls_has_nothing_to_score():
    assert report("always acknowledge", partner("Hi"), agent("Hello.")).value is None
