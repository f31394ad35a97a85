from __future__ import annotations

from antiphon.report.marks import Run, marked, runs, same, told


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


def test_a_tone_alone_is_marked_with_both_tones_and_differently() -> None:
    # 四 si4 heard as 思 si1 differs in the tone; 十 shi2 for 四 si4 is another syllable.
    assert marked(runs("四是四", "思是十")) == (
        '<span class="tone"><del>四⁴</del><ins>思¹</ins></span>是'
        '<span class="swap"><del>四</del><ins>十</ins></span>'
    )
    assert runs("是四百思", "是思百四") == [
        Run("same", "", "是", ""),
        Run("tone", "四⁴", "思¹", ""),
        Run("same", "", "百", ""),
        Run("tone", "思¹", "四⁴", ""),
    ]


def test_the_neutral_tone_counts_as_the_fifth() -> None:
    assert runs("吗", "妈") == [Run("tone", "吗⁵", "妈¹", "")]


def test_words_of_other_scripts_have_no_tone() -> None:
    assert [run.kind for run in runs("a1", "a2")] == ["swap"]
    assert [run.kind for run in runs("四", "si1")] == ["swap"]


def test_the_errors_are_counted_in_words_too() -> None:
    assert told(runs("四是四百千", "思是十百")) == "1 heard as another, 1 in another tone, 1 not heard"
    assert told(runs("one two three", "one two and a three")) == "2 not said"
    assert told(runs("你好", "你好")) == ""
