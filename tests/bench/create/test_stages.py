from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.names import Names
from antiphon.bench.create.stages import Performer, TextStage, merged, text_stages
from antiphon.bench.create.translate import Translate
from antiphon.errors import ConfigError
from antiphon.jsonl import to_row, write_rows
from antiphon.models.scripted import Failure, Line, ScriptedChat
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.outcome import Failure as Row
from tests.bench.create.studio import draft, plan, writer

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = draft("Who?", "Bo", language="en")


@pytest.mark.parametrize("transient", [True, False])
async def test_a_model_that_fails_is_the_failure_of_its_draft(transient: bool):
    asked = writer()
    lines = [Line(match="Who?", error=Failure("503", transient=transient)), Line(text="问题：谁？\n答案：波")]
    asked.chat.__dict__.update(ScriptedChat("writer", lines, asked.chat._clock).__dict__)
    failed, made = await Performer(Translate(asked))([ENGLISH, draft("Where?", "Bo", language="en")])
    assert failed == Failed("scripted:writer: 503", transient)
    assert isinstance(made, Made)


def test_a_failed_draft_is_blocked_in_its_place_and_others_go_on(tmp_path: Path):
    one, two, three = (draft(id=name) for name in "abc")
    done = two.marked("adapt", "review", "x")
    path = tmp_path / "adapt.jsonl"
    write_rows(path, [to_row(Row(one.key, "m: 503", True)), {**to_row(done), "key": two.key}])
    found = merged([one, two, three], path, "adapt")
    assert found == [one.marked("adapt", "blocked", "adapt failed: m: 503"), done, three]


def test_stages_depend_on_models_prompts_and_lists(tmp_path: Path):
    wanted = plan(tmp_path)
    stages = text_stages(wanted, Names())
    assert [stage.name for stage in stages] == ["translate", "entities", "adapt", "choices", "tag", "check"]
    assert tuple(stage.name for stage in stages[:4]) == TextStage.NAME_FIRST
    prints = {stage.name: stage.fingerprint for stage in stages}
    assert prints["translate"]["prompts"][0].startswith("translate@")
    assert prints["entities"]["names"] == Names().version
    assert any(label.startswith("knowledge@") for label in prints["check"]["verdicts"])
    assert prints["choices"]["judge"].startswith("scripted:judge.jsonl@")


def test_a_stage_can_be_left_out_and_a_model_must_be_one(tmp_path: Path):
    wanted = plan(tmp_path, skip=("adapt",))
    assert "adapt" not in {stage.name for stage in text_stages(wanted, Names())}
    with pytest.raises(ConfigError):
        text_stages(plan(tmp_path, chat="nobody:"), Names())
