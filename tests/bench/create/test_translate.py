from __future__ import annotations

from dataclasses import replace

from antiphon.bench.create.draft import Mark
from antiphon.bench.create.translate import Translate
from tests.bench.create.studio import draft, writer

ENGLISH = draft("Who is taller, John or Mary?", "Mary", language="en", options=("John", "Mary"), right=1)


async def test_all_words_of_a_draft_are_translated_in_one_call():
    answer = "问题：约翰和玛丽谁更高？\n答案：玛丽\n选项1：约翰\n选项2：玛丽"
    done = await Translate(writer(("问题：Who is taller, John or Mary?\n答案：Mary", answer))).perform(
        ENGLISH
    )
    assert (done.language, done.question, done.answer) == ("zh", "约翰和玛丽谁更高？", "玛丽")
    assert (done.options, done.right, done.marks) == (("约翰", "玛丽"), 1, ())
    assert (done.steps[0].before, done.given) == ("Who is taller, John or Mary?",) * 2
    assert done.steps[0].prompt.startswith("translate@")


async def test_an_answer_that_cannot_be_read_blocks_the_draft_as_it_was():
    done = await Translate(writer(("*", "约翰和玛丽谁更高？"))).perform(ENGLISH)
    assert (done.question, done.language) == (ENGLISH.question, "en")
    assert done.marks == (
        Mark("translate", "blocked", "not translated: a line that nobody asked for: '约翰和玛丽谁更高？'"),
    )


async def test_a_model_that_repeats_the_english_has_not_translated_it():
    echo = "问题：Who is taller, John or Mary?\n答案：玛丽\n选项1：约翰\n选项2：玛丽"
    done = await Translate(writer(("*", echo))).perform(ENGLISH)
    assert done.marks[0].reason == "still not Mandarin: 'Who is taller, John or Mary?'"


async def test_a_name_or_number_may_stay_as_it_is():
    one = draft("What does DNA stand for?", "DNA", language="en")
    done = await Translate(writer(("*", "问题：DNA是什么？\n答案：DNA"))).perform(one)
    assert (done.answer, done.marks) == ("DNA", ())


def test_only_english_for_mandarin_subsets_is_wanted():
    assert Translate.wants(ENGLISH)
    assert not Translate.wants(draft())
    assert not Translate.wants(replace(ENGLISH, subset="english_knowledge"))
    assert not Translate.wants(replace(ENGLISH, subset="cs_open_ended"))
