from __future__ import annotations

from antiphon.realtime.policy.forms import compiled, shown


def test_a_row_has_one_pattern_for_both_languages():
    ((what, weight, form),) = compiled([("greets", 2.0, r"\bgood morning\b", "早上好")])
    assert (what, weight) == ("greets", 2.0)
    assert [bool(form.search(text)) for text in ("Good MORNING!", "妈妈早上好", "Good evening")] == [
        True, True, False,
    ]  # fmt: skip


def test_a_form_of_one_language_matches_nothing_of_the_other():
    english, mandarin = compiled([("a", 1.0, r"\bdown\b", ""), ("b", 1.0, "", "坐下")])
    assert not english[2].search("坐下")
    assert not mandarin[2].search("sit down")
    assert not mandarin[2].search("")


def test_all_forms_that_a_text_has_are_shown_with_their_weights():
    forms = compiled([("a", 1.0, "tea", "茶"), ("b", 2.5, "pot", "壶"), ("c", 3.0, "cup", "杯")])
    assert shown("A teapot", forms) == (("a", 1.0), ("b", 2.5))
    assert shown("茶", forms) == (("a", 1.0),)
    assert shown("", forms) == ()
