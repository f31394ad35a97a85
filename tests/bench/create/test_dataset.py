from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.audio.files import read
from antiphon.bench.create.created import Created, dataset_path
from antiphon.bench.create.dataset import entry, kept, write_dataset
from antiphon.bench.create.decisions import Decisions
from antiphon.bench.create.draft import Spoken
from antiphon.bench.create.plan import Plan
from antiphon.bench.create.voices import VoiceProfile
from antiphon.bench.items import Turn
from antiphon.bench.suites.published import SHAPES, read_subset
from antiphon.jsonl import dumps
from antiphon.models.scripted_sound import words_in
from tests.bench.create.studio import contents, draft, perform, plan

if TYPE_CHECKING:
    from pathlib import Path

SPOKEN = Spoken("ab", 1.0, "p", 0, "为什么", True, True, 1, 0.93)
PROMPT = VoiceProfile("p", "prompt", "cd", 2.0, emotion="angry", emotions={"angry": 0.97})


def created(folder: Path, *drafts) -> Created:
    return Created(folder, Plan("q.jsonl", "trial"), drafts, (PROMPT,), Decisions())


def test_an_emotional_question_has_the_published_keys(tmp_path: Path):
    one = draft(
        "为什么？", "", id="000", subset="emotion", emotion="angry", given="Why?", spoken=SPOKEN,
        extra={"Score": [5, 1, 3, 5, 2]},
    )  # fmt: skip
    assert entry(created(tmp_path, one), one) == {
        "Set": "Emotion", "Qid": "emotion-000", "Audio": "emotion/000.wav", "Question": "为什么？", "Source": "own",
        "Score": [5, 1, 3, 5, 2], "Question_emo": "angry", "Question_prmopt": "p", "Question_prob": 0.93,
        "Prompt_prob": 0.97, "Voice": "p", "Given": "Why?",
    }  # fmt: skip


def test_a_probability_that_nobody_measured_is_left_out_and_not_zero(tmp_path: Path):
    one = draft("为什么？", "", subset="emotion", emotion="sad", spoken=replace(SPOKEN, feeling=None))
    found = entry(created(tmp_path, one), one)
    assert not {"Question_prob", "Prompt_prob"} & set(found)


def test_a_dialogue_keeps_its_turns_and_reads_back(tmp_path: Path):
    turns = (Turn("user", "你好"), Turn("assistant", "你好！"))
    one = draft(id="000", subset="multi_round", history=turns, category="CM", spoken=SPOKEN)
    doubted = one.marked("voice", "unverified", "x")
    found = entry(created(tmp_path, doubted), doubted)
    assert found["Unverified"] == ["x"]
    path = tmp_path / "multi_round.json"
    path.write_text(dumps([found]), encoding="utf-8")
    (item,) = read_subset(path, "multi_round", SHAPES["multi_round"])
    assert (item.id, item.history, item.answer, item.category) == ("multi_round-000", turns, "巴黎", "CM")


@pytest.mark.parametrize(
    ("marks", "expected"), [((), True), (("unverified",), True), (("review",), False), (("blocked",), False)]
)
def test_what_waits_for_a_person_is_not_in(tmp_path: Path, marks, expected: bool):
    one = draft(spoken=SPOKEN)
    for kind in marks:
        one = one.marked("speech", kind, "x")
    assert kept(created(tmp_path, one), one) is expected


@pytest.mark.usefixtures("own_cache")
def test_the_sound_of_an_entry_is_the_recording_that_was_checked(tmp_path: Path):
    made = perform(plan(tmp_path), tmp_path / "out")
    folder = dataset_path(made.folder)
    for path in (folder / "json").glob("*.json"):
        for one in json.loads(path.read_text("utf-8")):
            assert words_in(read(folder / "audio" / one["Audio"])) == one["Question"]


@pytest.mark.usefixtures("own_cache")
def test_a_dataset_is_replaced_as_a_whole(tmp_path: Path):
    made = perform(plan(tmp_path), tmp_path / "out")
    folder = dataset_path(made.folder)
    before = contents(folder)
    (folder / "json" / "stale.json").write_text("[]")
    (folder.with_name(".dataset.part")).mkdir()
    write_dataset(made, folder)
    assert contents(folder) == before
    assert sorted(path.name for path in made.folder.glob(".dataset*")) == []
