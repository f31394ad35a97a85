from __future__ import annotations

from dataclasses import replace

from antiphon.bench.create.draft import Spoken, texts, with_texts
from antiphon.bench.items import Turn
from tests.bench.create.studio import draft


def test_a_key_changes_with_any_word_and_names_the_draft():
    one = draft()
    assert one.key.startswith("0001@")
    assert len({one.key, replace(one, answer="里昂").key, one.marked("check", "review", "x").key}) == 3
    assert replace(one).key == one.key


def test_what_is_shown_is_the_words_and_the_recording_but_not_the_marks():
    spoken = Spoken("ab", 1.0, "v", 0, "法国的首都是哪里", True, True, 1)
    one = replace(draft(), spoken=spoken)
    assert one.marked("voice", "unverified", "x").shown == one.shown
    assert replace(one, spoken=replace(spoken, clip="cd")).shown != one.shown
    assert replace(one, take=1).shown != one.shown


def test_texts_come_under_labels_and_go_back_to_their_places():
    one = draft(options=("里昂", "巴黎"), history=(Turn("user", "你好"), Turn("assistant", "你好！")))
    found = texts(one)
    assert found == {
        "上文1": "你好", "上文2": "你好！", "问题": "法国的首都是哪里？", "答案": "巴黎", "选项1": "里昂", "选项2": "巴黎",
    }  # fmt: skip
    assert replace(one, **with_texts(one, found)) == one
    shouted = replace(one, **with_texts(one, {label: text + "!" for label, text in found.items()}))
    assert shouted.history == (Turn("user", "你好!"), Turn("assistant", "你好！!"))
    assert shouted.options == ("里昂!", "巴黎!")


def test_an_untagged_question_counts_as_knowledge():
    one = draft(subset="knowledge")
    assert (one.shape.ability, one.item().subset) == ("knowledge", "general_knowledge")
