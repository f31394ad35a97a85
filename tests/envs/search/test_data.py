from __future__ import annotations

from datetime import date

import pytest

from antiphon.envs.search.data import Draft, SearchCase, dated, matters_when, prepare
from antiphon.errors import ConfigError

TODAY = "2026-08-12"
CHLAMYDIA = Draft(
    "What is chlamydia?", True, ("chlamydia meaning", "chlamydia definition", "chlamydia symptoms")
)
WEATHER = Draft("What's the weather in Tokyo today?", True, ("Tokyo weather",))
WEATHER_ZH = Draft("东京今天天气怎么样？", True, ("东京天气", "东京天气 怎么样"))
TALK = Draft("Tell me a joke.", False)


def by_request(drafts: list[Draft], **more: object) -> dict[str, SearchCase]:
    found = prepare(drafts, today=TODAY, needed_share=0.5, **more)  # pyright: ignore[reportArgumentType]
    return {case.request: case for case in found.cases}


def test_near_duplicate_queries_are_removed_and_complementary_ones_kept():
    case = by_request([CHLAMYDIA, TALK])["What is chlamydia?"]
    assert (case.queries, case.count, case.today) == (("chlamydia meaning", "chlamydia symptoms"), 2, None)


def test_todays_date_is_added_when_freshness_matters_in_the_querys_language():
    english = by_request([WEATHER, TALK])[WEATHER.request]
    assert (english.queries, english.today) == (("Tokyo weather 2026-08-12",), TODAY)
    mandarin = by_request([WEATHER_ZH, TALK])[WEATHER_ZH.request]
    assert (mandarin.queries, mandarin.language) == (("东京天气 2026年8月12日",), "zh")


def test_a_query_that_names_a_year_gets_no_other_date():
    assert dated("Tokyo marathon 2025", date(2026, 8, 12)) == "Tokyo marathon 2025"
    assert dated("iPhone 17", date(2026, 8, 12)) == "iPhone 17 2026-08-12"


def test_a_draft_may_say_itself_whether_time_matters():
    sure = Draft("Who leads the league?", True, ("league leader",), fresh=True)
    assert by_request([sure, TALK])[sure.request].queries == ("league leader 2026-08-12",)
    never = Draft("News of the World, the newspaper", True, ("News of the World newspaper",), fresh=False)
    assert by_request([never, TALK])[never.request].today is None


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("the latest score", True),
        ("最新汇率", True),
        ("capital of France", False),
        ("法国首都", False),
        ("a nowhere man", False),
    ],
)
def test_words_tell_whether_time_matters(text: str, fresh: bool):
    assert matters_when(text) == fresh


def test_an_estimated_count_bounds_the_queries():
    case = by_request([CHLAMYDIA, TALK], counts={CHLAMYDIA.request: 1})[CHLAMYDIA.request]
    assert (case.queries, case.count) == (("chlamydia meaning",), 1)
    case = by_request([CHLAMYDIA, TALK], counts={CHLAMYDIA.request: 4})[CHLAMYDIA.request]
    assert (len(case.queries), case.count) == (2, 4)
    with pytest.raises(ConfigError, match="from 1 to 5, not 6"):
        prepare([CHLAMYDIA], today=TODAY, counts={CHLAMYDIA.request: 6})


def test_without_an_estimate_there_are_at_most_five():
    topics = ["symptoms", "treatment", "test", "history", "vaccine", "cause"]
    many = Draft("Everything about chlamydia", True, tuple(f"chlamydia {each}" for each in topics))
    case = by_request([many, TALK])[many.request]
    assert (len(case.queries), case.count) == (5, 5)


def test_what_is_left_out_is_counted():
    again = Draft("what is Chlamydia", True, ("x y",))
    found = prepare([CHLAMYDIA, again, Draft("Who won?", True), Draft(" ", False), TALK], today=TODAY)
    assert [case.request for case in sorted(found.cases, key=lambda each: each.request)] == [
        "Tell me a joke.",
        "What is chlamydia?",
    ]
    assert found.left_out == {
        "a near-duplicate request": 1,
        "a search without a query": 1,
        "an empty request": 1,
    }


def drafts(needed: int, others: int) -> list[Draft]:
    return [Draft(f"topic{n} alpha{n}", True, (f"alpha{n}",)) for n in range(needed)] + [
        Draft(f"chat{n} beta{n}", False) for n in range(others)
    ]


@pytest.mark.parametrize(
    ("needed", "others", "share", "expected"),
    [
        (6, 6, 0.5, (6, 6)),
        (6, 2, 0.5, (2, 2)),
        (6, 6, 0.75, (6, 2)),
        (2, 9, 0.25, (2, 6)),
        (3, 4, 1.0, (3, 0)),
        (3, 4, 0.0, (0, 4)),
    ],
)
def test_both_sorts_are_mixed_in_the_share_asked_for(
    needed: int, others: int, share: float, expected: tuple[int, int]
):
    found = prepare(drafts(needed, others), today=TODAY, needed_share=share)
    assert (
        sum(case.needed for case in found.cases),
        sum(not case.needed for case in found.cases),
    ) == expected
    assert found.left_out.get("too many of its sort", 0) == needed + others - sum(expected)


def test_the_mix_is_drawn_by_its_seed():
    one, same, other = (prepare(drafts(20, 5), today=TODAY, seed=seed).cases for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_bad_input_is_told():
    with pytest.raises(ConfigError, match="needed_share 2: a share is from 0 to 1"):
        prepare([], today=TODAY, needed_share=2)
    with pytest.raises(ConfigError, match="today 'soon' is no date; give it as YYYY-MM-DD"):
        prepare([], today="soon")
    assert prepare([], today=TODAY).cases == ()
