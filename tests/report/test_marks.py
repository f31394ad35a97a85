from __future__ import annotations

from antiphon.report.marks import Run, marked, runs, same


def test_each_error_has_its_own_shape() -> None:
    found = runs("It was painted by Leonardo da Vinci.", "It was was painted by Leonard da Vinci")
    assert marked(found) == (
        'It was <ins class="extra">was</ins> painted by '
        '<span class="swap"><del>Leonardo</del><ins>Leonard</ins></span> da Vinci'
    )
    assert marked(runs("四十是四十。", "四是四十。")) == '四<del class="miss">十</del>是四十。'


def test_neighbouring_errors_of_one_kind_are_one_mark() -> None:
    assert runs("one two three four", "one four") == [
        Run("same", "", "one", " "),
        Run("miss", "two three", "", " "),
        Run("same", "", "four", ""),
    ]
    assert marked(runs("五点", "五点 today at noon")) == '五点 <ins class="extra">today at noon</ins>'


def test_punctuation_case_script_and_characters_of_one_sound_are_no_errors() -> None:
    assert same(runs("“Well,” he said: it's 5!", "well he said it's 5"))
    assert same(runs("《红楼梦》的作者。", "紅樓夢的作者"))
    assert same(runs("她来了", "他来了"))
    assert not same(runs("四是四", "十是四"))


def test_the_heard_text_keeps_its_own_signs() -> None:
    assert marked(runs("红楼梦，好。", "《红楼梦》 好！")) == "《红楼梦》 好！"


def test_nothing_against_something() -> None:
    assert runs("", "") == []
    assert same([])
    assert marked(runs("", "喂")) == '<ins class="extra">喂</ins>'
    assert marked(runs("你好", "")) == '<del class="miss">你好</del>'
    assert marked(runs("……！", "?!")) == ""


def test_a_hostile_transcript_is_escaped() -> None:
    html = marked(runs("<b>six</b> legs", "<script>x</script> legs & <i>"))
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;" in html
    assert "&amp;" in html
