from __future__ import annotations

import pytest

from antiphon.models.heads import head


@pytest.mark.parametrize(
    ("clause", "first"),
    [
        ("The library opens at nine in the morning on every weekday, ", "The library opens"),
        ("We will call you back after the meeting.", "We will call you"),
        ("It is New York City time that matters, ", ""),  # a name stays whole
        ("Room 12 is on the left side of the hall.", ""),  # and so does what has a number beside it
        ("You can borrow twelve books at once, ", "You can borrow"),
        ("See you in May.", ""),  # short already
        ("Yes. ", ""),
        ("", ""),
    ],
)
def test_english_begins_with_a_few_words_before_a_phrase(clause, first):
    begun, rest = head(clause, "en", lambda _: [])
    assert begun + rest == clause
    assert (begun if rest else "") == first


def test_mandarin_is_cut_between_words_and_particles_stay_where_they_belong():
    pieces = ["图书馆", "在", "每个", "工作日", "早上", "九点", "开门", "，"]
    assert head("".join(pieces), "zh", lambda _: pieces) == ("图书馆", "在每个工作日早上九点开门，")
    pieces = ["北京", "到", "上海", "的", "高铁", "大约", "需要", "四个", "半小时", "。"]
    assert head("".join(pieces), "zh", lambda _: pieces) == ("北京到上海的", "高铁大约需要四个半小时。")
    pieces = ["好", "的", "，"]
    assert head("".join(pieces), "zh", lambda _: pieces) == ("好的，", "")
