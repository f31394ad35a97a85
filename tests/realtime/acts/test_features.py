from __future__ import annotations

from antiphon.realtime.acts.features import features, tokens


def test_tokens_are_words_and_han_characters_without_case():
    assert tokens("Hold ON, it's 10:30!") == ["hold", "on", "it's", "0", "!"]
    assert tokens("等一下，三十五块？") == ["等", "一", "下", "0", "块", "?"]


def test_who_is_called_is_only_that_somebody_is():
    assert tokens("Tom, where is it?", "Tom") == tokens("Maria, where is it?", "Maria")
    assert tokens("王姐，过来。", "王姐")[0] == "@"


def test_runs_have_the_edges_and_the_inside_of_longer_words():
    found = features("Stop it")
    assert {"^ stop", "it $", "^ stop it", "~_sto", "~op_"} <= set(found)
    assert not [run for run in found if run.startswith("~") and "it" in run]
    assert len(found) == len(set(found))


def test_a_line_without_words_has_no_runs():
    assert features("…?!") == []
    assert features("") == []
