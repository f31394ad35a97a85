from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.errors import AntiphonError
from antiphon.realtime.sets.phrases import OURS, ours, read
from antiphon.realtime.sets.run import Config, perform, report, scripts

EXAMPLE = Path(__file__).parents[3] / "examples" / "phrases.json"


def _file(folder: Path, value: Any) -> Path:
    path = folder / "own.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_own_phrases_take_the_place_of_ours_sort_by_sort(tmp_path: Path):
    book = read(_file(tmp_path, {"en": {"stops": ["Quiet now."]}}))
    assert book.of("en", "stops") == ["Quiet now."]
    assert book.of("en", "moments") == ours("en")["moments"]
    assert book.languages == ("en",)
    described = book.described()
    assert described is not None
    assert "stops" not in described["ours"]["en"]
    assert "moments" in described["ours"]["en"]
    assert OURS.described() is None


def test_sessions_are_in_the_languages_that_the_file_has(tmp_path: Path):
    path = _file(tmp_path, {"zh": {"stops": ["停。"]}})
    made = scripts(Config("semantic-control", sessions=8, phrases=path))
    assert {each.session.language for each in made} == {"zh"}
    assert "停。" in {line.text for each in made for line in each.session.lines}


def test_a_folder_has_one_file_a_language(tmp_path: Path):
    (tmp_path / "en.json").write_text('{"stops": ["Quiet now."]}', encoding="utf-8")
    (tmp_path / "zh.json").write_text('{"stops": ["停。"]}', encoding="utf-8")
    assert [read(tmp_path).of(language, "stops") for language in ("en", "zh")] == [["Quiet now."], ["停。"]]


def test_an_agreement_that_names_its_signal_nowhere_or_twice_is_written_all_the_same(tmp_path: Path):
    agreed = {"text": "{user} says {signal}, {signal} it is.", "signal": "red fox"}
    path = _file(tmp_path, {"en": {"signal_agreements": [agreed], "signal_lines": ["{Signal}! {signal}!"]}})
    [made] = scripts(Config("semantic-control", sessions=1, phrases=path))
    lines = [line.text for line in made.session.lines]
    assert lines[0].endswith("says red fox, red fox it is.")
    assert lines[-1] == "Red fox! red fox!"


def test_the_example_is_performed():
    outcomes = list(perform(Config("fdb-like", sessions=12, phrases=EXAMPLE)))
    spoken = {line.text for each in outcomes for line in each.scripted.session.lines}
    own = {topic["ask"] for topics in json.loads(EXAMPLE.read_text(encoding="utf-8")).values() for topic in topics["topics"]}  # fmt: skip
    assert own & spoken
    assert not spoken & {topic["ask"] for topic in ours("en")["topics"]}


def test_the_figures_say_whose_phrases_they_are_of():
    chosen = Config("fdb-like", sessions=3, phrases=EXAMPLE)
    found = report(chosen, list(perform(chosen)))["phrases"]
    assert len(found["sha256"]) == 64
    assert "backchannels" in found["ours"]["zh"]
    assert "topics" not in found["ours"]["zh"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "an object is wanted, not list"),
        ({}, "has no language; en and zh are known"),
        ({"fr": {}}, "fr: unknown language; en and zh are known"),
        ({"en": []}, "en: an object is wanted, not list"),
        ({"en": {"stop": ["x"]}}, "en.stop: unknown key; there are agents, asides"),
        ({"en": {"stops": []}}, "en.stops: a list with at least one phrase is wanted"),
        ({"en": {"stops": ["…"]}}, r"en.stops\[0\]: words are wanted, not '…'"),
        ({"en": {"stops": ["Be {mood}."]}}, r"en.stops\[0\]: .* none of {name}, {user}, {agent}$"),
        ({"en": {"stops": ["Be {."]}}, r"en.stops\[0\]: .* has a brace that is none of"),
        ({"en": {"topics": [{"ask": "Why?"}]}}, r"en.topics\[0\]: missing key 'answer'"),
        ({"en": {"topics": [{"ask": "a", "answer": "b", "c": ""}]}}, r"en.topics\[0\]: unknown key 'c'"),
        ({"en": {"topics": ["Why?"]}}, r"en.topics\[0\]: an object is wanted, not str"),
    ],
)
def test_what_can_be_no_phrase_is_one_line(tmp_path: Path, value: Any, problem: str):
    with pytest.raises(AntiphonError, match=problem) as raised:
        read(_file(tmp_path, value))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_or_no_json_says_so(tmp_path: Path):
    with pytest.raises(AntiphonError, match="there is no such file or folder"):
        read(tmp_path / "x.json")
    with pytest.raises(AntiphonError, match=r"the folder has no en.json or zh.json"):
        read(tmp_path)
    broken = tmp_path / "b.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(AntiphonError, match="is no JSON"):
        read(broken)
