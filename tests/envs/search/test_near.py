from __future__ import annotations

import pytest

from antiphon.envs.search.near import complementary, content, near


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("chlamydia meaning", "chlamydia definition"),
        ("What is chlamydia?", "chlamydia meaning"),
        ("flights to Tokyo", "flight Tokyo"),
        ("iPhone 17 price", "price of the iPhone 17"),
        ("衣原体是什么意思", "衣原体的定义"),
        ("东京天气怎么样", "东京天气"),
    ],
)
def test_texts_that_ask_the_same(one: str, other: str):
    assert near(content(one), content(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("chlamydia", "chlamydia symptoms"),
        ("iPhone 17 price", "iPhone 16 price"),
        ("flights to Tokyo", "flights to Osaka"),
        ("衣原体症状", "衣原体治疗"),
        ("东京天气", "大阪天气"),
        ("", "Tokyo"),
    ],
)
def test_texts_that_ask_something_else(one: str, other: str):
    assert not near(content(one), content(other))


def test_the_papers_example_keeps_one_of_two_that_add_little():
    assert complementary(["chlamydia meaning", "chlamydia definition"], 5) == ("chlamydia meaning",)


def test_complementary_queries_stay_in_order_up_to_the_count():
    queries = ["chlamydia", "chlamydia  symptoms", "Chlamydia", " ", "chlamydia treatment", "chlamydia test"]
    assert complementary(queries, 3) == ("chlamydia", "chlamydia symptoms", "chlamydia treatment")
