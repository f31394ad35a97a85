from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.catalog import open_suite
from antiphon.bench.create.created import dataset_path, load, voices_path
from antiphon.bench.create.decisions import Decision, log_path
from antiphon.bench.create.draft import Mark
from antiphon.bench.folder import RunFolder
from antiphon.bench.suite import Selection
from antiphon.bench.suites.folder import load_folder
from antiphon.errors import ConfigError
from antiphon.jsonl import read
from antiphon.report.local_app import open_log
from tests.bench.bench_runs import perform as perform_run
from tests.bench.create.studio import QUESTIONS, SCRIPT, contents, perform, plan, script, source

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.create.created import Created

AT = "2026-01-01T00:00:00+00:00"

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def made(tmp_path: Path) -> Created:
    return perform(plan(tmp_path), tmp_path / "out")


def decide(created: Created, item: str, action: Any, **more: str) -> None:
    """A person's decision on a draft as it is now, or on a voice."""
    seen = {draft.id: draft.shown for draft in created.drafts}.get(item, "")
    with open_log(log_path(created.folder), Decision) as log:
        log.append(Decision(item, action, AT, seen, **more))


def again(created: Created) -> Created:
    return perform(created.plan, created.folder)


def test_questions_come_out_as_the_paper_says(made: Created):
    done = {draft.id: (draft.subset, draft.question, draft.answer) for draft in made.drafts}
    assert done == {
        "q1": ("foreign_knowledge", "请问法国的首都在哪里？", "巴黎"),
        "q2": ("chinese_knowledge", "中国最长的河是哪条？", "长江"),
        "q3": ("general_knowledge", "下面哪个是质数？四、九还是七？", "七"),
        "q4": ("single_round", "梁启航要搬家了，我送他什么好呢？", "相册。"),
    }
    assert [[step.stage for step in draft.steps] for draft in made.drafts] == [
        ["translate", "adapt", "tag", "check"],
        ["adapt", "choices", "tag"],
        ["adapt", "choices", "check"],
        ["entities", "adapt"],
    ]
    assert all(draft.spoken.heard == draft.question for draft in made.drafts)


def test_what_nobody_verified_is_marked_and_waits_for_a_person(made: Created):
    no_mos = "UTMOS of voice default not measured: no UTMOS was given (--scorer URI)"
    unheard = Mark("voice", "unverified", "voice default not listened to")
    assert made.drafts[0].marks == (Mark("voice", "unverified", no_mos), unheard)
    assert made.drafts[3].marks == (
        Mark("check", "unverified", "reworded by a model, and no key to check it by: a person must read it"),
    )
    assert (made.count("unverified"), made.count("verified"), len(made.waiting)) == (4, 0, 4)


def test_the_dataset_is_a_suite_that_loads_and_runs(made: Created, tmp_path: Path):
    folder = dataset_path(made.folder)
    found = load_folder(folder)
    assert [(item.id, item.subset, item.question) for item in found.items] == [
        ("chinese_knowledge-q2", "chinese_knowledge", "中国最长的河是哪条？"),
        ("foreign_knowledge-q1", "foreign_knowledge", "请问法国的首都在哪里？"),
        ("general_knowledge-q3", "general_knowledge", "下面哪个是质数？四、九还是七？"),
        ("single_round-q4", "single_round", "梁启航要搬家了，我送他什么好呢？"),
    ]
    assert all(item.audio and item.speech == "synthetic" for item in found.items)
    suite = open_suite(str(folder), Selection())
    assert suite.name == "trial"
    run = perform_run(tmp_path / "run", suite=suite, limit=None, balanced=False)
    assert isinstance(run, RunFolder)
    heard = {row["item"]: row["replies"][0]["text"] for row in read(run.takes)}
    assert heard == {item.id: item.question for item in found.items}  # the echo hears the very words


def test_rows_of_another_model_are_not_mixed_in(made: Created):
    script(made.folder.parent / "writer.jsonl", *SCRIPT, ("*", "一"))
    before = contents(made.folder)
    with pytest.raises(ConfigError, match=r"the rows of .*translate.jsonl "):
        again(made)
    kept = {name for name, digest in contents(made.folder).items() if before.get(name) == digest}
    assert set(before) - kept == {"create.json"}


def test_the_same_call_gives_the_same_bytes(made: Created):
    before = contents(made.folder)
    again(made)
    assert contents(made.folder) == before


def test_an_accepted_question_is_in_for_good_and_a_rejected_one_out(made: Created):
    decide(made, "q1", "accept")
    decide(made, "q2", "reject")
    done = again(made)
    assert (done.count("accepted"), done.count("rejected"), done.count("unverified")) == (1, 1, 2)
    found = load_folder(dataset_path(made.folder))
    assert {item.id for item in found.items} == {
        "foreign_knowledge-q1",
        "general_knowledge-q3",
        "single_round-q4",
    }
    labels = {item.id: "Unverified" in item.extra for item in found.items}
    assert labels == {"foreign_knowledge-q1": False, "general_knowledge-q3": True, "single_round-q4": True}


def test_another_recording_is_another_take_of_that_question_only(made: Created):
    seeds = {draft.id: draft.spoken.seed for draft in made.drafts}
    decide(made, "q1", "regenerate")
    done = again(made)
    assert [draft.take for draft in done.drafts] == [1, 0, 0, 0]
    changed = {draft.id for draft in done.drafts if draft.spoken.seed != seeds[draft.id]}
    assert changed == {"q1"}


def test_an_edited_question_is_checked_and_spoken_anew(made: Created):
    script(made.folder.parent / "writer.jsonl", *SCRIPT)
    decide(made, "q1", "edit", question="中国最长的河是哪条？", answer="长江", subset="chinese_knowledge")
    done = again(made)
    edited = done.drafts[0]
    assert (edited.subset, edited.question, edited.spoken.heard) == (
        "chinese_knowledge", "中国最长的河是哪条？", "中国最长的河是哪条？",
    )  # fmt: skip
    assert [step.stage for step in edited.steps] == ["review", "check"]


def test_an_edit_that_the_answer_check_refuses_waits_again(made: Created):
    decide(made, "q1", "edit", question="中国最长的河是哪条？", answer="黄河", subset="chinese_knowledge")
    done = again(made)
    assert done.decisions.status(done.drafts[0]) == "held"
    assert [mark.stage for mark in done.drafts[0].marks if mark.kind == "review"] == ["check"]


def test_voices_that_were_listened_to_are_no_longer_doubted(made: Created):
    clips = {draft.id: draft.spoken.clip for draft in made.drafts}
    decide(made, "", "clean")
    done = again(made)
    assert [[mark.reason.split(":")[0] for mark in draft.marks] for draft in done.drafts[:3]] == [
        ["UTMOS of voice default not measured"]
    ] * 3
    assert {draft.id: draft.spoken.clip for draft in done.drafts} == clips


def test_a_refused_voice_speaks_nothing(made: Created):
    decide(made, "", "never")
    done = again(made)
    assert {mark.reason for draft in done.drafts for mark in draft.marks if mark.kind == "blocked"} == {
        "no voice: a listener refused it"
    }
    assert (done.count("held"), load_folder_or_none(dataset_path(made.folder))) == (4, None)


def load_folder_or_none(folder: Path) -> object:
    return load_folder(folder) if (folder / "json").exists() else None


def test_a_utmos_decides_who_may_speak_clearly(tmp_path: Path):
    made = perform(
        plan(tmp_path, scorers=("scripted:?names=utmos",), voices=",".join("abcdef")), tmp_path / "out"
    )
    assert len(list(read(voices_path(made.folder)))) == 6
    assert len({voice.mos for voice in made.profiles}) == 1  # the fake voice sounds alike under every name
    over = made.profiles[0].mos > 3.5
    reasons = [draft.marks[0].reason for draft in made.drafts[:3]]
    names = [draft.spoken.voice if draft.spoken else "" for draft in made.drafts[:3]]
    assert reasons == (
        [f"voice {name} not listened to" for name in names]
        if over
        else ["no voice: UTMOS is not over 3.5"] * 3
    )


def test_only_verified_questions_where_that_was_asked(tmp_path: Path):
    made = perform(plan(tmp_path, verified_only=True), tmp_path / "out")
    assert made.count("unverified") == 4
    assert not (dataset_path(made.folder) / "json").exists()


def test_a_stage_that_is_left_out_leaves_the_words(tmp_path: Path):
    answers = (*SCRIPT, ("不要解释。\n\n法国的首都是哪里？", "巴黎。"))
    made = perform(
        plan(tmp_path, skip=("adapt", "entities"), chat=script(tmp_path / "more.jsonl", *answers)),
        tmp_path / "out",
    )
    assert [draft.question for draft in made.drafts[:2]] == ["法国的首都是哪里？", "中国最长的河是哪条？"]


def test_a_question_more_is_all_that_is_made(made: Created):
    rows = [
        *QUESTIONS,
        {"id": "q5", "question": "中国最长的河是哪条？", "answer": "长江", "subset": "knowledge"},
    ]
    source(made.folder.parent, rows)
    before = {draft.id: draft for draft in made.drafts}
    done = again(made)
    assert len(done.drafts) == 5
    assert {draft.id: draft for draft in done.drafts[:4]} == before


def test_a_creation_is_loaded_as_it_was_left(made: Created):
    assert load(made.folder) == made


def test_where_nothing_was_made_there_is_nothing_to_load(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"create.json is missing"):
        load(tmp_path)


def test_the_folder_of_a_run_is_refused(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json").touch()
    with pytest.raises(ConfigError, match="holds a run; choose another --out"):
        perform(plan(tmp_path), tmp_path / "out")


# Each moment is the first at which the file is there: early, inside and between stages, while the dataset is built.
MOMENTS = ("voices.journal.jsonl", "translate.journal.jsonl", "adapt.journal.jsonl", "tag.stage.json",
           "check.journal.jsonl", "speech.stage.json", "speech.jsonl", ".dataset.part")  # fmt: skip


@pytest.mark.timeout(240)
def test_kill_9_at_any_stage_and_the_same_dataset_in_the_end(tmp_path: Path, own_cache: Path):
    wanted = plan(tmp_path / "in")
    undisturbed = perform(wanted, tmp_path / "whole" / "out")
    program = (
        "import asyncio, sys; from pathlib import Path; from antiphon.bench.create.pipeline import create; "
        "from antiphon.bench.create.plan import read_plan; from antiphon.stage.progress import Silent; "
        "asyncio.run(create(read_plan(Path(sys.argv[1])), Path(sys.argv[2]), lambda _: Silent()))"
    )
    out = tmp_path / "killed" / "out"
    killed = 0
    for moment in MOMENTS:
        process = subprocess.Popen([sys.executable, "-c", program, str(undisturbed.folder), str(out)])
        while process.poll() is None and not (out / moment).exists():
            time.sleep(0.0005)  # noqa: TID251  waits for another process, whose time is real
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed >= 4
    subprocess.run(
        [sys.executable, "-c", program, str(undisturbed.folder), str(out)], check=True, env=os.environ
    )
    assert contents(out) == contents(undisturbed.folder)
