from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.calibration.calibrate import CALIBRATION, Calibration, calibrate
from antiphon.bench.calibration.eva import read_eva
from antiphon.bench.calibration.labelled import Labelled, Labels
from antiphon.bench.calibration.say import say_calibration
from antiphon.bench.folder import RunFolder
from antiphon.bench.judgements import Jury
from antiphon.bench.stages import Stages
from antiphon.jsonl import read_records
from antiphon.judge.agreement import share
from antiphon.judge.budget import Budget
from antiphon.judge.prompt import Prompt
from antiphon.models.weights import fetch
from antiphon.stage.map import Settings
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import script

STAGES = Stages(Settings(), lambda _: Silent())
YES = Prompt("p", "{question} {answer} {response}\nyes or no", ("yes", "no"))


def row(name: str, response: str, *, label: bool) -> Labelled:
    return Labelled(name, {"question": "q", "answer": "a", "response": response}, label, len(response))


# What the scripted judge says: yes to "good" and "mixed", no to "bad", nothing readable to "odd".
LABELS = Labels(
    "mine",
    (
        row("1", "good", label=True),
        row("2", "mixed", label=False),
        row("3", "bad", label=False),
        row("4", "odd", label=True),
    ),
    YES,
)
SCRIPT = (
    {"match": "good", "text": "yes"},
    {"match": "mixed", "text": "yes"},
    {"match": "odd", "text": "perhaps"},
    {"match": "*", "text": "no"},
)


@pytest.mark.usefixtures("own_cache")
async def test_a_judge_against_labels_by_hand_and_again_without_asking(tmp_path: Path) -> None:
    jury = Jury((script(tmp_path / "judge.jsonl", *SCRIPT),))
    folder = RunFolder(tmp_path / "out")
    (found,) = await calibrate([LABELS], jury, folder, STAGES, swap=True)
    assert found.agreement is not None
    # yes/yes 1, no/yes 1, no/no 1: observed 2/3, by chance 1/3 * 2/3 + 2/3 * 1/3 = 4/9
    assert found.agreement.kappa == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert (found.agreement.n, found.agreement.invalid, found.agreement.exact) == (3, 1, share(2, 3))
    assert found.agreement.bias == pytest.approx(2 / 3 - 1 / 3)
    assert found.swapped == share(3, 3)
    assert read_records(folder.path / CALIBRATION, Calibration) == [found]
    rows = (folder.path / "mine.jsonl").read_bytes()
    (tmp_path / "judge.jsonl").touch()
    (again,) = await calibrate([LABELS], jury, folder, STAGES, swap=True)
    assert (again, (folder.path / "mine.jsonl").read_bytes()) == (found, rows)
    text = say_calibration(found)
    assert "n 3, invalid 1; agreement 66.7%" in text
    assert "kappa 0.400 (moderate)" in text
    assert "labels no (2): judge no 1, yes 1" in text


@pytest.mark.usefixtures("own_cache")
async def test_a_panel_is_measured_whole_and_member_by_member(tmp_path: Path) -> None:
    yes = script(tmp_path / "yes.jsonl", {"match": "*", "text": "yes"})
    jury = Jury((script(tmp_path / "judge.jsonl", *SCRIPT), yes), repeat=3)
    (found,) = await calibrate([LABELS], jury, RunFolder(tmp_path / "out"), STAGES)
    assert len(found.members) == 6
    assert [one.exact for one in found.members.values()] == [share(2, 3)] * 3 + [share(2, 4)] * 3
    assert found.repeated == share(3, 4)  # all say yes to good and mixed, and who spoke of odd did too
    # bad is a tie, of odd only three of six can be read: both are invalid
    assert (found.agreement is not None and found.agreement.n, found.labelled) == (2, 4)


@pytest.mark.usefixtures("own_cache")
async def test_a_budget_leaves_rows_unasked_and_the_next_call_goes_on(tmp_path: Path) -> None:
    uri = script(tmp_path / "judge.jsonl", *SCRIPT)
    folder = RunFolder(tmp_path / "out")
    (part,) = await calibrate([LABELS], Jury((uri,), budget=Budget(most_calls=1)), folder, STAGES)
    assert (part.not_asked, part.agreement is not None and part.agreement.n) == (3, 1)
    (none,) = await calibrate(
        [LABELS], Jury((uri,), budget=Budget(most_calls=0)), RunFolder(tmp_path / "none"), STAGES
    )
    assert none.not_asked == 3  # one verdict is in the cache
    (whole,) = await calibrate([LABELS], Jury((uri,)), folder, STAGES)
    assert (whole.not_asked, whole.agreement is not None and whole.agreement.n) == (0, 3)


async def test_a_set_that_cannot_be_judged_says_why(tmp_path: Path) -> None:
    deaf = Labels("sound", LABELS.rows, None, "a judge would have to hear the recordings")
    jury = Jury((script(tmp_path / "judge.jsonl", *SCRIPT),))
    (found,) = await calibrate([deaf], jury, RunFolder(tmp_path / "out"), STAGES)
    assert (found.agreement, found.reason) == (None, "a judge would have to hear the recordings")
    assert "not measured: a judge would have to hear" in say_calibration(found)


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_the_embedded_judge_on_a_slice_of_eva(data: Path, tmp_path: Path) -> None:
    if fetch.status("qwen2.5-coder-1.5b").state != "present":
        pytest.skip("no weights of qwen2.5-coder-1.5b here; antiphon weights fetch qwen2.5-coder-1.5b")
    if not (data / "eva").is_dir():
        pytest.skip(f"no eva in {data}")
    sets = [labels.some(6) for labels in read_eva(data / "eva")]
    found = await calibrate(sets, Jury(("embedded:",)), RunFolder(tmp_path), STAGES)
    measured = {one.set: one for one in found if one.agreement is not None}
    assert list(measured) == ["key_entity_transcription"]
    agreement = measured["key_entity_transcription"].agreement
    assert agreement is not None
    assert (agreement.n, agreement.invalid) == (6, 0)  # a grammar holds it to yes or no
    assert {one.set: one.reason for one in found if one.reason} == {
        "conciseness": "the embedded judge does not score 1–5",
        "faithfulness": "the embedded judge does not score 1–5",
        "conversation_progression": "the embedded judge does not score 1–5",
        "agent_speech_fidelity": "a judge would have to hear the recordings (audio_id), and they are not "
        "part of the sets",
    }
